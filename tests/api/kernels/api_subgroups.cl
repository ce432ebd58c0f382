/* One kernel for what ZE_extension_subgroups promises: rows of `out`. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void subgroups(global const int *in,
                                                                     global int *out)
{
    size_t n = get_global_size(0), i = get_global_id(0);
    uint lane = get_sub_group_local_id(), size = get_sub_group_size();
    int x = in[i];
    out[0 * n + i] = sub_group_scan_inclusive_add((short)x);
    out[1 * n + i] = sub_group_broadcast((int2)(x, 3 * x), 1).y;
    out[2 * n + i] = sub_group_non_uniform_all(x > 0) + 2 * sub_group_non_uniform_all_equal(size);
    out[3 * n + i] = (int)sub_group_ballot(x & 1).x;
    out[4 * n + i] = (int)(get_sub_group_le_mask().x);
    out[5 * n + i] = x & 1 ? sub_group_non_uniform_reduce_max(x) : 0;
    int other = sub_group_shuffle_xor(x, 1);
    out[6 * n + i] = (lane ^ 1) < size ? other : x;
    int up = sub_group_shuffle_up(x, 1);
    out[7 * n + i] = lane ? up : x;
    out[8 * n + i] = sub_group_clustered_reduce_add(x, 4);
}
