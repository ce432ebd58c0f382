/* Functions as -cl-fast-relaxed-math has them. */
#include "corpus.clh"

#define ONE(name, result)                                                                          \
    __kernel void relaxed_##name(__global const float *in, __global float *out)                    \
    {                                                                                              \
        float x = in[GID];                                                                         \
        out[GID] = result;                                                                         \
    }
#define TWO(name, result)                                                                          \
    __kernel void relaxed_##name(__global const float *in, __global const float *second,           \
                                 __global float *out)                                              \
    {                                                                                              \
        float x = in[GID], y = second[GID];                                                        \
        out[GID] = result;                                                                         \
    }

ONE(sin, sin(x))
ONE(cos, cos(x))
ONE(exp, exp(x))
ONE(log, log(x))
ONE(sqrt, sqrt(x))
ONE(rsqrt, 1.0f / sqrt(x))
TWO(divide, x / y)
TWO(divide_overflowing, (x * 0x1p+110f) / (y * 0x1p-110f))
ONE(recip_overflowing, 1.0f / (x * 0x1p-140f))
TWO(pow, pow(x, y))
