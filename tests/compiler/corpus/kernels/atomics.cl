/* Atomics of OpenCL C 1.x on 32 and 64 bits, global and local. Sums and sets do not depend on
 * order; tickets are used to mark slots, so that every value has to be given out once. */
#include "corpus.clh"
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#define LOCAL_BARRIER barrier(CLK_LOCAL_MEM_FENCE)

__kernel void global_add(__global const int *in, __global int *out)
{
    atomic_add(out + (in[GID] & 7), in[GID]);
}

__kernel void global_sub(__global const uint *in, __global uint *out)
{
    atomic_sub(out + (in[GID] & 7), in[GID]);
}

__kernel void global_inc_dec(__global const int *in, __global int *out)
{
    if (in[GID] & 1) {
        atomic_inc(out);
    } else {
        atomic_dec(out + 1);
    }
}

__kernel void global_min_max_signed(__global const int *in, __global int *out)
{
    atomic_min(out + 2 * (in[GID] & 3), in[GID]);
    atomic_max(out + 2 * (in[GID] & 3) + 1, in[GID]);
}

__kernel void global_min_max_unsigned(__global const uint *in, __global uint *out)
{
    atomic_min(out + 2 * (in[GID] & 3), in[GID]);
    atomic_max(out + 2 * (in[GID] & 3) + 1, in[GID]);
}

__kernel void global_bits(__global const uint *in, __global uint *out)
{
    atomic_and(out, in[GID] | 0xff);
    atomic_or(out + 1, in[GID] & 0xf0f0);
    atomic_xor(out + 2, in[GID]);
}

__kernel void global_same_address(__global int *out)
{
    atomic_add(out, 3);
    atomic_inc(out + 1);
    atomic_or(out + 2, 1 << (GID & 31));
}

__kernel void global_ticket(__global uint *counter, __global uint *taken)
{
    uint ticket = atomic_inc(counter);
    taken[ticket] += 1;
}

__kernel void global_ticket_divergent(__global const uint *in, __global uint *counter,
                                      __global uint *taken)
{
    if (in[GID] % 3) {
        uint ticket = atomic_add(counter, 2);
        taken[ticket / 2] += 1;
    }
}

__kernel void global_exchange(__global uint *slots, __global uint *out)
{
    size_t i = GID;
    if (slots[i] & 3) {
        out[i] = atomic_xchg(slots + i, (uint)i + 1);
    }
}

__kernel void global_exchange_float(__global float *slots, __global float *out)
{
    out[GID] = atomic_xchg(slots + GID, (float)(GID + 1));
}

__kernel void global_cmpxchg(__global const uint *in, __global uint *owner, __global uint *winners)
{
    uint slot = in[GID] % 16;
    if (atomic_cmpxchg(owner + slot, 0, 77) == 0) {
        atomic_inc(winners + slot);
    }
}

__kernel void global_cmpxchg_loop(__global const uint *in, __global uint *out)
{
    __global uint *to = out + GID % 3;
    uint factor = in[GID] | 1, old, seen = *to;
    do {
        old = seen;
        seen = atomic_cmpxchg(to, old, old * factor);
    } while (seen != old);
}

__kernel void global_add_float_loop(__global const uint *in, __global float *out)
{
    /* Sums of small integers are exact in any order. */
    __global volatile uint *to = (__global volatile uint *)(out + GID % 5);
    float add = (float)(in[GID] % 100);
    uint old, seen = *to;
    do {
        old = seen;
        seen = atomic_cmpxchg(to, old, as_uint(as_float(old) + add));
    } while (seen != old);
}

__kernel void global_histogram(__global const uchar *in, __global uint *bins)
{
    atomic_inc(bins + in[GID]);
}

/* Additions to few words, which workers keep until the launch ends, and to many. */
__kernel void global_sums(__global const uint *in, __global uint *sums)
{
    atomic_add(sums + (in[GID] & 255), in[GID]);
    if (in[GID] & 512) {
        atomic_dec(sums + (in[GID] >> 16) % 5000);
    }
}

