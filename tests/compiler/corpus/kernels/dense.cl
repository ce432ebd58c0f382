/* Vectors of small elements that the compiler keeps together in registers (analysis/dense.h): whole
 * operations, moves, votes and casts, through branches and loops. */
#include "corpus.clh"

/* Comparisons, selections, saturation; a scalar of each item for all components. */
#define WHOLE(type, sign, n, mask)                                                                 \
    __kernel void dense_##type##n(__global const type##n *a, __global const type##n *b,            \
                                  __global type##n *out)                                           \
    {                                                                                              \
        type##n x = a[GID], y = b[GID];                                                            \
        type each = (type)(y.s1 + (type)GID);                                                      \
        type##n most = max(x, y) - min(x, (type##n)(7));                                           \
        sign##n less = (x < y) | (x == (type##n)(each));                                           \
        type##n chosen = select(add_sat(x, y), most ^ each, less);                                 \
        out[GID] = rotate(chosen, (type##n)(3)) + (x >> (type##n)(mask)) * (y & x);                \
    }

WHOLE(uchar, char, 16, 5)
WHOLE(uchar, char, 8, 1)
WHOLE(uchar, char, 4, 2)
WHOLE(char, char, 16, 3)
WHOLE(char, char, 2, 6)
WHOLE(ushort, short, 8, 9)
WHOLE(ushort, short, 4, 14)
WHOLE(short, short, 16, 1)
WHOLE(short, short, 2, 11)

/* Divisions, whose divisor is zero where the item does not divide. */
__kernel void dense_divide(__global const ushort8 *a, __global const ushort8 *b,
                           __global ushort8 *out)
{
    ushort8 x = a[GID], y = b[GID];
    if (all(y != (ushort8)(0))) {
        x = x / y + x % y;
    }
    out[GID] = x;
}

/* Shuffles of one and of two vectors, whose results are used as a whole. */
__kernel void dense_shuffles(__global const uchar16 *a, __global const uchar16 *b,
                             __global uchar16 *out)
{
    uchar16 x = a[GID], y = b[GID];
    uchar16 shifted = (uchar16)(x.sf, y.s0123, y.s4567, y.s89ab, y.scde);
    out[GID] = (shifted ^ y) + x.sfedcba9876543210;
}

/* Moves inside a vector: shuffles of one and two vectors, halves, one component, all components. */
__kernel void dense_moves(__global const uchar16 *a, __global const uchar16 *b,
                          __global uchar16 *out)
{
    uchar16 x = a[GID], y = b[GID];
    uchar16 shifted = (uchar16)(x.sf, y.s012, y.s3456, y.s789a, y.sbcde);
    uchar16 turned = x.sfedcba9876543210 ^ shifted;
    uchar16 halves = (uchar16)(y.hi, x.lo) + (uchar16)(x.even, y.odd);
    turned.s5 = y.s2 + x.s9;
    turned.sb = (uchar)GID;
    out[4 * GID] = turned;
    out[4 * GID + 1] = halves - (uchar16)(x.s7);
    out[4 * GID + 2] = (uchar16)(x.s0123, x.s0123, turned.s4567, (uchar4)(9));
    out[4 * GID + 3] = turned.s00112233deadbeef;
}

/* Whether any or all components, in vectors of all lengths. */
#define VOTES(n)                                                                                   \
    __kernel void dense_votes##n(__global const uchar##n *in, __global uint *out)                  \
    {                                                                                              \
        uchar##n x = in[GID];                                                                      \
        out[GID] = any(x > (uchar##n)(250)) | all(x > (uchar##n)(60)) << 1 |                       \
                   any((x & (uchar##n)(24)) == (uchar##n)(0)) << 2 |                               \
                   all((x ^ (uchar##n)(1)) != (uchar##n)(5)) << 3;                                 \
    }

VOTES(2)
VOTES(4)
VOTES(8)
VOTES(16)

/* The bits as other types. */
__kernel void dense_casts(__global const uchar16 *a, __global const ushort8 *b, __global ulong *out)
{
    uchar16 x = a[GID] + (uchar16)(1);
    ushort8 y = b[GID] - as_ushort8(x);
    uchar16 z = as_uchar16(y * y) ^ x;
    ulong2 longs = as_ulong2(z);
    uint4 words = as_uint4(x >> (uchar16)(1));
    out[4 * GID] = longs.x + longs.y;
    out[4 * GID + 1] = words.x ^ words.w;
    out[4 * GID + 2] = as_ulong(z.s01234567 - x.s89abcdef);
    out[4 * GID + 3] = as_uint(z.s0246) * (ulong)as_ushort(x.s13);
}

/* Both sides of a divergent branch, and one that only some items take. */
__kernel void dense_branches(__global const uchar16 *a, __global const uint *places,
                             __global uchar16 *out)
{
    uchar16 x = a[GID], y;
    uint place = places[GID];
    if (place & 1) {
        y = a[place] + x;
    } else {
        y = a[get_global_size(0) - 1 - GID] - x;
    }
    if (place % 3 == 2) {
        y = max(y, a[place]);
        if (any(y > (uchar16)(200))) {
            y ^= x;
        }
        out[get_global_size(0) + place] = y;
    }
    out[GID] = x == y ? (uchar16)(place) : y;
}

/* A vector that lives from turn to turn; the items leave the loop in different turns. */
__kernel void dense_loop(__global const uchar4 *a, __global const uint *places,
                         __global uchar4 *out, uint n)
{
    uchar4 sum = (uchar4)(0), most = (uchar4)(1, 2, 3, 4);
    uint turns = places[GID] % n;
    for (uint i = 0; i < turns; i++) {
        uchar4 x = a[(GID + i) % get_global_size(0)];
        sum -= as_uchar4(x > most);
        most = most.yzwx + (x & (uchar4)(15));
    }
    out[2 * GID] = sum;
    out[2 * GID + 1] = most;
}

/* Vectors at places that are not aligned, one at a time and side by side. */
__kernel void dense_packed(__global const uchar *a, __global uchar *out)
{
    uchar16 most = (uchar16)(0);
    for (uint i = 0; i < 5; i++) {
        most = max(most, vload16(GID, a + i));
    }
    vstore16(most, GID, out);
    vstore8(vload8(2 * GID, a + 3) + most.odd, GID, out + 16 * get_global_size(0));
}

/* The same vector in all items. */
__kernel void dense_uniform(__global const ushort4 *a, ushort4 given, __global ushort4 *out)
{
    ushort4 first = a[0], x = a[GID];
    out[GID] = x * given + first.wzyx - (first ^ given);
}
