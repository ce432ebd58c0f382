/* Loads from small tables of bytes, at indexes whose range is known
 * (lower/memory/table_load.c). */
#include "corpus.clh"

__constant uchar table_steps[16] = {0, 1, 3, 7, 12, 18, 25, 33, 42, 52, 63, 75, 88, 102, 117, 133};
__constant char table_signs[40] = {-1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6, -7, 7, -8, 8};

__kernel void table_arguments(__global const uchar *in, __global const uchar *small,
                              __constant uchar *large, __global uint *out)
{
    size_t i = get_global_id(0);
    uint x = in[i];
    uint sum = small[x & 63] + 3 * small[x >> 3] + 5 * small[(x & 3) << 4 | x >> 6];
    if (x & 1) {
        sum += 7 * large[x] + 11 * large[255 - x];
    }
    out[i] = sum;
}

__kernel void table_constants(__global const uchar *in, __global int *out)
{
    size_t i = get_global_id(0);
    uchar x = in[i];
    int sum = table_steps[x & 15] - 3 * table_steps[x >> 4];
    for (uint k = 0; k < (x & 3u); k++) {
        sum = sum * 5 + table_signs[x % 40] + table_steps[(x >> k) & 15];
    }
    out[i] = sum;
}

__kernel void table_of_vectors(__global const uchar4 *in, __global const uchar *small,
                               __global uchar4 *out)
{
    size_t i = get_global_id(0);
    uchar4 x = in[i];
    out[i] = (uchar4)(small[x.x & 63], small[x.y >> 2], small[(x.z ^ x.w) & 63], small[x.w & 31]);
}
