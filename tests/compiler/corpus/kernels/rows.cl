/* Loops in which the items of a group share the elements of a row: indexes that begin at the item's
 * id, with all kinds of steps, bounds and comparisons. Items leave them in different iterations. */
#include "corpus.clh"

#define LID          ((int)get_local_id(0))
#define SIZE         ((int)get_local_size(0))
#define MIX(hash, x) ((hash) * 31u + (uint)(x))
#define ROW(i)       in[(uint)(i) & 255]

/* A loop `for (type i = first; test; step)` that hashes elements in order. */
#define HASH_ROW(name, type, first, test, step)                                                    \
    __kernel void name(__global const int *in, __global uint *out, int n)                          \
    {                                                                                              \
        uint hash = 7;                                                                             \
        for (type i = (type)(first); test; step) {                                                 \
            hash = MIX(hash, ROW(i));                                                              \
        }                                                                                          \
        out[GID] = hash;                                                                           \
    }

HASH_ROW(row_less, int, LID, i < n, i += SIZE)
HASH_ROW(row_less_equal, int, LID, i <= n, i += SIZE)
HASH_ROW(row_more, int, n - LID, i > 0, i -= SIZE)
HASH_ROW(row_more_equal, int, n - LID, i >= 0, i -= SIZE)
HASH_ROW(row_bound_first, int, LID, n > i, i += SIZE)
HASH_ROW(row_unsigned, uint, LID, i < (uint)n, i += (uint)SIZE)
HASH_ROW(row_unsigned_down, uint, n - LID, (int)i > 0 && i <= (uint)n, i -= (uint)SIZE)
HASH_ROW(row_long, long, LID, i < n, i += SIZE)
HASH_ROW(row_ulong, ulong, LID, i < (ulong)n, i += get_local_size(0))
HASH_ROW(row_short, short, LID, i < n, i += (short)SIZE)
HASH_ROW(below_the_id, ulong, 0, i < get_local_id(0), i++)
HASH_ROW(below_the_id_signed, long, -9, i <= (long)get_local_id(0) - n, i += 2)
HASH_ROW(from_the_segment, ulong, get_local_id(0) & ~(ulong)7, i < get_local_id(0), i++)
HASH_ROW(down_to_the_id, ulong, n & 127, i > get_local_id(0), i--)
HASH_ROW(row_uchar, uchar, LID, i < n, i += 64)
HASH_ROW(row_by_three, int, 3 * LID, i < n, i += 3 * SIZE)
HASH_ROW(row_negative, int, -3 * LID, i > -n, i -= 3 * SIZE)
HASH_ROW(row_grid, int, get_global_id(0), i < n, i += (int)get_global_size(0))
HASH_ROW(row_grid_size_t, size_t, get_global_id(0), i < (size_t)n, i += get_global_size(0))
HASH_ROW(triangle, int, LID, i < n, i++)
HASH_ROW(triangle_to_id, int, 0, i <= LID, i++)
HASH_ROW(triangle_down, int, n, i > LID, i--)
HASH_ROW(row_not_equal, uint, LID, i != 200u, i++)
HASH_ROW(row_not_equal_down, int, 200 - LID, i != 0, i--)

/* Indexes and bounds at the ends of their type: numbers near them wrap. */
HASH_ROW(end_low, int, INT_MIN + LID, i < INT_MIN + n % 9, i += SIZE)
HASH_ROW(end_low_equal, int, INT_MIN + LID, i <= INT_MIN + n % 9, i += SIZE)
HASH_ROW(end_high, int, INT_MAX - LID, i > INT_MAX - n % 9, i -= SIZE)
HASH_ROW(end_high_equal, int, INT_MAX - LID, i >= INT_MAX - n % 9, i -= SIZE)
HASH_ROW(end_zero, uint, LID, i < (uint)n % 9, i += (uint)SIZE)
HASH_ROW(end_zero_equal, uint, LID, i <= (uint)n % 9, i += (uint)SIZE)
HASH_ROW(end_all, uint, ~(uint)LID, i > ~((uint)n % 9), i -= (uint)SIZE)
HASH_ROW(end_all_equal, uint, ~(uint)LID, i >= ~((uint)n % 9), i -= (uint)SIZE)
HASH_ROW(wraps_up, uint, 0xfffffff4u + (uint)LID, i < 0xf0000000u, i += 0x10000000u)
HASH_ROW(wraps_up_more, uint, 0xfffffff4u + (uint)LID, i > 0x10000000u, i -= 0x10000000u)
HASH_ROW(far_above, uint, 0x80000000u + (uint)LID, i < (uint)n, i += 0x10000000u)
HASH_ROW(wraps_down, uint, 4 - (uint)LID, i < 0xf0000000u, i += 0x10000000u)
HASH_ROW(wraps_down_more, uint, 4 - (uint)LID, i > 0x10000000u, i -= 0x10000000u)

/* Values of the loop that are used behind it: the index, the number of iterations, the last element
   and a sum of floats. */
__kernel void values_left(__global const int *in, __global int *out, __global float *floats, int n)
{
    int i, count = 0, last = -1;
    float sum = 0.5f;
    for (i = LID; i < n; i += SIZE) {
        last = ROW(i);
        count++;
        sum += (float)(last & 15) * 0.25f;
    }
    out[3 * GID] = i;
    out[3 * GID + 1] = count;
    out[3 * GID + 2] = last;
    floats[GID] = sum;
}

