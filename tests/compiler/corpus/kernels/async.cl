/* Asynchronous copies between global and local memory: both directions, strides, several in flight,
 * elements of every size. */
#include "corpus.clh"

#define COPIES(T)                                                                                  \
    __kernel void there_and_back_##T(__global const T *in, __global T *out, __local T *a)          \
    {                                                                                              \
        size_t n = get_local_size(0), base = get_group_id(0) * n, l = get_local_id(0);             \
        event_t event = async_work_group_copy(a, in + base, n, 0);                                 \
        wait_group_events(1, &event);                                                              \
        T x = a[n - 1 - l];                                                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        a[l] = x;                                                                                  \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        event = async_work_group_copy(out + base, a, n, 0);                                        \
        wait_group_events(1, &event);                                                              \
    }

COPIES(char)
COPIES(short)
COPIES(int)
COPIES(double)
COPIES(char2)
COPIES(short8)
COPIES(float4)
COPIES(long16)

/* Every third element in, every second out; what lies between stays. */
__kernel void strided(__global const int *in, __global int *out, __local int *a)
{
    size_t n = get_local_size(0), group = get_group_id(0);
    event_t event = async_work_group_strided_copy(a, in + group * 3 * n, n, 3, 0);
    wait_group_events(1, &event);
    event = async_work_group_strided_copy(out + group * 2 * n, a, n, 2, 0);
    wait_group_events(1, &event);
}

__kernel void strided_vectors(__global const int4 *in, __global int4 *out, __local int4 *a)
{
    size_t n = get_local_size(0), group = get_group_id(0), l = get_local_id(0);
    event_t event = async_work_group_strided_copy(a, in + group * 2 * n, n, 2, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = a[l ^ (l + 1 < n ? 1 : 0)].wzyx;
}

/* Two copies under one event, two events in an array, a copy in a loop of which each turn waits. */
__kernel void in_flight(__global const int *in, __global const int *more, __global int *out,
                        __local int *a)
{
    size_t n = get_local_size(0), base = get_group_id(0) * n, l = get_local_id(0);
    __local int *b = a + n;
    event_t events[2];
    events[0] = async_work_group_copy(a, in + base, n, 0);
    events[0] = async_work_group_copy(b, more + base, n, events[0]);
    events[1] = async_work_group_copy(b + n, in + base, n / 2, 0);
    wait_group_events(2, events);
    int sum = a[l] - b[n - 1 - l] + (l < n / 2 ? b[n + l] : 0);
    for (size_t k = 1; k < 4; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        event_t event = async_work_group_copy(a, more + (base + n * k) % get_global_size(0), n, 0);
        wait_group_events(1, &event);
        sum = sum * 3 + a[(l + k) % n];
    }
    out[get_global_id(0)] = sum;
}

__kernel void plane(__global const int *in, __global int *out, __local int *a)
{
    size_t w = get_local_size(0), h = get_local_size(1), n = w * h;
    size_t group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    event_t event = async_work_group_copy(a, in + group * n, n, 0);
    wait_group_events(1, &event);
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
        a[get_local_id(0) * h + get_local_id(1)];
}
