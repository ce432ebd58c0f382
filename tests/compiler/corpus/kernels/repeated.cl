/* Loops that compute what is known already, and loops that only look like it. All of them test at
 * their end: a test in front of a loop would leave open whether it has run. Producer L15 keeps this
 * shape. At O2 clang walks each loop by a pointer of its own or unrolls the outer loop, so loops
 * with equal sources are neither equal nor nested there. */
#include "corpus.clh"

/* Returns the largest of n elements, of 1 or more. */
static int largest(__global const int *row, uint n)
{
    int most = -2147483647 - 1;
    uint j = 0;
    do {
        most = max(most, row[j]);
    } while (++j < n);
    return most;
}

/* The group's row, for each of four elements anew, as fused operations do it; then over a barrier. */
__kernel void row_again(__global const int *in, __global int *out, __local int *shared)
{
    uint l = (uint)get_local_id(0), n = (uint)get_local_size(0);
    __global const int *row = in + get_group_id(0) * n;
    int sum = 0;
    for (uint k = 0; k < 4; k++) {
        sum += (row[(l + k) % n] ^ largest(row, n)) & 0xFFFF;
    }
    sum += (row[(l + 5) % n] ^ largest(row, n)) & 0xFFFF;
    sum += (row[(l + 7) % n] ^ largest(row, n)) & 0xFFFF;
    shared[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[GID] = shared[n - 1 - l] - (largest(row, n) & 0xFFF);
}

/* Between equal loops is a store to what they read. */
__kernel void row_written(__global int *rows, __global int *out, __local int *shared)
{
    uint l = (uint)get_local_id(0), n = (uint)get_local_size(0);
    __global int *row = rows + get_group_id(0) * n;
    int first = largest(row, n);
    barrier(CLK_GLOBAL_MEM_FENCE);
    row[l] = row[l] / 2 + (int)l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int second = largest(row, n);
    shared[l] = first ^ second;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[GID] = shared[n - 1 - l] + second;
}

/* The outer loop changes what the inner one reads, in one turn of it. */
__kernel void own_row_written(__global int *rows, __global int *out, uint turns)
{
    __global int *row = rows + 8 * GID;
    uint sum = 0, count = turns % 5 + 8; /* 8, which the compiler does not know */
    for (uint k = 0; k < turns; k++) {
        sum += (uint)largest(row, count) * (k + 1);
        if (k == 2) {
            row[k] = 2147483647;
        }
    }
    out[GID] = (int)sum;
}

/* The inner loop does not depend on the outer one; each item has a bound of its own. */
__kernel void inner_again(__global const int *in, __global const uint *bounds, __global int *out,
                          uint turns)
{
    uint sum = 0, bound = bounds[GID] % 29 + 1;
    for (uint k = 0; k < turns; k++) {
        sum = sum * 3 + (uint)largest(in, bound) + k;
    }
    out[GID] = (int)sum;
}

/* The inner loop is in some turns of the outer one only. */
__kernel void inner_sometimes(__global const int *in, __global int *out)
{
    uint sum = 0, i = (uint)GID;
    for (uint k = 0; k < 5; k++) {
        if ((i + k) % 3 == 1) {
            sum += (uint)largest(in, i % 7 + 1);
        }
        sum = sum * 5 + k;
    }
    out[i] = (int)sum;
}

/* In none, and what it would read is not there. */
__kernel void inner_never(__global const int *in, __global int *out, uint far)
{
    uint sum = 0, i = (uint)GID;
    for (uint k = 0; k < 5; k++) {
        if (i + k == far) {
            sum += (uint)largest(in + far, far);
        }
        sum = sum * 5 + k;
    }
    out[i] = (int)sum;
}

/* The loops differ in a bound, a step, a first value, or the order of operands. The operands are of
 * a division, which compilers leave in its order. */
__kernel void nearly_again(__global const int *in, __global int *out, uint n)
{
    int a = -5, b = -5, c = -5, d = 6;
    uint e = 1, f = 1, j = 0;
    do {
        a = max(a, in[j]);
    } while (++j < n);
    j = 0;
    do {
        b = max(b, in[j]);
    } while (++j < n - 1);
    j = 0;
    do {
        c = min(c, in[j]);
    } while (++j < n);
    j = 0;
    do {
        d = max(d, in[j] & 7);
    } while (++j < n);
    j = 0;
    do {
        uint next = (uint)in[j] | 1, times = e * 3 | 1;
        e = times / next;
    } while (++j < n);
    j = 0;
    do {
        uint next = (uint)in[j] | 1, times = f * 3 | 1;
        f = next / times;
    } while (++j < n);
    out[GID] = (a ^ b) + (c ^ d) + (int)(e ^ f << 1) + (int)GID;
}
