/* Sub-group operations, each into its own row of `out`; divergent ones see only the lanes that
 * came. */

#define BODY                                                                                       \
    size_t n = get_global_size(0);                                                                 \
    size_t i = get_global_id(0);                                                                   \
    int x = in[i];                                                                                 \
    uint lane = get_sub_group_local_id();                                                          \
    out[0 * n + i] = sub_group_reduce_add(x);                                                      \
    out[1 * n + i] = sub_group_scan_inclusive_add(x);                                              \
    out[2 * n + i] = sub_group_scan_exclusive_max(x);                                              \
    out[3 * n + i] = (int)sub_group_reduce_min((uint)x);                                           \
    out[4 * n + i] = (int)sub_group_reduce_max((float)x);                                          \
    out[5 * n + i] = sub_group_all(x > -90) + 2 * sub_group_any(x == 7);                           \
    out[6 * n + i] = sub_group_broadcast(x, 3);                                                    \
    out[7 * n + i] = sub_group_shuffle(x, (lane * 3 + 1) % get_sub_group_size());                  \
    out[8 * n + i] = sub_group_shuffle_xor(x, 1);                                                  \
    out[9 * n + i] = (int)get_sub_group_size();                                                    \
    out[10 * n + i] = (int)lane;                                                                   \
    out[11 * n + i] = (int)get_sub_group_id();                                                     \
    out[12 * n + i] = (int)get_num_sub_groups();                                                   \
    uint4 votes = sub_group_ballot(x & 1);                                                         \
    out[13 * n + i] = (int)votes.x;                                                                \
    out[14 * n + i] = (int)sub_group_ballot_bit_count(votes);                                      \
    out[15 * n + i] = (int)sub_group_ballot_exclusive_scan(votes);                                 \
    out[16 * n + i] = sub_group_inverse_ballot(votes);                                             \
    if (x & 2) {                                                                                   \
        out[17 * n + i] = sub_group_non_uniform_reduce_add(x);                                     \
        out[18 * n + i] = sub_group_elect();                                                       \
        out[19 * n + i] = sub_group_broadcast_first(x);                                            \
        out[20 * n + i] = sub_group_non_uniform_scan_inclusive_mul(x % 3 + 2);                     \
    }                                                                                              \
    out[21 * n + i] = sub_group_clustered_reduce_add(x, 4);                                        \
    out[22 * n + i] = (int)sub_group_reduce_add((long)x << 33 >> 33);                              \
    out[23 * n + i] = sub_group_non_uniform_all_equal(x / 90)

__attribute__((intel_reqd_sub_group_size(8))) kernel void by_8(global const int *in,
                                                               global int *out)
{
    BODY;
}

__attribute__((intel_reqd_sub_group_size(16))) kernel void by_16(global const int *in,
                                                                 global int *out)
{
    BODY;
}

__attribute__((intel_reqd_sub_group_size(32))) kernel void by_32(global const int *in,
                                                                 global int *out)
{
    BODY;
}
