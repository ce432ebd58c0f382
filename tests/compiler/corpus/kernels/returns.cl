/* Items that return before a barrier, or go past it. OpenCL leaves that undefined, programs do it all the same: an item
 * that has returned does nothing more, and the barrier is for those that are left. */
#include "corpus.clh"

__kernel void return_beyond(__global const int *in, __global int *out, __local int *shared, uint n)
{
    uint i = (uint)GID, l = (uint)get_local_id(0);
    shared[l] = 0;
    if (i % 50 >= n) {
        return;
    }
    shared[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[l] + (l > 0 && i % 50 > 0 ? shared[l - 1] : 5);
}

/* Returned items have written last what they wrote before. */
__kernel void return_with_a_word(__global const int *in, __global int *out, __local int *shared)
{
    uint i = (uint)GID, l = (uint)get_local_id(0);
    shared[l] = in[i] & 0xFF;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[i] & 1) {
        out[i] = -shared[l];
        return;
    }
    int sum = shared[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[l] = sum * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[l] + (int)i;
}

/* One after the other, in a loop of barriers. */
__kernel void return_one_by_one(__global const int *in, __global int *out, __local int *shared,
                                uint turns)
{
    uint i = (uint)GID, l = (uint)get_local_id(0);
    int sum = in[i] & 0xFFF;
    for (uint turn = 0; turn < turns; turn++) {
        shared[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l % (turns + 1) == turn) {
            out[i] = sum;
            return;
        }
        sum += shared[l] + (int)turn;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = -sum;
}

/* Whole rows return; no lane differs from its neighbours. */
__kernel void return_rows(__global const int *in, __global int *out, __local int *shared)
{
    uint i = (uint)get_global_linear_id(), l = (uint)get_local_linear_id();
    shared[l] = in[i];
    out[i] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(1) % 2) {
        return;
    }
    int value = shared[l] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = value;
}

/* Not at the end: what some do at a barrier others do without. */
__kernel void go_past(__global const int *in, __global int *out, __local int *shared)
{
    uint i = (uint)GID, l = (uint)get_local_id(0);
    int value = in[i] & 0xFFFF, more = 7;
    if (in[i] & 2) {
        shared[l] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        more = shared[l] * 5;
    } else {
        value ^= 0x55;
    }
    out[i] = value + more;
}

/* Some items wait at a barrier while others still have work to do, for which they need a value that the first ones have
 * no use for. Both orders of the branches. */
__kernel void go_past_or_count(__global const int *in, __global int *out, __local int *shared)
{
    uint i = (uint)GID, l = (uint)get_local_id(0);
    int value = in[i];
    if (value & 2) {
        shared[l] = (int)l;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = shared[l] * 5;
    } else {
        int sum = 0;
        for (uint rest = (uint)value; rest > 9; rest /= 3) {
            sum += (int)(rest & 0xFF);
        }
        out[i] = sum;
    }
}

__kernel void count_or_go_past(__global const int *in, __global int *out, __local int *shared)
{
    uint i = (uint)GID, l = (uint)get_local_id(0);
    int value = in[i];
    if (value & 2) {
        int sum = 0;
        for (uint rest = (uint)value; rest > 9; rest /= 3) {
            sum += (int)(rest & 0xFF);
        }
        out[i] = sum;
    } else {
        shared[l] = (int)l;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = shared[l] * 5;
    }
}
