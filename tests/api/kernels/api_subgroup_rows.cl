/* What the items of a group are, and a sum that only some of them keep: rows of `out`. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void rows(global const int *in,
                                                                global int *out)
{
    local int sums[256];
    size_t x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    size_t linear = (z * get_local_size(1) + y) * get_local_size(0) + x;
    size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    int value = in[linear];
    out[0 * items + linear] = (int)(x + 1000 * y + 1000000 * z);
    out[1 * items + linear] = (int)(get_sub_group_id() * 100 + get_sub_group_local_id());
    out[2 * items + linear] = (int)(get_sub_group_size() * 100 + get_num_sub_groups());
    sums[linear] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = sub_group_reduce_add(value);
    if (x < 4) {
        sums[linear] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[3 * items + linear] = sums[linear];
}