__kernel void global_loop(__global const uint *in, __global uint *bins)
{
    for (uint k = 0; k < in[GID] % 6; k++) {
        atomic_add(bins + (in[GID] + k) % 9, k + 1);
    }
}

__kernel void global64_add(__global const long *in, __global long *out)
{
    atom_add(out + (in[GID] & 3), in[GID]);
    atom_sub(out + 4, in[GID]);
}

__kernel void global64_inc_ticket(__global ulong *counter, __global uint *taken)
{
    ulong ticket = atom_inc(counter);
    taken[ticket] += 1;
}

__kernel void global64_min_max(__global const long *in, __global long *out)
{
    atom_min(out, in[GID]);
    atom_max(out + 1, in[GID]);
}

__kernel void global64_bits(__global const ulong *in, __global ulong *out)
{
    atom_and(out, in[GID] | 0xff00000000000000ul);
    atom_or(out + 1, in[GID] & 0xf0f0f0f0f0f0f0f0ul);
    atom_xor(out + 2, in[GID]);
}

__kernel void global64_cmpxchg(__global const uint *in, __global ulong *owner,
                               __global uint *winners)
{
    uint slot = in[GID] % 7;
    if (atom_cmpxchg(owner + slot, 0ul, 0x1234567890ul) == 0) {
        atomic_inc(winners + slot);
    }
    atom_xchg(owner + 7, 0xfedcba9876543210ul);
}

__kernel void local_add(__global const int *in, __global int *out)
{
    __local int sums[4];
    size_t l = get_local_id(0);
    if (l < 4) {
        sums[l] = 0;
    }
    if (get_local_size(0) < 4 && l == 0) {
        for (int k = 0; k < 4; k++) {
            sums[k] = 0;
        }
    }
    LOCAL_BARRIER;
    atomic_add(sums + (in[GID] & 3), in[GID]);
    LOCAL_BARRIER;
    out[GID] = sums[l & 3];
}

__kernel void local_ticket(__global uint *out)
{
    __local uint counter;
    __local uint taken[128];
    size_t l = get_local_id(0);
    taken[l] = 0;
    if (l == 0) {
        counter = 0;
    }
    LOCAL_BARRIER;
    uint ticket = atomic_inc(&counter);
    taken[ticket] += ticket + 1;
    LOCAL_BARRIER;
    out[GID] = taken[l];
}

__kernel void local_min_max(__global const int *in, __global int *out)
{
    __local int least, most;
    __local uint bits;
    if (get_local_id(0) == 0) {
        least = INT_MAX;
        most = INT_MIN;
        bits = 0;
    }
    LOCAL_BARRIER;
    atomic_min(&least, in[GID]);
    atomic_max(&most, in[GID]);
    atomic_or(&bits, 1u << (in[GID] & 31));
    LOCAL_BARRIER;
    out[3 * GID] = least;
    out[3 * GID + 1] = most;
    out[3 * GID + 2] = (int)bits;
}

__kernel void local_cmpxchg(__global const uint *in, __global uint *out)
{
    __local uint value;
    if (get_local_id(0) == 0) {
        value = 1;
    }
    LOCAL_BARRIER;
    uint factor = in[GID] | 1, old, seen = value;
    do {
        old = seen;
        seen = atomic_cmpxchg(&value, old, old * factor);
    } while (seen != old);
    LOCAL_BARRIER;
    out[GID] = value;
}

__kernel void local64_add(__global const ulong *in, __global ulong *out)
{
    __local ulong sum;
    if (get_local_id(0) == 0) {
        sum = 0;
    }
    LOCAL_BARRIER;
    atom_add(&sum, in[GID]);
    LOCAL_BARRIER;
    out[GID] = sum;
}

__kernel void local_loop_divergent(__global const uint *in, __global uint *out)
{
    __local uint bins[8];
    size_t l = get_local_id(0), n = get_local_size(0);
    for (size_t k = l; k < 8; k += n) {
        bins[k] = 0;
    }
    LOCAL_BARRIER;
    uint x = in[GID];
    while (x) {
        atomic_inc(bins + (x & 7));
        x >>= 3;
    }
    LOCAL_BARRIER;
    out[GID] = bins[l & 7];
}

