/* Loads at indexes of which bits are cleared, flipped or shifted out. Lanes are at known distances
 * if the index of the first one is a multiple of W. */
#include "corpus.clh"

__kernel void aligned_pairs(__global const uchar *in, __global uint *out)
{
    size_t at = GID & ~(size_t)1;
    out[GID] = in[at] + 256u * in[at + 1];
}

__kernel void aligned_halves(__global const uchar *in, __global uint *out)
{
    out[GID] = in[GID >> 1] ^ 256u * in[(GID >> 1) + 1];
}

__kernel void aligned_halves_signed(__global const ushort *in, __global uint *out)
{
    int x = (int)GID;
    out[GID] = in[x / 2] + 65536u * in[x / 4 * 2 + x % 2];
}

/* The first lanes are below zero, where divisions round up. */
__kernel void aligned_below_zero(__global const uint *in, __global uint *out)
{
    int x = (int)GID - 32;
    out[GID] = in[x / 2 + 32] ^ in[(x >> 1) + 32] << 1 ^ in[x % 4 + 35] << 2;
}

__kernel void aligned_flipped(__global const uint *in, __global uint *out)
{
    out[GID] = in[GID ^ 1] ^ in[GID ^ 3] << 1 ^ in[GID | 1] << 2;
}

__kernel void aligned_twos(__global const ushort *in, __global uint *out)
{
    out[GID] = in[2 * GID & ~(size_t)3] + 65536u * in[2 * GID >> 2];
}

/* All lanes load one element, or in each lane two indexes are divided. */
__kernel void aligned_far(__global const uint *in, __global uint *out)
{
    size_t other = GID + 7;
    out[GID] = in[GID >> 6] ^ in[(GID & ~(size_t)1) - (other >> 3) + 1] << 1;
}

__kernel void aligned_masked(__global const uchar *in, __global uint *out)
{
    uint sum = in[GID];
    if (sum & 1) {
        sum += 256u * in[GID & ~(size_t)1];
    }
    out[GID] = sum;
}

__kernel void aligned_floats(__global const float *in, __global float *out)
{
    float4 four = ((__global const float4 *)in)[GID >> 2];
    out[GID] = in[GID & ~(size_t)3] + four.y * 2.0f - in[GID >> 2];
}

/* Pixels of a picture with half as many rows and columns of colours. */
__kernel void aligned_colours(__global const uchar *in, __global uint *out)
{
    int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
    __global const uchar *colours = in + y / 2 * width + (x & ~1);
    out[y * width + x] = in[y * width + x] + 256u * colours[0] + 65536u * colours[1];
}

/* Short vectors of bytes and of words, which are one integer per lane. */
__kernel void aligned_vectors(__global const uchar *in, __global uint *out)
{
    __global const uchar2 *pairs = (__global const uchar2 *)in;
    __global const uint2 *words = (__global const uint2 *)in;
    __global const uchar4 *fours = (__global const uchar4 *)in;
    uchar2 pair = pairs[GID >> 1];
    uint2 word = words[GID >> 3] * 3u + 1u;
    uchar4 four = fours[GID / 4 ^ 1] + (uchar4)(1, 2, 3, 4);
    out[GID] = pair.x + 256u * pair.y + (word.x ^ word.y << 1) + four.w * four.x;
}

__kernel void aligned_sums(__global const uchar4 *in, __global uchar4 *out)
{
    out[GID] = in[GID >> 1] + in[(GID ^ 1) & 63] / (uchar4)3;
}
