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
