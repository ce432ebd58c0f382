/* Planes that are read or written along the other axis: what lies apart in one row of items lies
 * side by side in several. */
#include "corpus.clh"

#define TURNED(type)                                                                               \
    __kernel void turned_##type(__global const type *in, __global type *out)                       \
    {                                                                                              \
        size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0),             \
               height = get_global_size(1);                                                        \
        out[x * height + y] = in[y * width + x];                                                   \
    }

TURNED(uchar)
TURNED(ushort)
TURNED(uint)
TURNED(ulong)
TURNED(float)
TURNED(double)

/* Columns are read, in two places; indexes of 32 bits. */
__kernel void turned_columns(__global const int *in, __global int *out)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1), width = (int)get_global_size(0),
        height = (int)get_global_size(1), i = y * width + x;
    out[i] = in[x * height + y] - 3 * in[(width - 1 - x) * height + y];
}

/* Sizes of both kinds, and a row beside. */
__kernel void turned_mixed(__global const uchar *bytes, __global const double *in,
                           __global double *out, __global ushort *other)
{
    size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0),
           height = get_global_size(1), i = y * width + x, turned = x * height + y;
    out[turned] = in[i] + (double)bytes[turned];
    other[turned] = (ushort)(bytes[i] * 3 + (uint)x);
}

/* Every other place, backwards, all at one distance of a known size, and by twos. */
__kernel void turned_apart(__global const uint *in, __global uint *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0),
           height = get_global_size(1), i = y * width + x;
    uint value = in[i];
    out[2 * (x * height + y)] = value;
    out[2 * (x * height + (height - 1 - y)) + 1] = value ^ (uint)i;
}

__kernel void turned_uneven(__global const uint *in, __global uint *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0),
           height = get_global_size(1);
    out[x * height + (y ^ 1)] = in[y * width + x];
}

/* Some items write, some read: what is between them stays. */
__kernel void turned_masked(__global const int *in, __global int *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0),
           height = get_global_size(1), turned = x * height + y;
    int value = in[y * width + x];
    if (value & 1) {
        out[turned] = value;
    } else if (value & 2) {
        out[turned] += in[turned];
    }
}

/* Columns that take part or do not, in all rows alike. */
__kernel void turned_left(__global const int *in, __global int *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0),
           height = get_global_size(1);
    if (x % 3 != 1) {
        out[x * height + y] = in[y * width + x];
    }
}

/* Rows that are left at once by all items, and by some. */
__kernel void turned_below(__global const int *in, __global int *out, uint rows, uint columns)
{
    uint x = (uint)get_global_id(0), y = (uint)get_global_id(1), width = (uint)get_global_size(0),
         height = (uint)get_global_size(1);
    if (y >= rows) {
        return;
    }
    out[x * height + y] = in[y * width + x];
    if (x < columns) {
        out[x * height + y] += 5;
    }
}

/* Through local memory, the pitch of which is one more than its rows are long. */
__kernel void turned_local(__global const float *in, __global float *out)
{
    __local float tile[32][33];
    size_t x = get_local_id(0), y = get_local_id(1), width = get_global_size(0),
           height = get_global_size(1), left = get_group_id(0) * get_local_size(0),
           top = get_group_id(1) * get_local_size(1);
    tile[x][y] = in[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + x) * height + top + y] = tile[x][y] + tile[(x + 1) % get_local_size(0)][y];
}
