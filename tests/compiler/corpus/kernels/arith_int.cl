/* Integer arithmetic of every width, on edge values; division also where inactive lanes hold a zero
 * divisor. */
#include "corpus.clh"

#define LEAST(T) ((T)((T)1 << (sizeof(T) * 8 - 1)))

#define ARITH(T)                                                                                   \
    __kernel void arith_##T(__global const T *a, __global const T *b, __global T *out)             \
    {                                                                                              \
        size_t i = GID;                                                                            \
        __global T *o = out + 9 * i;                                                               \
        o[0] = a[i] + b[i];                                                                        \
        o[1] = a[i] - b[i];                                                                        \
        o[2] = a[i] * b[i];                                                                        \
        o[3] = a[i] & b[i];                                                                        \
        o[4] = a[i] | b[i];                                                                        \
        o[5] = a[i] ^ b[i];                                                                        \
        o[6] = ~a[i];                                                                              \
        o[7] = -b[i];                                                                              \
        o[8] = !a[i];                                                                              \
    }                                                                                              \
    __kernel void div_##T(__global const T *a, __global const T *b, __global T *out)               \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T divisor = b[i] == 0 || (a[i] == LEAST(T) && b[i] == (T) - 1) ? (T)1 : b[i];              \
        out[2 * i] = a[i] / divisor;                                                               \
        out[2 * i + 1] = a[i] % divisor;                                                           \
    }                                                                                              \
    __kernel void div_dead_lanes_##T(__global const T *a, __global const T *b, __global T *out)    \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T quotient = 7, rest = 9;                                                                  \
        if (b[i] != 0 && !(a[i] == LEAST(T) && b[i] == (T) - 1)) {                                 \
            quotient = a[i] / b[i];                                                                \
            rest = a[i] % b[i];                                                                    \
        }                                                                                          \
        out[2 * i] = quotient;                                                                     \
        out[2 * i + 1] = rest;                                                                     \
    }                                                                                              \
    __kernel void shift_##T(__global const T *a, __global const T *b, __global T *out)             \
    {                                                                                              \
        size_t i = GID;                                                                            \
        uint by = (uint)b[i] & (uint)(sizeof(T) * 8 - 1);                                          \
        out[3 * i] = a[i] << by;                                                                   \
        out[3 * i + 1] = a[i] >> by;                                                               \
        out[3 * i + 2] = a[i] >> 1;                                                                \
    }                                                                                              \
    __kernel void compare_##T(__global const T *a, __global const T *b, __global int *out)         \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[i] = (a[i] < b[i]) | (a[i] <= b[i]) << 1 | (a[i] == b[i]) << 2 | (a[i] != b[i]) << 3 | \
                 (a[i] > b[i]) << 4 | (a[i] >= b[i]) << 5 | (a[i] && b[i]) << 6 |                  \
                 (a[i] || b[i]) << 7;                                                              \
    }

ARITH(char)
ARITH(uchar)
ARITH(short)
ARITH(ushort)
ARITH(int)
ARITH(uint)
ARITH(long)
ARITH(ulong)
