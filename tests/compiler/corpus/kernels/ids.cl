/* Work-item functions in one to three dimensions, with and without offsets. */
#include "corpus.clh"

size_t slot(void)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

__kernel void ids(__global uint *out)
{
    __global uint *o = out + 9 * slot();
    for (uint d = 0; d < 3; d++) {
        o[d] = (uint)get_global_id(d);
        o[3 + d] = (uint)get_local_id(d);
        o[6 + d] = (uint)get_group_id(d);
    }
}

__kernel void sizes(__global uint *out)
{
    __global uint *o = out + 12 * slot();
    for (uint d = 0; d < 3; d++) {
        o[d] = (uint)get_global_size(d);
        o[3 + d] = (uint)get_local_size(d);
        o[6 + d] = (uint)get_num_groups(d);
        o[9 + d] = (uint)get_global_offset(d);
    }
}

__kernel void out_of_range(__global ulong *out, uint dimension)
{
    /* A dimension that there is not: the specified constants. */
    __global ulong *o = out + 7 * slot();
    o[0] = get_global_id(dimension);
    o[1] = get_local_id(dimension);
    o[2] = get_group_id(dimension);
    o[3] = get_global_size(dimension);
    o[4] = get_local_size(dimension);
    o[5] = get_num_groups(dimension);
    o[6] = get_global_offset(dimension);
}

__kernel void dynamic_dimension(__global const uint *in, __global uint *out)
{
    size_t s = slot();
    uint d = in[s] % 3;
    out[s] = (uint)(get_global_id(d) * 100 + get_local_id(d) * 10 + get_group_id((d + 1) % 3));
}

__kernel void linear(__global uint *out)
{
    out[2 * slot()] = (uint)get_global_linear_id();
    out[2 * slot() + 1] = (uint)get_local_linear_id();
}

__kernel void id_arithmetic(__global const int *in, __global int *out)
{
    size_t w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    size_t left = (z * h + y) * w + (x + w - 1) % w, below = (z * h + (y + 1) % h) * w + x;
    size_t behind = (((z + d - 1) % d) * h + y) * w + x;
    out[(z * h + y) * w + x] = in[left] + 2 * in[below] + 3 * in[behind];
}

__kernel void id_int(__global const int *in, __global int *out)
{
    int i = (int)slot(), n = (int)(get_global_size(0) * get_global_size(1) * get_global_size(2));
    int j = n - 1 - i;
    short s = (short)i;
    out[i] = in[j] + in[i] * s + in[(i * 3) % n];
}

__kernel void id_reversed(__global const int *in, __global int *out)
{
    size_t n = get_global_size(0) * get_global_size(1) * get_global_size(2);
    out[n - 1 - slot()] = in[slot()] ^ (int)get_local_id(0);
}

/* Local ids in rows of 16 and 32, as programs write them that count sub-groups themselves. */
__kernel void ids_apart(__global const int *in, __global int *out)
{
    uint l = (uint)get_local_id(0), n = (uint)get_local_size(0);
    __global const int *row = in + (slot() - l);
    uint high = l / 32, low = l % 32;
    int sum = row[low < n ? low : 0] + row[high] * 3;
    sum += row[(l & ~31u) | (low & 15)] + row[(l >> 4) * 2 % n] * 5;
    uint turned = l ^ 31, block = (l ^ 64) & ~15u;
    sum += (turned < n ? row[turned] : (int)turned) - (int)(block + (l | 15) + (l | 128));
    for (uint k = l; k < n + 128; k += 64) {
        sum += (int)(k / 64) * 7 + row[k % 64 < n ? k % 64 : 1 % n] * (int)(k % 48 + k / 48);
    }
    for (uint k = l; k < n + 64; k += 24) {
        sum += (int)(k / 16) * 13;
    }
    out[slot()] = sum + (int)l / 16 * 11 + (int)l % 32 - (int)(2 * l) / 64 + (int)(2 * l % 32);
}

__kernel __attribute__((reqd_work_group_size(32, 2, 1))) void
ids_apart_required(__global const int *in, __global int *out)
{
    uint l = (uint)get_local_linear_id(), n = (uint)get_local_size(0);
    __global const int *group = in + 64 * (get_group_id(0) + get_num_groups(0) * get_group_id(1));
    uint y = l / n, x = l % n;
    out[slot()] = group[x * 2 + y] + group[l & 32] * 3 + (int)(l / (uint)get_local_size(1));
}
