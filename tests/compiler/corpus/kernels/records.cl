/* Vectors of items that do not lie in a row: at places of a permutation, and some apart, read and
 * written by all items and by some. */
#include "corpus.clh"

#define RECORDS(type)                                                                              \
    __kernel void record_##type(__global const uint *places, __global const type *in,              \
                                __global type *out)                                                \
    {                                                                                              \
        uint place = places[GID];                                                                  \
        out[place] = in[place ^ 1] + in[place];                                                    \
        out[2 * get_global_size(0) - 1 - GID] = in[GID];                                           \
    }                                                                                              \
    __kernel void record_some_##type(__global const uint *places, __global const type *in,         \
                                     __global type *out)                                           \
    {                                                                                              \
        uint place = places[GID];                                                                  \
        if (place % 3 == 1) {                                                                      \
            out[place] = in[place] - in[GID];                                                      \
        } else if (place % 3 == 2) {                                                               \
            out[place] += in[3 * GID];                                                             \
            out[3 * GID + 1 + get_global_size(0)] = in[2 * GID];                                   \
        }                                                                                          \
    }

RECORDS(uint2)
RECORDS(float2)
RECORDS(uint4)
RECORDS(float4)
RECORDS(ulong2)
RECORDS(uchar16)
RECORDS(short8)
RECORDS(int8)
RECORDS(double4)
RECORDS(uint16)

/* Three components in the room of four. */
__kernel void record_float3(__global const uint *places, __global const float3 *in,
                            __global float *out)
{
    uint place = places[GID];
    float3 value = in[place] * 2.0f;
    if (place & 1) {
        value += in[GID];
    }
    out[place] = value.x + value.y * 3.0f - value.z;
}

struct pixel {
    uchar red, green, blue;
};

/* Bytes and halves of them 2 to 4 apart; rows end where their last item does. */
__kernel void record_pixels(__global const struct pixel *in, __global const ushort *pairs,
                            __global const uchar *fours, __global uchar *out)
{
    struct pixel p = in[GID];
    out[GID] = (uchar)((77 * p.red + 150 * p.green + 29 * p.blue) >> 8);
    out[GID + get_global_size(0)] = (uchar)(fours[4 * GID + 3] - fours[2 * GID]);
    if (p.red & 1) {
        out[GID] ^= (uchar)(pairs[2 * GID + 1] + pairs[3 * GID]);
    }
}

/* Elements of a record one by one, in any order, some of them by one item in three. */
__kernel void record_elements(__global const uint *places, __global const uint *in,
                              __global uint *out)
{
    uint first = 8 * places[GID];
    uint a = in[first + 3], b = in[first], c = in[first + 2], d = in[first + 1];
    uint e = in[first + 4], f = in[first + 6];
    if (places[GID] % 3 == 1) {
        d ^= in[first + 5] * in[first + 7];
    }
    out[first + 1] = a + 2 * b;
    out[first] = b ^ c;
    out[first + 3] = d;
    out[first + 2] = e - f;
}

/* The output is a part of the input: each store may change what the next load reads. */
__kernel void record_in_place(__global const uint *places, __global ulong *memory)
{
    __global ulong *record = memory + 6 * (ulong)places[GID];
    record[1] = record[0] * 3;
    record[0] = record[1] + record[2];
    record[3] = record[2] ^ record[0];
    record[2] = record[4] + record[5];
    record[4] = record[3];
    record[5] = record[4] - record[1];
}

/* Two stores of one element, and one of a vector that covers other ones. */
__kernel void record_rewritten(__global const uint *places, __global uint *out)
{
    __global uint *record = out + 8 * (ulong)places[GID];
    record[0] = 1;
    record[1] = places[GID];
    vstore2((uint2)(4, 5 * places[GID]), 0, record);
    record[1] = 7;
    record[2] = 2;
    record[3] = places[GID] ^ 1;
    record[2] = 3;
}

/* Loops along a record, forwards and backwards. */
__kernel void record_walked(__global const uint *places, __global const uint *in,
                            __global ulong *out)
{
    __global const uint *record = in + 16 * (ulong)places[GID];
    uint hash = places[GID], even = 0;
    for (int i = 0; i < 16; i++) {
        hash = (hash ^ record[i]) * 0x01000193u;
        if (hash % 5 == 0) {
            break;
        }
    }
    for (int i = 11; i >= 0; i--) {
        even += record[i] & 1 ? 0 : hash + i;
    }
    out[places[GID]] = (ulong)even << 32 | hash;
}

/* Stores that fill the distance between items, in any order, and some that leave gaps. */
__kernel void record_filled(__global const uint *in, __global uchar *threes, __global uchar *fours,
                            __global ushort *pairs, __global float *points, __global ulong *gaps)
{
    size_t i = GID;
    uint value = in[i];
    threes[3 * i + 1] = (uchar)(value >> 8);
    threes[3 * i] = (uchar)value;
    threes[3 * i + 2] = (uchar)(value >> 16);
    fours[4 * i] = (uchar)(value >> 24);
    fours[4 * i + 1] = (uchar)(3 * value);
    fours[4 * i + 2] = 7;
    fours[4 * i + 3] = (uchar)(5 * value);
    pairs[2 * i] = (ushort)value;
    pairs[2 * i + 1] = (ushort)(value >> 16);
    gaps[3 * i] = value;
    gaps[3 * i + 2] = 3 * (ulong)value;
    if (value % 3 != 0) {
        points[3 * i] = (float)(value & 255);
        points[3 * i + 2] = 2.0f;
        points[3 * i + 1] = -1.0f;
        threes[3 * i] = 1;
        threes[3 * i + 1] = 2;
        threes[3 * i + 2] = (uchar)(value ^ 85);
    }
}