/* Lanes that meet in few places, each place marked once for each ticket. */
__kernel void local_ranks(__global const uint *in, __global uint *out)
{
    __local uint bins[4], taken[4 * 128];
    size_t l = get_local_id(0), n = get_local_size(0);
    for (size_t k = l; k < 4; k += n) {
        bins[k] = 0;
    }
    for (size_t k = l; k < 4 * 128; k += n) {
        taken[k] = 0;
    }
    LOCAL_BARRIER;
    uint bin = in[GID] & 3, rank = atomic_inc(bins + bin);
    if (in[GID] & 16) {
        rank += 0 * atomic_add(bins + 3 - bin, 0);
    }
    taken[128 * bin + rank] += 1;
    LOCAL_BARRIER;
    uint sum = 0;
    for (uint k = 0; k < bins[bin]; k++) {
        sum = 2 * sum % 65521 + taken[128 * bin + k];
    }
    out[GID] = sum;
}

/* One place for all: a ticket for each item that asks, and more than one. */
__kernel void local_ticket_divergent(__global const uint *in, __global uint *out)
{
    __local uint counter, room, taken[128];
    size_t l = get_local_id(0);
    taken[l] = 0;
    if (l == 0) {
        counter = 0;
        room = 1000000;
    }
    LOCAL_BARRIER;
    uint kept = 0;
    if (in[GID] & 3) {
        taken[atomic_inc(&counter)] += 1;
        kept = atomic_sub(&room, in[GID] & 3) & 0x1000000;
    }
    LOCAL_BARRIER;
    out[GID] = taken[l] + (counter << 8) + room + kept;
}

/* Several words of a record each. Some items change more of them. */
__kernel void local_records(__global const uint *in, __global uint *out)
{
    __local uint records[8][4];
    __local ulong wide[16];
    size_t l = get_local_id(0);
    for (size_t k = l; k < 32; k += get_local_size(0)) {
        records[k / 4][k % 4] = k;
        wide[k / 2] = k / 2;
    }
    LOCAL_BARRIER;
    uint x = in[GID], at = x & 7;
    atomic_add(&records[at][0], x);
    atomic_inc(&records[at][1]);
    atomic_xor(&records[at][3], x >> 3);
    if (x & 16) {
        atomic_sub(&records[at ^ 1][0], in[GID] >> 2);
        atom_add(&wide[2 * at + 1], (ulong)x << 9);
        atomic_min(&records[at][2], x);
        atom_inc(&wide[2 * at]);
        atomic_dec(&records[at][1]);
        atomic_xor(&records[at ^ 1][3], x * 5);
    }
    LOCAL_BARRIER;
    ulong both = wide[l % 16];
    out[GID] = records[l % 8][l / 8 % 4] ^ (uint)both ^ (uint)(both >> 32);
}

__kernel void local_own_place(__global const uint *in, __global uint *out)
{
    __local uint sums[128];
    __local ulong wide[128];
    size_t l = get_local_id(0);
    sums[l] = in[GID];
    wide[l] = 1;
    LOCAL_BARRIER;
    uint old = atomic_add(sums + l, 3);
    if (old & 1) {
        old ^= atomic_max(sums + l, 1u << 30);
        old += atomic_cmpxchg(sums + l, 1u << 30, in[GID] >> 3);
        atom_add(wide + l, (ulong)old);
    }
    LOCAL_BARRIER;
    size_t other = get_local_size(0) - 1 - l;
    out[GID] = sums[other] ^ old ^ (uint)wide[other];
}

__kernel void global_own_place(__global uint *sums, __global const uint *in, __global uint *out)
{
    out[GID] = in[GID] & 4 ? atomic_add(sums + GID, in[GID]) : 7;
    atomic_inc(sums + GID);
}
