/* A kernel for each function of maths.def. The second dimension of a launch repeats the work, so
 * that the buffers fit into the second-level cache. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define GID ((size_t)get_global_id(0))

#define MATHS_ONE(name, scale, shift)                                                              \
    __kernel void maths_##name(__global const float *x, __global float *y)                         \
    {                                                                                              \
        y[GID] = name(fma(x[GID], scale, shift));                                                  \
    }
#define MATHS_TWO(name, scale, shift)                                                              \
    __kernel void maths_##name(__global const float *x, __global float *y)                         \
    {                                                                                              \
        y[GID] = name(fma(x[GID], scale, shift), fma(x[GID], -scale, scale + 0.7f));               \
    }
#define MATHS_INT(name, scale, shift)                                                              \
    __kernel void maths_##name(__global const float *x, __global float *y)                         \
    {                                                                                              \
        y[GID] = name(fma(x[GID], scale, shift), (int)(x[GID] * 9.0f) + 1);                        \
    }
#define MATHS_POINTER(name, scale, shift)                                                          \
    __kernel void maths_##name(__global const float *x, __global float *y)                         \
    {                                                                                              \
        float second, first = name(fma(x[GID], scale, shift), &second);                            \
        y[GID] = first + second;                                                                   \
    }
#define MATHS_DOUBLE(name, scale, shift)                                                           \
    __kernel void maths_double_##name(__global const float *x, __global float *y)                  \
    {                                                                                              \
        y[GID] = (float)name(fma((double)x[GID], scale, shift));                                   \
    }
#define MATHS_DOUBLE_TWO(name, scale, shift)                                                       \
    __kernel void maths_double_##name(__global const float *x, __global float *y)                  \
    {                                                                                              \
        y[GID] = (float)name(fma((double)x[GID], scale, shift),                                    \
                             fma((double)x[GID], -scale, scale + 0.7));                            \
    }
#include "maths.def"
