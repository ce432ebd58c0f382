/* Floating-point arithmetic on edge values: infinities, NaN, denormals, signed zeros. */
#include "corpus.clh"

#define ARITH(T, I)                                                                                \
    __kernel void arith_##T(__global const T *a, __global const T *b, __global T *out)             \
    {                                                                                              \
        size_t i = GID;                                                                            \
        __global T *o = out + 5 * i;                                                               \
        o[0] = a[i] + b[i];                                                                        \
        o[1] = a[i] - b[i];                                                                        \
        o[2] = a[i] * b[i];                                                                        \
        o[3] = -a[i];                                                                              \
        o[4] = a[i] * b[i] + a[i];                                                                 \
    }                                                                                              \
    __kernel void div_##T(__global const T *a, __global const T *b, __global T *out)               \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[i] = a[i] / b[i];                                                                      \
    }                                                                                              \
    __kernel void compare_##T(__global const T *a, __global const T *b, __global int *out)         \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[i] = (a[i] < b[i]) | (a[i] <= b[i]) << 1 | (a[i] == b[i]) << 2 | (a[i] != b[i]) << 3 | \
                 (a[i] > b[i]) << 4 | (a[i] >= b[i]) << 5 | (a[i] && b[i]) << 6 | (!a[i]) << 7 |   \
                 !(a[i] < b[i]) << 8 | !(a[i] >= b[i]) << 9;                                       \
    }                                                                                              \
    __kernel void choose_##T(__global const T *a, __global const T *b, __global T *out)            \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[2 * i] = a[i] < b[i] ? a[i] : b[i];                                                    \
        out[2 * i + 1] = a[i] != a[i] ? (T) - 1 : a[i] > 0 ? b[i] : a[i];                          \
    }                                                                                              \
    __kernel void bits_##T(__global const T *a, __global I *out)                                   \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[2 * i] = as_##I(a[i]);                                                                 \
        out[2 * i + 1] = as_##I(-a[i]);                                                            \
    }                                                                                              \
    __kernel void horner_##T(__global const T *a, __global T *out)                                 \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T x = a[i], sum = (T)0.5;                                                                  \
        for (int k = 1; k < 9; k++) {                                                              \
            sum = sum * x + (T)k / (T)3;                                                           \
        }                                                                                          \
        out[i] = sum;                                                                              \
    }

ARITH(float, uint)
ARITH(double, ulong)

__kernel void arith_mixed(__global const float *a, __global const double *b, __global const int *c,
                          __global double *out)
{
    size_t i = GID;
    out[i] = a[i] * 3 + b[i] * c[i] - (double)a[i] / 7.0;
}
