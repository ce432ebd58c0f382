/* Atomic additions that pend: to few and to many addresses, under masks, of both widths. */

#define ID get_global_id(0)

kernel void add(global const uint *keys, global const uint *values, global uint *sums)
{
    atomic_add(&sums[keys[ID]], values[ID]);
}

kernel void subtract_some(global const uint *keys, global const uint *values, global uint *sums)
{
    if (values[ID] & 1) {
        atomic_sub(&sums[keys[ID]], values[ID]);
    } else {
        atomic_dec(&sums[keys[ID] + 1]);
    }
}

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void add_wide(global const uint *keys, global const uint *values, global ulong *sums)
{
    atom_add(&sums[keys[ID]], (ulong)values[ID] << 20);
}

/* One address in each chunk, and consecutive ones. */
kernel void add_evenly(global const uint *keys, global const uint *values, global uint *sums)
{
    atomic_add(&sums[get_group_id(0)], values[ID]);
    atomic_add(&sums[get_local_id(0)], keys[ID]);
    atomic_inc(sums);
}

/* Does not pend. */
kernel void ordered(global const uint *keys, global uint *sums)
{
    atomic_inc(&sums[keys[get_global_id(0)]]);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}
