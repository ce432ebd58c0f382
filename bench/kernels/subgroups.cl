/* Kernels with sub-group operations; their results do not depend on the size of a sub-group. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

/* Sums up each group's 256 values. */
__kernel void subgroup_reduce(__global const float *in, __global float *out)
{
    __local float sums[256];
    float sum = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_sub_group_local_id() == 0) {
        sums[get_sub_group_id()] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        float total = 0.0f;
        for (uint i = 0; i < get_num_sub_groups(); i++) {
            total += sums[i];
        }
        out[get_group_id(0)] = total;
    }
}

/* Computes the inclusive scan of each group's 256 values. */
__kernel void subgroup_scan(__global const float *in, __global float *out)
{
    __local float sums[256];
    float value = sub_group_scan_inclusive_add(in[get_global_id(0)]), before = 0.0f;
    if (get_sub_group_local_id() == get_sub_group_size() - 1) {
        sums[get_sub_group_id()] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < get_sub_group_id(); i++) {
        before += sums[i];
    }
    out[get_global_id(0)] = before + value;
}
