/* The relational functions, scalar and vector. */
#include "corpus.clh"
#include "masked.h"

#define RELATIONAL(T, I)                                                                           \
    __kernel void compare_##T(__global const T *a, __global const T *b, __global int *out)         \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T x = a[i], y = b[i];                                                                      \
        out[i] = isequal(x, y) | isnotequal(x, y) << 1 | isgreater(x, y) << 2 |                    \
                 isgreaterequal(x, y) << 3 | isless(x, y) << 4 | islessequal(x, y) << 5 |          \
                 islessgreater(x, y) << 6 | isordered(x, y) << 7 | isunordered(x, y) << 8;         \
    }                                                                                              \
    __kernel void classify_##T(__global const T *a, __global int *out)                             \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[i] = isfinite(a[i]) | isinf(a[i]) << 1 | isnan(a[i]) << 2 | isnormal(a[i]) << 3 |      \
                 (signbit(a[i]) != 0) << 4;                                                        \
    }                                                                                              \
    __kernel void compare_##T##4(__global const T##4 * a, __global const T##4 * b,                 \
                                 __global I##4 * out)                                              \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[3 * i] = isless(a[i], b[i]) ^ isnan(a[i]);                                             \
        out[3 * i + 1] = isunordered(a[i], b[i]) | isfinite(b[i]);                                 \
        out[3 * i + 2] = islessgreater(a[i], b[i]) + isinf(a[i]) + isnormal(b[i]);                 \
    }                                                                                              \
    __kernel void select_##T(__global const T *a, __global const T *b, __global const I *c,        \
                             __global T *out)                                                      \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[2 * i] = select(a[i], b[i], c[i]);                                                     \
        out[2 * i + 1] = bitselect(a[i], b[i], as_##T(c[i]));                                      \
    }

RELATIONAL(float, int)
RELATIONAL(double, long)

__kernel void select_vectors(__global const int4 *a, __global const int4 *b, __global const int4 *c,
                             __global int4 *out)
{
    size_t i = GID;
    out[2 * i] = select(a[i], b[i], c[i]);
    out[2 * i + 1] = bitselect(a[i], b[i], c[i]);
}

__kernel void select_bytes(__global const uchar *a, __global const uchar *b, __global const char *c,
                           __global uchar *out)
{
    size_t i = GID;
    out[2 * i] = select(a[i], b[i], c[i]);
    out[2 * i + 1] = bitselect(a[i], b[i], as_uchar(c[i]));
}

__kernel void any_all(__global const float4 *a, __global const float4 *b, __global int *out)
{
    size_t i = GID;
    out[i] = any(isless(a[i], b[i])) | all(isless(a[i], b[i])) << 1 | any(isnan(a[i])) << 2 |
             all(isfinite(b[i])) << 3;
}

__kernel void any_all_scalar(__global const int *a, __global const char *b, __global int *out)
{
    size_t i = GID;
    out[i] = any(a[i]) | all(b[i]) << 1;
}

#define MASKED(T, ...)                                                                             \
    __kernel void masked_##T(__global const T *a, __global const T *b, __global const T *c,        \
                             __global T *out)                                                      \
    {                                                                                              \
        size_t i = GID, stride = get_global_size(0);                                               \
        T x = a[i], y = b[i];                                                                      \
        bool on = c[i] > 0;                                                                        \
        __VA_ARGS__                                                                                \
    }

MASKED(int, MERGED_BITS)
MASKED(long, MERGED_BITS)
MASKED(float, MERGED_SIGNS)
MASKED(double, MERGED_SIGNS)
