/* Vectors of large elements that the compiler keeps together in registers where that pays
 * (analysis/dense_gain.h): rows and records, conversions, masks, loops, functions, and shuffles that
 * cost less than the accesses save. Also vectors of both sizes that live across barriers. */
#include "corpus.clh"

/* Numbers that all items share, numbers of each item, a comparison and a selection. */
#define WHOLE(type, sign, n)                                                                       \
    __kernel void dense_##type##n(__global const type##n *a, __global const type##n *b,            \
                                  __global type##n *out, type scale)                               \
    {                                                                                              \
        type##n x = a[GID], y = b[GID];                                                            \
        type##n sum = x * scale + y;                                                               \
        sign##n less = (x < y) | (sum == x);                                                       \
        out[GID] = select(sum, max(x, y) - (type)GID, less);                                       \
    }

WHOLE(float, int, 2)
WHOLE(float, int, 4)
WHOLE(float, int, 8)
WHOLE(int, int, 4)
WHOLE(uint, int, 16)
WHOLE(long, long, 2)

/* Elements of other sizes on the way. */
__kernel void dense_pixels(__global const uchar4 *a, __global const float4 *b, __global uchar4 *out,
                           float scale)
{
    float4 x = convert_float4(a[GID]) * scale + b[GID] * 64.0f;
    out[GID] = convert_uchar4_sat(x);
    out[get_global_size(0) + GID] = convert_uchar4(convert_short4_sat(x) >> (short4)(2));
}

/* Functions and divisions, which are computed for W elements at a time. */
__kernel void dense_functions(__global const float4 *a, __global const int4 *b,
                              __global float4 *out, __global int4 *quotients, int divisor)
{
    float4 x = a[GID];
    int4 y = b[GID];
    out[GID] = sqrt(fabs(x)) + fma(x, x, clamp(x, -0.5f, 0.5f));
    quotients[GID] = y / divisor + y % (int4)(3, 5, -7, 9);
}

/* Vectors at the places of other items, and of some items only. */
__kernel void dense_places(__global const float4 *a, __global const uint *places,
                           __global float4 *out)
{
    uint place = places[GID];
    float4 x = a[place] * 2.0f;
    if (place % 3) {
        x += a[GID];
        out[get_global_size(0) + place] = x;
    }
    out[GID] = x;
}

/* Pairs at places, and those of some items only. */
__kernel void dense_pairs(__global const int2 *a, __global const uint *places, __global int2 *out)
{
    uint place = places[GID];
    int2 x = a[place] + 1;
    if (place & 2) {
        x ^= a[GID] << 1;
        out[get_global_size(0) + GID] = x;
    }
    out[place] = x;
}

/* A vector that lives from turn to turn; the items leave the loop in different turns. */
__kernel void dense_sums(__global const float4 *a, __global const uint *places,
                         __global float4 *out, uint n)
{
    float4 sum = 0.0f;
    uint turns = places[GID] % n;
    for (uint i = 0; i < n; i++) {
        sum += a[(GID + i) % get_global_size(0)];
    }
    for (uint i = 0; i < turns; i++) {
        sum = sum * 0.5f + a[(GID + i) % get_global_size(0)];
    }
    out[GID] = sum;
}

/* One component for all, another order, and whether any component is large. */
__kernel void dense_orders(__global const float4 *a, __global const float4 *b, __global float4 *out)
{
    float4 x = a[GID], y = b[GID];
    float4 z = x * y.w + y * (1.0f - x.w);
    if (any(z > 0.25f)) {
        z = z.wzyx - x;
    }
    z.y = y.y;
    out[GID] = z;
}

/* Vectors at places that are aligned as their elements only, and their bits as other types. */
__kernel void dense_unaligned(__global const float *a, __global float *out)
{
    float4 x = vload4(GID, a + 1) * 3.0f;
    int4 bits = as_int4(x) ^ 0x00400000;
    vstore4(as_float4(bits), GID, out + 1);
}

/* Vectors in local memory, which another item reads. */
__kernel void dense_exchange(__global const int4 *a, __global int4 *out)
{
    __local int4 near[64];
    uint lid = (uint)get_local_id(0), last = (uint)get_local_size(0) - 1;
    near[lid] = a[GID] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[GID] = near[last - lid] + near[lid];
}

/* Vectors that live across a barrier, where each item's record keeps them. */
__kernel void dense_barrier(__global const int4 *a, __global const uchar16 *b, __global int4 *out,
                            __global uchar16 *bytes)
{
    __local uint near[64];
    uint lid = (uint)get_local_id(0), last = (uint)get_local_size(0) - 1;
    int4 x = a[GID] * 3 - (int4)(1, 2, 3, 4);
    uchar16 y = b[GID] * (uchar16)5 + (uchar16)GID;
    near[lid] = (uint)GID;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[GID] = x ^ a[near[last - lid]];
    bytes[GID] = y + b[near[last - lid]];
}

/* Vectors that live across the barriers of a loop, from turn to turn or through all turns. */
__kernel void dense_barrier_loop(__global const int4 *a, __global const uchar16 *b,
                                 __global int4 *out, __global uchar16 *bytes, uint n)
{
    __local uint near[64];
    uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    int4 x = a[GID] - 5, sum = x;
    uchar16 y = b[GID] * (uchar16)3, total = y;
    for (uint i = 0; i < n; i++) {
        near[lid] = (uint)GID;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = near[(lid + i) % size];
        sum = sum * 3 + (a[other] ^ x);
        total = total * (uchar16)7 + (b[other] ^ y);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[GID] = sum;
    bytes[GID] = total;
}

/* Dot products of rows, of halves, and of vectors at any place; some of them under a mask. */
__kernel void dense_dots(__global const float4 *a, __global const float *b, __global const half *h,
                         __global float *out)
{
    size_t other = get_global_size(0) - 1 - GID;
    float4 x = a[GID], y = vload4(GID, b), z = vload_half4(GID, h);
    out[4 * GID] = dot(x, y) + dot(x.xy, y.zw);
    out[4 * GID + 1] = dot(z, y);
    out[4 * GID + 2] = GID & 1 ? dot(vload_half4(other, h), vload4(GID, b)) : 1.0f;
    out[4 * GID + 3] = dot(vload2(GID, b), vload_half2(GID + 1, h)) + dot(a[other], z) + dot(x, x);
}
