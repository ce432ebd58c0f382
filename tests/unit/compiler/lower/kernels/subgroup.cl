/* Sub-group operations, each into its own row of `out`; divergent ones see only the lanes that
 * came. */

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* The first word of a mask; something else when there is more. */
static int word(uint4 mask)
{
    return mask.y | mask.z | mask.w ? 12345 : (int)mask.x;
}

static int dot_of(int4 v)
{
    return v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

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
    out[23 * n + i] = sub_group_non_uniform_all_equal(x / 90);                                     \
    out[24 * n + i] = word(get_sub_group_eq_mask());                                               \
    out[25 * n + i] = word(get_sub_group_ge_mask());                                               \
    out[26 * n + i] = word(get_sub_group_gt_mask());                                               \
    out[27 * n + i] = word(get_sub_group_le_mask());                                               \
    out[28 * n + i] = word(get_sub_group_lt_mask());                                               \
    out[29 * n + i] = dot_of(sub_group_broadcast((int4)(x, x * 3, x + 5, ~x), 2));                 \
    out[30 * n + i] = sub_group_non_uniform_all_equal(x & 1 ? (half) - 0.0f : (half)0.0f) +        \
                      2 * sub_group_non_uniform_all_equal((half)NAN);                              \
    out[31 * n + i] = (int)(votes.x ? sub_group_ballot_find_lsb(votes) : 99);                      \
    out[32 * n + i] = (int)(votes.x ? sub_group_ballot_find_msb(votes) : 99);                      \
    out[33 * n + i] = (int)sub_group_ballot_inclusive_scan(votes);                                 \
    out[34 * n + i] = sub_group_ballot_bit_extract(votes, lane ^ 1);                               \
    int total = 0;                                                                                 \
    for (int k = 0; k <= (x & 3); k++) {                                                           \
        total += sub_group_non_uniform_reduce_add(x) * (sub_group_elect() ? 3 : 1);                \
        if (total % 5 == 0) {                                                                      \
            total += (int)sub_group_ballot_bit_count(sub_group_ballot(x & 4));                     \
        }                                                                                          \
    }                                                                                              \
    out[35 * n + i] = total

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

/* Nothing in the kernel says sub-group; what it calls does. */
__attribute__((noinline)) uint place_in_subgroup(uint scale)
{
    return (get_sub_group_id() * 100 + get_sub_group_local_id()) * scale;
}

__attribute__((noinline)) uint further_down(uint scale)
{
    uint sum = 0;
    for (uint k = 0; k < scale; k++) {
        sum += place_in_subgroup(k);
    }
    return sum;
}

__attribute__((intel_reqd_sub_group_size(16))) kernel void ids_in_functions(global uint *out)
{
    size_t i = get_group_id(0) * get_local_size(0) * get_local_size(1) + get_local_linear_id();
    out[i] = i % 3 ? further_down(4) : 7;
}

/* What a neighbour has, merged into where the item is on: values from memory, then constants. */
__attribute__((intel_reqd_sub_group_size(8))) kernel void
neighbours(global const uint *a, global const uint *b, global uint *out)
{
    size_t n = get_global_size(0), i = get_global_id(0);
    uint x = a[i], y = b[i];
    bool on = x & 2;
    uint other = sub_group_shuffle_xor(on ? x : y, 1);
    out[i] = on ? other : 7;
    uint votes = 9;
    if (on) {
        votes = sub_group_clustered_reduce_or(get_sub_group_le_mask().x, 2);
    }
    out[n + i] = votes;
}
