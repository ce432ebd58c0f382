/* Vectors of 2 to 16 components: arithmetic, loads and stores, swizzles, dynamic components,
 * comparisons. */
#include "corpus.clh"

/* Element-wise arithmetic through vloadn and vstoren, which need no alignment beyond the element's.
 */
#define ARITH(T, N)                                                                                \
    __kernel void arith_##T##N(__global const T *a, __global const T *b, __global T *out)          \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T##N x = vload##N(i, a), y = vload##N(i, b);                                               \
        vstore##N((x + y) * x - y, i, out);                                                        \
    }

ARITH(float, 2)
ARITH(float, 3)
ARITH(float, 4)
ARITH(float, 8)
ARITH(float, 16)
ARITH(double, 2)
ARITH(double, 4)
ARITH(double, 16)
ARITH(int, 3)
ARITH(int, 8)
ARITH(uchar, 4)
ARITH(uchar, 16)
ARITH(short, 2)
ARITH(long, 3)
ARITH(ulong, 8)

/* Whole vectors in memory, with their alignment. */
#define WHOLE(T, N)                                                                                \
    __kernel void whole_##T##N(__global const T##N *a, __global T##N *out)                         \
    {                                                                                              \
        size_t i = GID;                                                                            \
        out[i] = a[i] * a[i] + (T##N)(3);                                                          \
    }

WHOLE(float, 2)
WHOLE(float, 4)
WHOLE(float, 8)
WHOLE(float, 16)
WHOLE(uchar, 16)
WHOLE(int, 4)
WHOLE(ulong, 2)
WHOLE(double, 8)
WHOLE(short, 8)

/* Three components take the room of four; the fourth is nobody's. */
__kernel void whole3(__global const float3 *a, __global float *out, __global uchar *bytes)
{
    size_t i = GID;
    float3 mine[2];
    uchar3 small[2];
    mine[i & 1] = a[i] * 2.0f;
    mine[~i & 1] = (float3)(1.0f, 2.0f, 3.0f);
    small[i & 1] = (uchar3)(1, 2, (uchar)i);
    small[~i & 1] = (uchar3)(9);
    vstore3(mine[0] + mine[1].zxy, i, out);
    vstore3(small[1], i, bytes);
}

__kernel void swizzle4(__global const float4 *a, __global float4 *out)
{
    size_t i = GID;
    float4 v = a[i];
    out[4 * i] = v.wzyx;
    out[4 * i + 1] = v.xxzz;
    out[4 * i + 2] = (float4)(v.lo, v.even);
    out[4 * i + 3] = (float4)(v.hi.y, v.odd, v.s0);
}

__kernel void swizzle_write(__global const float4 *a, __global float4 *out)
{
    size_t i = GID;
    float4 v = a[i], w = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    w.yw = v.xz;
    w.x += v.w;
    out[2 * i] = w;
    w.lo = w.hi;
    w.s3 = -w.s3;
    out[2 * i + 1] = w;
}

__kernel void swizzle16(__global const int16 *a, __global int16 *out)
{
    size_t i = GID;
    int16 v = a[i];
    out[2 * i] = v.sfedcba9876543210;
    out[2 * i + 1] = (int16)(v.odd, v.even.hi, v.lo.s01, v.s0f);
}

__kernel void build3(__global const float *a, __global float *out)
{
    size_t i = GID;
    float3 v = (float3)(a[i], a[i] * 2.0f, 1.0f);
    v = v.zxy + v;
    vstore3(v, i, out);
}

__kernel void component_dynamic(__global const int4 *a, __global const uint *at, __global int *out)
{
    size_t i = GID;
    union {
        int4 v;
        int e[4];
    } u;
    u.v = a[i];
    out[2 * i] = u.e[at[i] & 3];
    u.e[(at[i] >> 2) & 3] = (int)i;
    out[2 * i + 1] = u.v.x + 3 * u.v.y + 5 * u.v.z + 7 * u.v.w;
}

__kernel void compare4(__global const float4 *a, __global const float4 *b, __global int4 *out)
{
    size_t i = GID;
    out[4 * i] = a[i] < b[i];
    out[4 * i + 1] = a[i] == b[i];
    out[4 * i + 2] = a[i] != b[i];
    out[4 * i + 3] = (a[i] >= b[i]) && (a[i] > (float4)(0.0f));
}

__kernel void compare_uchar8(__global const uchar8 *a, __global const uchar8 *b,
                             __global char8 *out)
{
    size_t i = GID;
    out[i] = (a[i] < b[i]) | ~(a[i] == b[i]);
}

__kernel void ternary4(__global const int4 *a, __global const float4 *b, __global float4 *out)
{
    size_t i = GID;
    out[i] = a[i] > (int4)(0) ? b[i] : -b[i];
}

__kernel void ternary_scalar(__global const int *a, __global const float4 *b, __global float4 *out)
{
    size_t i = GID;
    out[i] = a[i] > 0 ? b[i] : (float4)(1.0f);
}

__kernel void any_all(__global const int4 *a, __global int *out)
{
    size_t i = GID;
    out[i] =
        any(a[i] < (int4)(0)) + 2 * all(a[i] < (int4)(0)) + 4 * any(a[i].xy) + 8 * all(a[i].zw);
}

__kernel void vector_int_ops(__global const uint4 *a, __global const uint4 *b, __global uint4 *out)
{
    size_t i = GID;
    uint4 divisor = b[i] | (uint4)(1);
    out[4 * i] = a[i] / divisor;
    out[4 * i + 1] = a[i] % divisor;
    out[4 * i + 2] = a[i] << (b[i] & (uint4)(31));
    out[4 * i + 3] = ~(a[i] ^ b[i]) >> (uint4)(3);
}

__kernel void vector_div_dead_lanes(__global const int4 *a, __global const int4 *b,
                                    __global int4 *out)
{
    size_t i = GID;
    int4 result = (int4)(-5);
    if (all(b[i] > (int4)(0))) {
        result = a[i] / b[i] + a[i] % b[i];
    }
    out[i] = result;
}

__kernel void shuffle_const(__global const float4 *a, __global const float4 *b,
                            __global float8 *out)
{
    size_t i = GID;
    out[i] = shuffle2(a[i], b[i], (uint8)(7, 0, 6, 1, 5, 2, 4, 3));
}

__kernel void shuffle_dynamic(__global const float4 *a, __global const uint4 *at,
                              __global float4 *out)
{
    size_t i = GID;
    out[i] = shuffle(a[i], at[i] & (uint4)(3));
}

__kernel void vload_offsets(__global const uchar *a, __global uchar *out, uint shift)
{
    size_t i = GID;
    uchar4 v = vload4(i, a + shift);
    vstore4(v.wzyx, i, out);
    uchar3 w = vload3(i, a);
    out[4 * i] ^= w.y;
}

__kernel void vector_in_loop(__global const float4 *a, __global float4 *out, uint count)
{
    size_t i = GID;
    float4 sum = (float4)(0.0f);
    for (uint k = 0; k < count; k++) {
        sum = sum.yzwx + a[(i + k) % get_global_size(0)];
    }
    out[i] = sum;
}

__kernel void vector_phi(__global const int *a, __global int4 *out)
{
    size_t i = GID;
    int4 v = (int4)(a[i]);
    while (any(v > (int4)(10))) {
        v = v / (int4)(2, 3, 4, 5);
    }
    if (a[i] & 1) {
        v = v.wzyx;
    }
    out[i] = v;
}

__kernel void vector_args(float4 scale, int3 add, uchar16 bytes, __global float4 *out)
{
    size_t i = GID;
    float4 v = scale * (float)(i + 1);
    v.x += add.x;
    v.y += add.y + add.z;
    v.w += bytes.s7 + bytes.sf;
    out[i] = v;
}

__kernel void vector_long_bool(__global const long4 *a, __global long4 *out)
{
    size_t i = GID;
    long4 positive = a[i] > (long4)(0);
    out[i] = (positive & a[i]) | (~positive & (long4)(-1)) ^ !a[i];
}
