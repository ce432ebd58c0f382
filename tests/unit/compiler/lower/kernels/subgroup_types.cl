/* Sub-group functions for every scalar type at S = 8, 16 and 32: a kernel each, a row of `out` per
 * function, in the order of the table in test_subgroup_types.c. Where a lane would read one that is
 * not there, it writes its own value instead. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define PUT(e) out[row++ * n + i] = (e)
#define JOINS(f)                                                                                   \
    PUT(f##_add(x));                                                                               \
    PUT(f##_mul(x));                                                                               \
    PUT(f##_min(x));                                                                               \
    PUT(f##_max(x))
#define BITS(f)                                                                                    \
    PUT(f##_and(x));                                                                               \
    PUT(f##_or(x));                                                                                \
    PUT(f##_xor(x))

#define OF_ALL                                                                                     \
    PUT(sub_group_reduce_add(x));                                                                  \
    PUT(sub_group_reduce_min(x));                                                                  \
    PUT(sub_group_reduce_max(x));                                                                  \
    PUT(sub_group_scan_inclusive_add(x));                                                          \
    PUT(sub_group_scan_inclusive_min(x));                                                          \
    PUT(sub_group_scan_inclusive_max(x));                                                          \
    PUT(sub_group_scan_exclusive_add(x));                                                          \
    PUT(sub_group_scan_exclusive_min(x));                                                          \
    PUT(sub_group_scan_exclusive_max(x));                                                          \
    PUT(sub_group_broadcast(x, 2));                                                                \
    PUT(sub_group_shuffle(x, (lane * 3 + 1) % size));                                              \
    v = sub_group_shuffle_xor(x, 1);                                                               \
    PUT((lane ^ 1) < size ? v : x);                                                                \
    v = sub_group_shuffle_xor(x, mask);                                                            \
    PUT((lane ^ mask) < size ? v : x);                                                             \
    v = sub_group_shuffle_up(x, 2);                                                                \
    PUT(lane >= 2 ? v : x);                                                                        \
    v = sub_group_shuffle_down(x, mask);                                                           \
    PUT(lane + mask < size ? v : x);                                                               \
    v = sub_group_rotate(x, 3);                                                                    \
    PUT((lane + 3) % most < size ? v : x);                                                         \
    v = sub_group_rotate(x, (int)mask);                                                            \
    PUT((lane + mask) % most < size ? v : x);                                                      \
    v = sub_group_clustered_rotate(x, 1, 4u);                                                      \
    PUT(((lane & ~3u) | ((lane + 1) & 3)) < size ? v : x)

#define OF_SOME                                                                                    \
    JOINS(sub_group_non_uniform_reduce);                                                           \
    JOINS(sub_group_non_uniform_scan_inclusive);                                                   \
    JOINS(sub_group_non_uniform_scan_exclusive);                                                   \
    PUT(sub_group_clustered_reduce_add(x, 4u));                                                    \
    PUT(sub_group_clustered_reduce_mul(x, 8u));                                                    \
    PUT(sub_group_clustered_reduce_min(x, 2u));                                                    \
    PUT(sub_group_clustered_reduce_max(x, 1u));                                                    \
    PUT(sub_group_broadcast_first(x));                                                             \
    PUT(sub_group_non_uniform_broadcast(x, sub_group_ballot_find_msb(sub_group_ballot(1))));       \
    v = sub_group_shuffle_xor(x, 1);                                                               \
    PUT((lane ^ 1) < size && (neighbour & 1) ? v : x);                                             \
    v = sub_group_non_uniform_all_equal(x) ? x : (T)100;                                           \
    PUT(v)

#define OF_BITS                                                                                    \
    BITS(sub_group_non_uniform_reduce);                                                            \
    BITS(sub_group_non_uniform_scan_inclusive);                                                    \
    BITS(sub_group_non_uniform_scan_exclusive);                                                    \
    PUT(sub_group_clustered_reduce_and(x, 4u));                                                    \
    PUT(sub_group_clustered_reduce_or(x, 8u));                                                     \
    PUT(sub_group_clustered_reduce_xor(x, 2u))

/* `pick` says who takes part: bit 0 in the second half. */
#define HEAD                                                                                       \
    size_t n = get_global_size(0), i = get_global_id(0), row = 0;                                  \
    uint lane = get_sub_group_local_id(), size = get_sub_group_size();                             \
    uint most = get_max_sub_group_size(), neighbour = sub_group_shuffle_xor(pick[i], 1);           \
    T x = in[i], v

#define KERNEL(name, S)                                                                            \
    __attribute__((intel_reqd_sub_group_size(S))) kernel void name(                                \
        global const T *in, global const uint *pick, uint mask, global T *out)
#define INTEGER_KERNEL(name, S)                                                                    \
    KERNEL(name, S)                                                                                \
    {                                                                                              \
        HEAD;                                                                                      \
        OF_ALL;                                                                                    \
        if (pick[i] & 1) {                                                                         \
            OF_SOME;                                                                               \
            OF_BITS;                                                                               \
        }                                                                                          \
    }
#define FLOAT_KERNEL(name, S)                                                                      \
    KERNEL(name, S)                                                                                \
    {                                                                                              \
        HEAD;                                                                                      \
        OF_ALL;                                                                                    \
        if (pick[i] & 1) {                                                                         \
            OF_SOME;                                                                               \
        }                                                                                          \
    }

#define T char
INTEGER_KERNEL(char_8, 8)
INTEGER_KERNEL(char_16, 16)
INTEGER_KERNEL(char_32, 32)
#undef T
#define T uchar
INTEGER_KERNEL(uchar_16, 16)
#undef T
#define T short
INTEGER_KERNEL(short_16, 16)
#undef T
#define T ushort
INTEGER_KERNEL(ushort_8, 8)
INTEGER_KERNEL(ushort_32, 32)
#undef T
#define T int
INTEGER_KERNEL(int_8, 8)
INTEGER_KERNEL(int_16, 16)
INTEGER_KERNEL(int_32, 32)
#undef T
#define T uint
INTEGER_KERNEL(uint_32, 32)
#undef T
#define T long
INTEGER_KERNEL(long_8, 8)
INTEGER_KERNEL(long_16, 16)
#undef T
#define T ulong
INTEGER_KERNEL(ulong_32, 32)
#undef T
#define T half
FLOAT_KERNEL(half_8, 8)
FLOAT_KERNEL(half_16, 16)
FLOAT_KERNEL(half_32, 32)
#undef T
#define T float
FLOAT_KERNEL(float_8, 8)
FLOAT_KERNEL(float_16, 16)
FLOAT_KERNEL(float_32, 32)
#undef T
#define T double
FLOAT_KERNEL(double_8, 8)
FLOAT_KERNEL(double_16, 16)
FLOAT_KERNEL(double_32, 32)
