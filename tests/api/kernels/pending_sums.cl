/* Sums whose additions may wait until a launch ends (test_spirv_pending.c). */

#define ID get_global_id(0)

kernel void sums(global const uint *keys, global const uint *values, global uint *out)
{
    atomic_add(&out[keys[ID]], values[ID]);
}

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void wide_sums(global const uint *keys, global const uint *values, global ulong *out)
{
    atom_sub(&out[keys[ID]], (ulong)values[ID]);
}

/* Reads what an earlier launch has added. */
kernel void doubled(global const uint *in, global uint *out)
{
    out[ID] = 2 * in[ID];
}
