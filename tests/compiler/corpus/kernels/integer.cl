/* The integer functions of OpenCL.std on every type, scalar and vector. */
#include "corpus.clh"

#define FUNCTIONS(T, U)                                                                            \
    __kernel void one_##T(__global const T *a, __global T *out)                                    \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[3 * i] = (T)abs(a[i]);                                                                 \
        out[3 * i + 1] = clz(a[i]);                                                                \
        out[3 * i + 2] = popcount(a[i]);                                                           \
    }                                                                                              \
    __kernel void two_##T(__global const T *a, __global const T *b, __global T *out)               \
    {                                                                                              \
        size_t i = GID;                                                                            \
        __global T *o = out + 9 * i;                                                               \
        o[0] = (T)abs_diff(a[i], b[i]);                                                            \
        o[1] = add_sat(a[i], b[i]);                                                                \
        o[2] = sub_sat(a[i], b[i]);                                                                \
        o[3] = hadd(a[i], b[i]);                                                                   \
        o[4] = rhadd(a[i], b[i]);                                                                  \
        o[5] = mul_hi(a[i], b[i]);                                                                 \
        o[6] = max(a[i], b[i]);                                                                    \
        o[7] = min(a[i], b[i]);                                                                    \
        o[8] = rotate(a[i], b[i]);                                                                 \
    }                                                                                              \
    __kernel void three_##T(__global const T *a, __global const T *b, __global const T *c,         \
                            __global T *out)                                                       \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[3 * i] = clamp(a[i], min(b[i], c[i]), max(b[i], c[i]));                                \
        out[3 * i + 1] = mad_hi(a[i], b[i], c[i]);                                                 \
        out[3 * i + 2] = mad_sat(a[i], b[i], c[i]);                                                \
    }

FUNCTIONS(char, uchar)
FUNCTIONS(uchar, uchar)
FUNCTIONS(short, ushort)
FUNCTIONS(ushort, ushort)
FUNCTIONS(int, uint)
FUNCTIONS(uint, uint)
FUNCTIONS(long, ulong)
FUNCTIONS(ulong, ulong)

__kernel void upsample_all(__global const uint *a, __global const uint *b, __global ulong *out)
{
    size_t i = GID;
    out[4 * i] = upsample((uchar)a[i], (uchar)b[i]);
    out[4 * i + 1] = upsample((ushort)a[i], (ushort)b[i]);
    out[4 * i + 2] = upsample(a[i], b[i]);
    out[4 * i + 3] = (ulong)upsample((int)a[i], b[i]);
}

__kernel void fast24(__global const int *a, __global const int *b, __global int *out)
{
    size_t i = GID;
    int x = (a[i] << 8) >> 8, y = (b[i] << 20) >> 20; /* 24-bit values, product in range */
    out[2 * i] = mul24(x >> 12, y);
    out[2 * i + 1] = mad24(x >> 12, y, a[i]);
}

__kernel void vectors_int4(__global const int4 *a, __global const int4 *b, __global int4 *out)
{
    size_t i = GID;
    out[5 * i] = add_sat(a[i], b[i]);
    out[5 * i + 1] = mul_hi(a[i], b[i]);
    out[5 * i + 2] = clamp(a[i], -100, 100);
    out[5 * i + 3] = rotate(a[i], b[i]);
    out[5 * i + 4] = as_int4(abs_diff(a[i], b[i])) + popcount(a[i]);
}

__kernel void vectors_uchar16(__global const uchar16 *a, __global const uchar16 *b,
                              __global uchar16 *out)
{
    size_t i = GID;
    out[3 * i] = sub_sat(a[i], b[i]);
    out[3 * i + 1] = rhadd(a[i], b[i]);
    out[3 * i + 2] = max(a[i], (uchar)7) - clz(b[i]);
}

__kernel void vectors_long3(__global const long *a, __global const long *b, __global long *out)
{
    size_t i = GID;
    long3 x = vload3(i, a), y = vload3(i, b);
    vstore3(mad_sat(x, y, x) ^ hadd(x, y) ^ mul_hi(x, y), i, out);
}

__kernel void trailing_zeros(__global const uint *a, __global const ulong *b, __global ulong *out)
{
    size_t i = GID;
    out[2 * i] = ctz(a[i]);
    out[2 * i + 1] = ctz(b[i]);
}
