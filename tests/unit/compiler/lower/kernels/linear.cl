/* Sub-groups: chunks run linearly, W is the sub-group's size. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable

kernel __attribute__((intel_reqd_sub_group_size(8))) void places(global uint *out)
{
    size_t at = (get_global_id(1) * get_global_size(0) + get_global_id(0)) * 8;
    out[at + 0] = get_sub_group_size();
    out[at + 1] = get_max_sub_group_size();
    out[at + 2] = get_num_sub_groups();
    out[at + 3] = get_sub_group_id();
    out[at + 4] = get_sub_group_local_id();
    out[at + 5] = get_local_id(0);
    out[at + 6] = get_local_id(1);
    out[at + 7] = get_local_linear_id();
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void sums(global int *out,
                                                                global const int *in)
{
    size_t i = get_global_id(0);
    int v = in[i];
    int sum = sub_group_reduce_add(v);
    int scan = sub_group_scan_inclusive_add(v);
    int first = sub_group_broadcast(v, 0);
    if (sub_group_any(v > 90)) {
        sum += 1000;
    }
    out[i * 3] = sum;
    out[i * 3 + 1] = scan;
    out[i * 3 + 2] = first;
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void barriers(global int *out,
                                                                    local int *shared)
{
    int l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1);
    shared[l] = l * 3;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    int before = sub_group_reduce_max(shared[l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * n + l] = shared[n - 1 - l] * 1000 + before;
}
