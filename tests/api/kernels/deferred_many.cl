/* As many kernels as GEOID_BUILD_KERNELS=auto defers: 24 with this, one less with deferred_few.cl. */
#ifndef ONE_LESS
#define ONE_MORE KERNEL(23)
#else
#define ONE_MORE
#endif
#define KERNEL(number)                                                                             \
    kernel void many_##number(global int *out)                                                     \
    {                                                                                              \
        out[get_global_id(0)] = number;                                                            \
    }
#define SIX(a, b, c, d, e, f) KERNEL(a) KERNEL(b) KERNEL(c) KERNEL(d) KERNEL(e) KERNEL(f)

SIX(0, 1, 2, 3, 4, 5)
SIX(6, 7, 8, 9, 10, 11)
SIX(12, 13, 14, 15, 16, 17)
KERNEL(18) KERNEL(19) KERNEL(20) KERNEL(21) KERNEL(22) ONE_MORE
