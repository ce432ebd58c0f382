/* Operations of sub-groups and work-groups, and atomics, for test_machine.c. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* Each operation writes a row of `out`. */
#define PUT(e) out[row++ * n + i] = (int)(e)

kernel void subgroups(global const int *in, global int *out)
{
    size_t n = get_global_size(0) * get_global_size(1) * get_global_size(2);
    size_t i = get_global_linear_id(), row = 0;
    int x = in[i];
    uint lane = get_sub_group_local_id();
    uint4 votes = sub_group_ballot(x & 1);
    PUT(sub_group_reduce_add(x));
    PUT(sub_group_scan_inclusive_add(x));
    PUT(sub_group_scan_exclusive_max(x));
    PUT(sub_group_reduce_min((uint)x));
    PUT(sub_group_all(x > -90) + 2 * sub_group_any(x == 7));
    PUT(sub_group_broadcast(x, 3));
    PUT(sub_group_shuffle_xor(x, 1));
    PUT(sub_group_shuffle((long)x << 33, (lane * 3 + 1) % get_sub_group_size()) >> 33);
    PUT(get_sub_group_size());
    PUT(lane);
    PUT(get_sub_group_id());
    PUT(get_num_sub_groups());
    PUT(votes.x);
    PUT(sub_group_ballot_exclusive_scan(votes));
    PUT(sub_group_inverse_ballot(votes));
    PUT(sub_group_clustered_reduce_add(x, 4));
    PUT(sub_group_reduce_add((half)(x & 15)));
    PUT(get_sub_group_lt_mask().x);
}

kernel void scans(global const float *in, global float *out)
{
    size_t n = get_global_size(0), i = get_global_id(0);
    float x = in[i];
    out[i] = work_group_reduce_add(x);
    out[n + i] = work_group_scan_inclusive_add(x);
    out[2 * n + i] = work_group_scan_exclusive_add(x);
    out[3 * n + i] = work_group_scan_exclusive_max(x);
    out[4 * n + i] = (float)work_group_scan_inclusive_add((int)i);
    out[5 * n + i] = (float)work_group_reduce_max((int)x);
    out[6 * n + i] = work_group_broadcast(x, 2);
}

kernel void atomics(global atomic_int *a)
{
    atomic_fetch_add_explicit(a, 3, memory_order_relaxed, memory_scope_device);
    atomic_fetch_or_explicit(a + 1, 5, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_xor_explicit(a + 2, 7, memory_order_seq_cst, memory_scope_work_group);
}

kernel void divergent(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    if (in[i] & 1) {
        out[i] = sub_group_non_uniform_reduce_add(in[i]);
    }
}

kernel void prints(global const int *in)
{
    printf("%d\n", in[0]);
}

__attribute__((intel_reqd_sub_group_size(16))) kernel void of_16(global int *out)
{
    out[get_global_id(0)] = (int)get_sub_group_size();
}

/* Items beyond the end of the data leave before the barrier. */
kernel void early(global int *out, int count)
{
    local int values[64];
    size_t i = get_global_id(0), own = get_local_id(0);
    if (i >= count) {
        return;
    }
    values[own] = (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = values[own ^ 1];
}

/* All items come to the barrier. */
kernel void together(global int *out)
{
    local int values[64];
    size_t own = get_local_id(0);
    values[own] = (int)get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = values[63 - own];
}

/* Names that PTX does not take. */
kernel void WARP_SZ(global int *out)
{
    out[get_global_id(0)] = 5;
}

kernel void geoid_local(global int *out)
{
    local int values[64];
    values[get_local_id(0)] = 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = values[63 - get_local_id(0)];
}