/* Writes in the body, to elements that no other item has. */
__kernel void writes(__global const int *in, __global int *out, int n)
{
    __global int *row = out + get_group_id(0) * (size_t)SIZE * 4;
    for (int i = LID; i < n && i < SIZE * 4; i += SIZE) {
        row[i] = ROW(i) * 3;
    }
}

__kernel void writes_simply(__global const int *in, __global int *out, int n)
{
    __global int *row = out + get_group_id(0) * (size_t)SIZE * 4;
    int end = n < SIZE * 4 ? n : SIZE * 4;
    for (int i = LID; i < end; i += SIZE) {
        row[i] = ROW(i) * 3;
    }
}

/* Branches, loops and jumps inside. */
__kernel void branches(__global const int *in, __global uint *out, int n)
{
    uint hash = 3;
    for (int i = LID; i < n; i += SIZE) {
        int x = ROW(i);
        if (x & 1) {
            continue;
        }
        if (x % 3 == 0) {
            hash = MIX(hash, i);
        }
        for (int k = 0; k < (x & 3); k++) {
            hash = MIX(hash, k);
        }
        for (int k = 0; k < (n & 7); k++) {
            hash = MIX(hash, ROW(i + k));
        }
    }
    out[GID] = hash;
}

__kernel void breaks(__global const int *in, __global uint *out, int n)
{
    uint hash = 3;
    for (int i = LID; i < n; i += SIZE) {
        if (ROW(i) % 11 == 0) {
            break;
        }
        hash = MIX(hash, ROW(i));
    }
    for (int i = LID; i < n; i += SIZE) {
        hash = MIX(hash, i);
        if (i > 60) {
            break;
        }
    }
    out[GID] = hash;
}

/* Some items do not enter the loop, and all need what was computed before it. */
__kernel void under_a_condition(__global const int *in, __global const int *own, __global uint *out,
                                int n)
{
    uint hash = 5;
    if (own[GID] & 2) {
        int k = own[GID] / 3;
        for (int i = LID; i < n; i += SIZE) {
            hash = MIX(hash, ROW(i) ^ k);
        }
        hash ^= (uint)k;
    }
    out[GID] = hash;
}

__kernel void tests_at_the_end(__global const int *in, __global const int *own, __global uint *out,
                               int n)
{
    uint hash = 5;
    int i = LID, k = own[GID] / 5;
    do {
        hash = MIX(hash, ROW(i) ^ k);
        i += SIZE;
    } while (i < n);
    out[GID] = hash ^ (uint)k;
}

/* The guard and what it guards: used in the loop, behind it, and in both. */
__kernel void guarded(__global const int *in, __global const int *own, __global uint *out, int n)
{
    uint hash = 5;
    int i = LID;
    if (i < n) {
        int k = own[GID] / 7, m = own[GID] % 7, both = k ^ m;
        do {
            hash = MIX(hash, ROW(i) ^ k ^ both);
            i += SIZE;
        } while (i < n);
        hash = MIX(hash, m + both);
    } else {
        hash = 11;
    }
    out[GID] = MIX(hash, i);
}

/* The test itself has an effect. */
__kernel void test_that_writes(__global const int *in, __global int *out, int n)
{
    int i = LID, rounds = 0;
    out[GID] = 0;
    while (out[GID] += 3, i < n) {
        i += SIZE;
        rounds ^= ROW(i);
    }
    out[GID] ^= rounds << 8;
}

/* One loop behind the other, and a loop in a loop. */
__kernel void softmax(__global const float *in, __global float *out, int n)
{
    __local float cells[128];
    float largest = -1e30f, sum = 0;
    for (int i = LID; i < n; i += SIZE) {
        largest = fmax(largest, in[i & 255]);
    }
    cells[LID] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < SIZE; i++) {
        largest = fmax(largest, cells[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = LID; i < n; i += SIZE) {
        sum += in[i & 255] - largest;
    }
    cells[LID] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int i = 0; i < SIZE; i++) {
        sum += cells[i];
    }
    out[GID] = sum;
}

__kernel void rows_of_rows(__global const int *in, __global uint *out, int n)
{
    uint hash = 1;
    for (int r = 0; r < 3; r++) {
        for (int i = LID; i < n + r; i += SIZE) {
            for (int k = i; k < n; k += 7) {
                hash = MIX(hash, ROW(k + r));
            }
        }
    }
    out[GID] = hash;
}

/* A barrier in the body: every item runs as many iterations. */
__kernel void barrier_inside(__global const int *in, __global uint *out)
{
    __local int cells[128];
    uint hash = 1;
    for (int i = LID; i < 3 * SIZE; i += SIZE) {
        cells[LID] = ROW(i);
        barrier(CLK_LOCAL_MEM_FENCE);
        hash = MIX(hash, cells[SIZE - 1 - LID]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[GID] = hash;
}

__kernel void two_rows(__global const int *in, __global uint *out, int n)
{
    uint hash = 1;
    for (int i = (int)get_local_id(1); i < n; i += (int)get_local_size(1)) {
        for (int k = LID; k < n; k += SIZE) {
            hash = MIX(hash, ROW(i + k));
        }
    }
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = hash;
}
