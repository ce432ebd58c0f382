/* Kernels that call functions which are not inlined (test_spirv_deferred_groups.c). OWN is code that
 * each kernel has besides. */
#ifndef OWN
#define OWN(x) (void)(x)
#endif

global int calls;

#define STEP(x, number) x = (x ^ (x >> 3)) * number + (x & number ? x / number : number - x);
#define STEPS(x)                                                                                   \
    STEP(x, 3) STEP(x, 5) STEP(x, 7) STEP(x, 11) STEP(x, 13) STEP(x, 17) STEP(x, 19) STEP(x, 23)

__attribute__((noinline)) uint mixed(uint x)
{
    atomic_inc(&calls);
    STEPS(x)
    STEPS(x)
    return x;
}

__attribute__((noinline)) uint mixed_more(uint x)
{
    STEPS(x)
    return mixed(x) + x;
}

#define KERNEL(number)                                                                             \
    kernel void call_##number(global uint *out)                                                    \
    {                                                                                              \
        uint x = (uint)get_global_id(0) + number;                                                  \
        OWN(x);                                                                                    \
        out[get_global_id(0)] = mixed_more(x);                                                     \
    }
#define SIX(a, b, c, d, e, f) KERNEL(a) KERNEL(b) KERNEL(c) KERNEL(d) KERNEL(e) KERNEL(f)

SIX(0, 1, 2, 3, 4, 5)
SIX(6, 7, 8, 9, 10, 11)
SIX(12, 13, 14, 15, 16, 17)
SIX(18, 19, 20, 21, 22, 23)

#ifdef BAD
kernel void too_much_local_memory(global uchar *out)
{
    local uchar big[1100000000];
    big[get_local_id(0)] = (uchar)mixed_more(3);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = big[get_global_id(0)];
}
#endif
