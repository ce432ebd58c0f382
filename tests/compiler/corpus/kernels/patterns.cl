/* Lanes that read and write where bits of their local ids say: by constants, and by values that the
 * group takes one after the other. */
#include "corpus.clh"

#define LOCAL_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define CELLS         512

/* Every cell is written before any is read: items of a group are 128 at most. */
#define CLEAR(cells)                                                                               \
    for (uint clear = 0; clear < CELLS; clear += get_local_size(0)) {                              \
        if (clear + get_local_id(0) < CELLS) {                                                     \
            cells[clear + get_local_id(0)] = clear + (uint)get_local_id(0);                        \
        }                                                                                          \
    }                                                                                              \
    LOCAL_BARRIER

__kernel void by_constants(__global const int *in, __global int *out)
{
    __local uint cells[CELLS];
    uint l = (uint)get_local_id(0);
    CLEAR(cells);
    cells[l ^ 5] = (uint)in[GID];
    LOCAL_BARRIER;
    uint sum = cells[l & ~3u] + 3 * cells[l >> 2] + 5 * cells[l ^ 9] + 7 * cells[(3 * l) ^ 1] +
               9 * cells[2 * l + ((l & 15) >> 3)];
    LOCAL_BARRIER;
    cells[(l << 1) | 1] = sum;
    LOCAL_BARRIER;
    out[GID] = (int)(cells[2 * l + 1] ^ cells[2 * l] ^ (cells[(l & 7) * 4] << 3) ^ l / 4 ^ l % 4);
}

/* Signed arithmetic must not overflow, but does in lanes that are off: lane 0, too. */
__kernel void some_lanes(__global const int *in, __global int *out)
{
    __local uint cells[CELLS];
    int l = (int)get_local_id(0), sum = 0;
    CLEAR(cells);
    if (l > 2 && in[GID] % 3) {
        cells[(l - 3) ^ 1] = (uint)in[GID];
    }
    LOCAL_BARRIER;
    if (in[GID] & 1) {
        sum = (int)cells[l ^ 3];
    }
    if (in[GID] & 6) {
        sum += (int)(cells[l >> 1] - cells[(l ^ 6) + 1]);
    }
    out[GID] = sum;
}

/* Two items write to one cell, the same value. */
__kernel void shared_cells(__global const int *in, __global int *out)
{
    __local uint cells[CELLS];
    uint l = (uint)get_local_id(0);
    CLEAR(cells);
    cells[l >> 1] = l >> 1 ^ 77;
    if (in[GID] & 1) {
        cells[256 + (l >> 2)] = l >> 2 ^ 99;
    }
    LOCAL_BARRIER;
    out[GID] = (int)(cells[l] + 3 * cells[256 + l]);
}

/* Pairs that are as far apart as the loop says, exchanged by some. */
__kernel void exchange(__global const uint *in, __global uint *out)
{
    __local uint cells[CELLS];
    uint l = (uint)get_local_id(0);
    CLEAR(cells);
    cells[l] = in[GID];
    for (uint distance = 128; distance > 0; distance /= 2) {
        LOCAL_BARRIER;
        uint low = 2 * l - (l & (distance - 1)), high = low + distance;
        uint a = cells[low], b = cells[high];
        if ((a > b) == ((low & 64) == 0)) {
            cells[low] = b;
            cells[high] = a;
        }
    }
    LOCAL_BARRIER;
    out[GID] = cells[l] + 3 * cells[2 * l + 1];
}

/* Numbers in no order, powers of two and others, 0 too. */
__kernel void any_distance(__global const uint *in, __global uint *out, uint a, uint b, uint c)
{
    __local uint cells[CELLS];
    uint l = (uint)get_local_id(0), sum = 0;
    CLEAR(cells);
    for (uint turn = 0; turn < 7; turn++) {
        uint distance = turn == 0 ? a : turn == 1 ? b : turn == 2 ? 3 * a : c - turn;
        cells[l] = in[GID] + sum;
        LOCAL_BARRIER;
        sum += cells[l & (distance - 1)] + 3 * cells[l ^ distance] +
               5 * cells[(l * distance) & (CELLS - 1)] + 7 * cells[(l | distance) - (l & distance)];
        LOCAL_BARRIER;
        cells[2 * l + (l & distance & 1)] = sum;
        LOCAL_BARRIER;
        sum ^= cells[2 * l];
        LOCAL_BARRIER;
    }
    out[GID] = sum;
}

