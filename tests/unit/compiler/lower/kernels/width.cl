/* Kernels for the choice of a width: with and without atomics that lanes join to one. */

kernel void joined(global const uint *in, global uint *count)
{
    if (in[get_global_id(0)] > 5) {
        atomic_inc(count + 1);
    }
}

kernel void joined_in_a_small_group(global const uint *in, global uint *count)
    __attribute__((reqd_work_group_size(8, 1, 1)))
{
    atomic_max(count, in[get_global_id(0)]);
}

kernel void apart(global const uint *in, global uint *bins)
{
    atomic_inc(bins + in[get_global_id(0)] % 64);
}

kernel void in_local_memory(global const uint *in, global uint *out)
{
    local uint sum;
    if (get_local_id(0) == 0) {
        sum = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum;
}

kernel void exchanged(global const uint *in, global uint *last)
{
    atomic_xchg(last, in[get_global_id(0)]);
}

/* More instructions than a kernel with twice the lanes may have. */
kernel void long_and_joined(global const uint *in, global uint *out)
{
    uint x = in[get_global_id(0)], y = x;
#pragma unroll
    for (uint i = 0; i < 64; i++) {
        x = (x ^ y >> 7) * (i + 3);
        y = (y + x) ^ i * 77;
    }
    atomic_add(out, x ^ y);
}
