/* Dot products of small integers that are written out (transform/expand/dot_products.c). */
#include "corpus.clh"

#define FOUR(x, y) ((x).s0 * (y).s0 + (x).s1 * (y).s1 + (x).s2 * (y).s2 + (x).s3 * (y).s3)

/* Bytes with and without signs, by item, by one item for all, and in a loop. */
#define BYTES(name, first, second)                                                                 \
    __kernel void dots_##name(__global const first##4 * a, __global const second##4 * b,           \
                              __global int *out, uint n)                                           \
    {                                                                                              \
        first##4 x = a[GID], one = a[n];                                                           \
        second##4 y = b[GID];                                                                      \
        int sum = FOUR(one, y) - 3 * FOUR(x, b[n]);                                                \
        for (uint i = 0; i < n; i++) {                                                             \
            sum += FOUR(x, y);                                                                     \
            x = b[(GID + i) % get_global_size(0)].s1 & 1 ? x.yzwx : x + (first##4)(1);             \
        }                                                                                          \
        out[GID] = sum;                                                                            \
    }

BYTES(signed, char, char)
BYTES(unsigned, uchar, uchar)
BYTES(mixed, uchar, char)

/* Constants of all signs, also one that does not fit, and squares. */
__kernel void dots_constants(__global const uchar4 *a, __global const char4 *b, __global int4 *out)
{
    uchar4 x = a[GID], next = x + (uchar4)(7);
    char4 y = b[GID] * (char4)(3);
    int grey = (77 * x.x + 150 * x.y + 29 * x.z) >> 8;
    int sums = next.x + next.y + next.z + next.w + FOUR(y, y);
    int signs =
        -128 * y.x + 127 * y.y + 100 * y.w + y.z - 255 * next.x - next.y + next.z + 3 * next.w;
    int wide = 256 * x.x + x.y + x.z + x.w + 200 * y.x + 255 * y.y + y.z + 9 * y.w;
    out[GID] = (int4)(grey, sums, signs, wide);
}

/* Three components, twice the same, and some of another vector. */
__kernel void dots_parts(__global const char4 *a, __global const char4 *b, __global int4 *out)
{
    char4 x = a[GID] ^ (char4)(5), y = b[GID] + (char4)(1);
    int three = x.x * y.x + x.y * y.y + x.w * y.w;
    int twice = FOUR(x, y) + x.x * y.x + x.z * y.z;
    int crossed = x.x * y.y + x.y * y.x + x.z * y.w + x.w * y.z;
    int turned = FOUR(x.wzyx, y);
    out[GID] = (int4)(three, twice, crossed, turned);
}

/* Pairs of 16 bits, whose sum may wrap around. */
__kernel void dots_shorts(__global const short2 *a, __global const short4 *b,
                          __global const ushort2 *c, __global int4 *out)
{
    short2 x = a[GID];
    short4 y = b[GID], z = y.wzyx;
    ushort2 w = c[GID];
    out[GID] = (int4)(x.x * y.x + x.y * y.y, FOUR(y, z), (int)((uint)w.x * w.x + (uint)w.y * w.y),
                      x.x * 31000 - x.y + x.x * x.x + x.y * x.y);
}

/* Vectors that are widened, multiplied and added as a whole. They have no signs: clang 22 widens
 * char16 without signs, too. */
__kernel void dots_vectors(__global const uchar16 *a, __global const uchar16 *b,
                           __global const uchar8 *c, __global int *out)
{
    uchar16 x = a[GID];
    int16 p = convert_int16(x) * convert_int16(b[GID]) + convert_int16(x) * convert_int16(b[3]);
    int8 q = p.lo + p.hi + convert_int8(c[GID]);
    int4 r = q.even + q.odd;
    out[GID] = r.x + r.y + r.z + r.w + (int)GID;
}

/* Tiles in local memory, with barriers. */
__kernel void dots_tiles(__global const char4 *a, __global const char4 *b, __global int *out)
{
    __local char4 rows[64], columns[64];
    uint lid = get_local_id(0), size = get_local_size(0);
    int sum = 0;
    for (uint i = 0; i < 3; i++) {
        rows[lid] = a[GID] + (char4)(i);
        columns[lid] = b[GID];
        barrier(CLK_LOCAL_MEM_FENCE);
        char4 kept = columns[size - 1 - lid];
        for (uint k = 0; k < size; k++) {
            char4 x = rows[k], y = columns[lid];
            sum += FOUR(x, y) + FOUR(x, kept);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += FOUR(kept, rows[lid]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[GID] = sum;
}
