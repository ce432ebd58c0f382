/* Work-group reductions and scans of integers of 8 and 16 bits, each into its own row of `out`.
 * SPIR-V has them, OpenCL C does not: declared here. */
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

#define INTEGERS(T)                                                                                \
    DECLARE(T, add)                                                                                \
    DECLARE(T, mul)                                                                                \
    DECLARE(T, min)                                                                                \
    DECLARE(T, max)                                                                                \
    DECLARE(T, and)                                                                                \
    DECLARE(T, or)                                                                                 \
    DECLARE(T, xor)                                                                                \
    kernel void join_##T(global const T *in, global T *out)                                        \
    {                                                                                              \
        size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);                  \
        size_t n = items * get_num_groups(0), row = 0;                                             \
        size_t i = get_group_id(0) * items + get_local_linear_id();                                \
        T x = in[i];                                                                               \
        JOIN(add);                                                                                 \
        JOIN(mul);                                                                                 \
        JOIN(min);                                                                                 \
        JOIN(max);                                                                                 \
        JOIN(and);                                                                                 \
        JOIN(or);                                                                                  \
        JOIN(xor);                                                                                 \
    }

INTEGERS(char)
INTEGERS(uchar)
INTEGERS(short)
INTEGERS(ushort)
