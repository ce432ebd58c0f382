/* Atomics of OpenCL C 3.0: explicit orders and scopes, loads, stores, flags, fences. */
#include "corpus.clh"

__kernel void fetch_add(__global const int *in, __global atomic_int *out)
{
    atomic_fetch_add_explicit(out + (in[GID] & 7), in[GID], memory_order_relaxed,
                              memory_scope_device);
}

__kernel void fetch_each(__global const uint *in, __global atomic_uint *out)
{
    atomic_fetch_sub_explicit(out, in[GID], memory_order_relaxed, memory_scope_device);
    atomic_fetch_or_explicit(out + 1, in[GID] & 0xff00, memory_order_acquire, memory_scope_device);
    atomic_fetch_xor_explicit(out + 2, in[GID], memory_order_release, memory_scope_device);
    atomic_fetch_and_explicit(out + 3, in[GID] | 0xff, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_min_explicit(out + 4, in[GID], memory_order_seq_cst, memory_scope_device);
    atomic_fetch_max_explicit(out + 5, in[GID], memory_order_relaxed, memory_scope_work_group);
}

__kernel void load_store(__global atomic_int *data, __global int *out)
{
    int x = atomic_load_explicit(data + GID, memory_order_acquire, memory_scope_device);
    atomic_store_explicit(data + GID, x * 2, memory_order_release, memory_scope_device);
    out[GID] = atomic_load_explicit(data + GID, memory_order_seq_cst, memory_scope_device) + x;
}

__kernel void compare_exchange_strong(__global const uint *in, __global atomic_uint *out)
{
    uint factor = in[GID] | 1;
    uint old = atomic_load_explicit(out, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_strong_explicit(out, &old, old * factor, memory_order_acq_rel,
                                                    memory_order_relaxed, memory_scope_device)) {
    }
}

__kernel void compare_exchange_weak(__global const uint *in, __global atomic_uint *out)
{
    uint old = atomic_load_explicit(out, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_weak_explicit(out, &old, old + in[GID] % 7,
                                                  memory_order_relaxed, memory_order_relaxed,
                                                  memory_scope_device)) {
    }
}

__kernel void exchange(__global atomic_uint *slots, __global uint *out)
{
    out[GID] = atomic_exchange_explicit(slots + GID, (uint)GID + 1, memory_order_relaxed,
                                        memory_scope_device);
}

__kernel void local_fetch(__global const uint *in, __global uint *out)
{
    __local atomic_uint sum;
    if (get_local_id(0) == 0) {
        atomic_store_explicit(&sum, 5u, memory_order_relaxed, memory_scope_work_group);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&sum, in[GID], memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    out[GID] = atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group);
}

__kernel void fences(__global int *data, __global int *out)
{
    data[GID] = (int)GID * 3;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[GID] = data[GID];
}
