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
