// Arithmetic that rounds; the test adds execution modes to the kernels.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define OPERATIONS(T, name)                                                                        \
    __attribute__((noinline)) T name##_sum(T a, T b)                                               \
    {                                                                                              \
        return a + b;                                                                              \
    }                                                                                              \
    kernel void name##_modes(global const T *a, global const T *b, global const T *c,              \
                             global T *out)                                                        \
    {                                                                                              \
        size_t i = get_global_id(0), n = get_global_size(0);                                       \
        out[i] = name##_sum(a[i], b[i]);                                                           \
        out[n + i] = a[i] - b[i];                                                                  \
        out[2 * n + i] = a[i] * b[i];                                                              \
        out[3 * n + i] = a[i] / b[i];                                                              \
        out[4 * n + i] = fma(a[i], b[i], c[i]);                                                    \
        out[5 * n + i] = sqrt(a[i]);                                                               \
    }                                                                                              \
    kernel void name##_plain(global const T *a, global const T *b, global const T *c,              \
                             global T *out)                                                        \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = name##_sum(a[i], b[i]);                                                           \
    }                                                                                              \
    kernel void name##_compare(global const T *a, global const T *b, global uint *out)             \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = (a[i] == b[i]) | (a[i] < b[i]) << 1 | (a[i] == (T)0) << 2;                        \
    }

OPERATIONS(half, half)
OPERATIONS(float, float)
OPERATIONS(double, double)

// Both widths at once.
kernel void mixed_modes(global const float *a, global const float *b, global float *out,
                        global const double *c, global const double *d, global double *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = a[i] + b[i];
    wide[i] = c[i] + d[i];
    out[n + i] = a[i] * b[i];
    wide[n + i] = c[i] * d[i];
}

kernel void convert_modes(global const double *d, global const long *l, global float *out,
                          global half *small, global double *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = (float)d[i];
    out[n + i] = (float)l[i];
    out[2 * n + i] = (float)(ulong)l[i];
    out[3 * n + i] = (float)(int)l[i];
    small[i] = (half)d[i];
    small[n + i] = (half)(float)l[i];
    small[2 * n + i] = (half)l[i];
    wide[i] = (double)l[i];
    wide[n + i] = (double)(ulong)l[i];
}