__kernel void thirds(__global const uint *in, __global uint *out, uint distance)
{
    __local uint cells[CELLS];
    uint l = (uint)get_local_id(0), sum = 0;
    CLEAR(cells);
    cells[l] = in[GID];
    for (; distance > 0; distance /= 3) {
        LOCAL_BARRIER;
        sum += cells[l & (distance - 1)] + 3 * cells[l + (l & (distance - 1))];
    }
    out[GID] = sum;
}

/* Up a tree and down again. */
__kernel void tree(__global const uint *in, __global uint *out)
{
    __local uint cells[CELLS];
    uint l = (uint)get_local_id(0), offset = 1;
    CLEAR(cells);
    cells[l] = in[GID];
    for (uint width = 128; width > 0; width /= 2) {
        LOCAL_BARRIER;
        if (l < width) {
            cells[offset * (2 * l + 2) - 1] += cells[offset * (2 * l + 1) - 1];
        }
        offset *= 2;
    }
    for (uint width = 1; width <= 128; width *= 2) {
        offset /= 2;
        LOCAL_BARRIER;
        if (l < width) {
            uint left = offset * (2 * l + 1) - 1, right = offset * (2 * l + 2) - 1;
            uint value = cells[left];
            cells[left] = cells[right];
            cells[right] += value;
        }
    }
    LOCAL_BARRIER;
    out[GID] = cells[2 * l] + 3 * cells[2 * l + 1];
}

/* Pairs of floats, of which both halves move together. */
__kernel void pairs(__global const float *in, __global float *out)
{
    __local float2 cells[2][2 * 128];
    uint l = (uint)get_local_id(0), n = (uint)get_local_size(0), from = 0;
    for (uint i = l; i < 2 * 128; i += n) {
        cells[0][i] = cells[1][i] = (float2)((float)i, -(float)i);
    }
    LOCAL_BARRIER;
    cells[0][l].x = in[GID];
    LOCAL_BARRIER;
    for (uint length = 1; length < 128; length *= 2) {
        uint k = l & (length - 1), to = 2 * l - k;
        float2 a = cells[from][l], b = cells[from][l + 128];
        cells[1 - from][to] = a + b;
        cells[1 - from][to + length] = a - b;
        from = 1 - from;
        LOCAL_BARRIER;
    }
    out[GID] = cells[from][l].x + 3.0f * cells[from][l ^ 1].y;
}

/* Elements of 1, 2, 8 and 16 bytes. */
__kernel void sizes(__global const uint *in, __global uint *out)
{
    __local uchar bytes[CELLS];
    __local ushort shorts[CELLS];
    __local ulong longs[CELLS];
    __local uint4 fours[CELLS / 2];
    uint l = (uint)get_local_id(0), sum = 0;
    CLEAR(bytes);
    CLEAR(shorts);
    CLEAR(longs);
    bytes[l ^ 1] = (uchar)in[GID];
    shorts[l ^ 2] = (ushort)in[GID];
    longs[l ^ 3] = in[GID] * 3ul;
    fours[l ^ 1] = (uint4)(in[GID], l, 3, 4);
    fours[128 + (l ^ 1)] = (uint4)(l, in[GID], 5, 6);
    LOCAL_BARRIER;
    for (uint distance = 1; distance <= 32; distance *= 2) {
        sum += bytes[l ^ distance] + shorts[l ^ distance] + (uint)longs[l ^ distance];
        LOCAL_BARRIER;
    }
    if ((get_local_size(0) & 1) == 0) {
        uint4 other = fours[128 + (l ^ 1)];
        sum += fours[l ^ 1].x + 3 * other.y + other.x;
    }
    out[GID] = sum;
}

/* Without barriers. */
__kernel void from_table(__global const int *table, __global int *out)
{
    size_t l = get_local_id(0);
    out[GID] = table[l ^ 3] + 3 * table[l >> 3] + 5 * table[(l & 12) + 1] + 7 * table[l * 2 ^ 6];
}

/* Offsets from ids that are computed before a barrier and used behind it. */
__kernel void offsets_live_on(__global const int *in, __global int *out, int c)
{
    __local uint cells[CELLS];
    int l = (int)get_local_id(0), left = l + 3, right = l + c, back = 130 - l, far = 2 * l - c + 9;
    uint above = (uint)l + 5u;
    short narrow = (short)(l * 2 + 1);
    int own = (int)GID + c - 9;
    uint sum = 0;
    CLEAR(cells);
    for (int turn = 0; turn < 3; turn++) {
        cells[left] = (uint)in[own] + (uint)turn;
        LOCAL_BARRIER;
        sum = sum * 31u + cells[right] + 3 * cells[back] + 5 * cells[above] + 7 * cells[narrow];
        LOCAL_BARRIER;
        sum += cells[far];
        LOCAL_BARRIER;
    }
    out[own] = (int)sum;
}
