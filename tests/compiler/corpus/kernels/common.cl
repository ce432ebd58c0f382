/* The common functions of OpenCL.std. */
#include "corpus.clh"

#define COMMON(T)                                                                                  \
    __kernel void two_##T(__global const T *a, __global const T *b, __global T *out)               \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[6 * i] = degrees(a[i]);                                                                \
        out[6 * i + 1] = radians(a[i]);                                                            \
        out[6 * i + 2] = sign(a[i]);                                                               \
        out[6 * i + 3] = step(a[i], b[i]);                                                         \
        out[6 * i + 4] = max(a[i], b[i]);                                                          \
        out[6 * i + 5] = min(a[i], b[i]);                                                          \
    }                                                                                              \
    __kernel void three_##T(__global const T *a, __global const T *b, __global const T *c,         \
                            __global T *out)                                                       \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T low = fmin(b[i], c[i]), high = fmax(b[i], c[i]) + (T)1;                                  \
        out[3 * i] = clamp(a[i], low, high);                                                       \
        out[3 * i + 1] = mix(a[i], b[i], fabs(c[i]) / (T)100);                                     \
        out[3 * i + 2] = smoothstep(low, high, a[i]);                                              \
    }                                                                                              \
    __kernel void vectors_##T(__global const T##4 * a, __global const T##4 * b,                    \
                              __global T##4 * out)                                                 \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[4 * i] = clamp(a[i], (T) - 10, (T)10);                                                 \
        out[4 * i + 1] = mix(a[i], b[i], (T)0.25);                                                 \
        out[4 * i + 2] = step((T)3, a[i]) + sign(b[i]);                                            \
        out[4 * i + 3] = max(a[i], b[i]) - min(a[i], (T)5);                                        \
    }

COMMON(float)
COMMON(double)
