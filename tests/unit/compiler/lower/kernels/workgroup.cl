/* Work-group collectives, each into its own row of `out`: reductions and scans of every type, also
 * those of cl_khr_work_group_uniform_arithmetic (declared here, clang does not know them); votes
 * and broadcasts in groups of one, two and three dimensions. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define OVERLOAD __attribute__((overloadable))

#define DECLARE(T, join)                                                                           \
    T OVERLOAD work_group_reduce_##join(T x);                                                      \
    T OVERLOAD work_group_scan_inclusive_##join(T x);                                              \
    T OVERLOAD work_group_scan_exclusive_##join(T x);
#define PUT(e) out[row++ * n + i] = (e)
#define JOIN(join)                                                                                 \
    PUT(work_group_reduce_##join(x));                                                              \
    PUT(work_group_scan_inclusive_##join(x));                                                      \
    PUT(work_group_scan_exclusive_##join(x))

#define HEAD(T)                                                                                    \
    size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);                      \
    size_t n = items * get_num_groups(0), row = 0;                                                 \
    size_t i = get_group_id(0) * items + get_local_linear_id();                                    \
    T x = in[i]

#define FLOATS(T)                                                                                  \
    DECLARE(T, mul)                                                                                \
    kernel void join_##T(global const T *in, global T *out)                                        \
    {                                                                                              \
        HEAD(T);                                                                                   \
        JOIN(add);                                                                                 \
        JOIN(mul);                                                                                 \
        JOIN(min);                                                                                 \
        JOIN(max);                                                                                 \
    }
#define INTEGERS(T)                                                                                \
    DECLARE(T, mul)                                                                                \
    DECLARE(T, and)                                                                                \
    DECLARE(T, or)                                                                                 \
    DECLARE(T, xor)                                                                                \
    kernel void join_##T(global const T *in, global T *out)                                        \
    {                                                                                              \
        HEAD(T);                                                                                   \
        JOIN(add);                                                                                 \
        JOIN(mul);                                                                                 \
        JOIN(min);                                                                                 \
        JOIN(max);                                                                                 \
        JOIN(and);                                                                                 \
        JOIN(or);                                                                                  \
        JOIN(xor);                                                                                 \
    }

INTEGERS(int)
INTEGERS(uint)
INTEGERS(long)
INTEGERS(ulong)
FLOATS(half)
FLOATS(float)
FLOATS(double)

#define VOTES                                                                                      \
    PUT(work_group_all(x > 0) + 2 * work_group_any(x > 90) + 4 * work_group_any(x == 1000))
#define BROADCAST(name, ...)                                                                       \
    kernel void name(global const int *in, global int *out, uint a, uint b, uint c)                \
    {                                                                                              \
        HEAD(int);                                                                                 \
        PUT(work_group_broadcast(x, __VA_ARGS__));                                                 \
        PUT((int)work_group_broadcast((long)x << 20, __VA_ARGS__));                                \
        PUT((int)work_group_broadcast((float)x, __VA_ARGS__));                                     \
        VOTES;                                                                                     \
    }
BROADCAST(broadcast_1, a)
BROADCAST(broadcast_2, a, b)
BROADCAST(broadcast_3, a, b, c)
