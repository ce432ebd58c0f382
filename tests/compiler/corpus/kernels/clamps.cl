/* Loads at indexes that are clamped to a range. Most chunks are inside it, some are at a border. */
#include "corpus.clh"

#define LID  ((int)get_local_id(0))
#define SIZE ((int)get_local_size(0))

/* Fills local memory with the group's elements, and adds elements at `left` and `right`. */
#define CLAMPED(name, left, right)                                                                 \
    __kernel void name(__global const int *in, __global int *out, int n)                           \
    {                                                                                              \
        __local int cells[128];                                                                    \
        int sum = 0;                                                                               \
        cells[LID] = in[GID];                                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        for (int k = 1; k < n; k++) {                                                              \
            sum = sum * 31 + cells[left] * 5 + cells[right];                                       \
        }                                                                                          \
        out[GID] = sum;                                                                            \
    }

CLAMPED(max_signed, max(LID - k, 0), LID)
CLAMPED(max_first, max(0, LID - k), LID)
CLAMPED(min_signed, min(LID + k, SIZE - 1), LID)
CLAMPED(min_unsigned, min((uint)LID - (uint)k, (uint)SIZE - 1), LID)
CLAMPED(max_unsigned, min(max((uint)LID, (uint)k), (uint)SIZE - 1), LID)
CLAMPED(clamp_signed, clamp(LID - k, 0, SIZE - 1), clamp(LID + k, 0, SIZE - 1))
CLAMPED(clamp_unsigned, clamp(2u * (uint)LID, 0u, (uint)SIZE - 1), LID)
CLAMPED(both, min(max(LID - 4 + k, 0), SIZE - 1), max(min(LID + 3 - k, SIZE - 1), 0))
CLAMPED(selected, LID > k ? LID - k - 1 : 0, LID < SIZE - k ? LID + k - 1 : SIZE - 1)
CLAMPED(selected_far, LID < SIZE - 16 * k ? LID + 16 * k : 0, LID)
CLAMPED(other_way, LID <= k ? 0 : LID - k, SIZE - k <= LID ? SIZE - 1 : LID)
CLAMPED(backwards, max(SIZE - 1 - LID - k, 0), min(2 * LID, SIZE - 1))
CLAMPED(of_longs, (int)max((long)LID - k, 0L), (int)min((ulong)LID, (ulong)SIZE - 1))

/* Indexes that wrap around: at the group's end, below zero, between two numbers of 32 bits. They load
 * from the group's elements in global memory. */
#define WRAPPED(name, left, right)                                                                 \
    __kernel void name(__global const int *in, __global int *out, int n)                           \
    {                                                                                              \
        __global const int *cells = in + get_group_id(0) * get_local_size(0);                      \
        int sum = 0;                                                                               \
        for (int k = 1; k < n; k++) {                                                              \
            sum = sum * 31 + cells[left] * 5 + cells[right];                                       \
        }                                                                                          \
        out[GID] = sum;                                                                            \
    }
WRAPPED(rest_signed, (LID + k) % SIZE, (LID - k + SIZE) % SIZE)
WRAPPED(rest_unsigned, ((uint)LID + (uint)k) % (uint)SIZE, LID)
WRAPPED(rest_below_zero, (LID - k) % SIZE + (LID < k ? SIZE - 1 : 0), LID)
WRAPPED(rest_of_negative, (LID + k) % -SIZE, LID)
WRAPPED(rest_wraps, ((uint)LID - (uint)k) % (uint)SIZE, LID)
WRAPPED(rest_wraps_signed, (int)((uint)(LID + k) + 0x7ffffffc) % SIZE & (SIZE - 1), LID)
WRAPPED(rest_backwards, (2 * SIZE - LID - k) % SIZE, LID)
WRAPPED(rest_of_longs, (int)(((long)LID + k) % (long)SIZE),
        (int)(((ulong)LID - (ulong)k) % (ulong)SIZE))
WRAPPED(rest_of_rest, ((LID + k) % SIZE + SIZE - 1) % SIZE, (LID % SIZE + k) % SIZE)
WRAPPED(rest_constant, (LID + k) % 50 % SIZE, ((uint)LID + 3u) % 9u % (uint)SIZE)
WRAPPED(masked, (LID + k) & (SIZE - 1), (SIZE - 1) & (LID - k))
WRAPPED(masked_constant, min((LID + k) & 31, SIZE - 1), min((LID + k) & 27, SIZE - 1))
WRAPPED(quotient, (LID + k) / SIZE % SIZE, ((uint)LID + (uint)k) / (uint)SIZE % (uint)SIZE)
WRAPPED(quotient_below_zero, ((LID - k) / SIZE + SIZE) % SIZE, LID)
WRAPPED(quotient_wraps, ((uint)LID - (uint)k) / 0x30000000u % (uint)SIZE, LID)
WRAPPED(quotient_and_rest, min((int)(((uint)LID + (uint)k) / 20u) + (LID + k) % 20, SIZE - 1), LID)

/* In global memory, in two dimensions, under a condition. */
__kernel void blurred(__global const float *in, __global float *out, int w, int h)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    float sum = 0;
    if (x < w && y < h) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -2; dx <= 2; dx++) {
                sum += in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)] * 0.25f;
            }
        }
        out[y * w + x] = sum;
    }
}

/* The loaded value is needed in other blocks, and the block ends in a branch. */
__kernel void in_branches(__global const int *in, __global int *out, int n)
{
    int i = (int)GID, last = (int)get_global_size(0) - 1, left = in[max(i - 1, 0)];
    if (left > in[min(i + n, last)]) {
        out[GID] = left - in[max(i - n, 0)];
    } else {
        out[GID] = left + 7;
    }
}
