/* Graphs, dynamic programming and paths. A graph has for each vertex the begin of its edges. */

/* Marks the neighbours of each vertex in the frontier that were not seen before. */
__kernel void bfs_frontier(__global const uint *begins, __global const uint *edges,
                           __global const uint *levels, __global uint *next, uint level)
{
    uint v = get_global_id(0);
    if (levels[v] != level) {
        return;
    }
    for (uint e = begins[v]; e < begins[v + 1]; e++) {
        uint neighbour = edges[e];
        if (levels[neighbour] > level) {
            next[neighbour] = 1;
        }
    }
}

/* Makes one step of PageRank: each vertex collects the shares of the vertices that link to it. */
__kernel void pagerank(__global const uint *begins, __global const uint *edges,
                       __global const float *rank, __global const uint *degrees,
                       __global float *out, float damping)
{
    uint v = get_global_id(0);
    float sum = 0.0f;
    for (uint e = begins[v]; e < begins[v + 1]; e++) {
        uint u = edges[e];
        sum += rank[u] / (degrees[u] + 1);
    }
    out[v] = (1.0f - damping) / get_global_size(0) + damping * sum;
}

/* Makes one step towards connected components: both ends of an edge get the smaller label. */
__kernel void components(__global const uint *begins, __global const uint *edges,
                         __global const uint *labels, __global uint *out)
{
    uint v = get_global_id(0), mine = labels[v], least = mine;
    for (uint e = begins[v]; e < begins[v + 1]; e++) {
        uint neighbour = edges[e], label = labels[neighbour];
        if (label < least) {
            least = label;
        } else if (mine < label) {
            atomic_min(&out[neighbour], mine);
        }
    }
    atomic_min(&out[v], least);
}

#define TILE 16

/* Makes the last phase of a blocked Floyd-Warshall step: paths through the vertices of a block. */
__kernel void floyd_tile(__global const float *in, __global float *out, int n, int block)
{
    __local float up[TILE][TILE], left[TILE][TILE];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_global_id(0), y = get_global_id(1);
    up[ly][lx] = in[(block * TILE + ly) * n + x];
    left[ly][lx] = in[y * n + block * TILE + lx];
    float best = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) {
        best = fmin(best, left[ly][k] + up[k][lx]);
    }
    out[y * n + x] = best;
}

#define LENGTH 64

/* Computes the edit distance of two strings of 64 letters per work-group. The table is computed by
 * diagonals, with one item per row. */
__kernel void edit_distance(__global const uchar *a, __global const uchar *b, __global int *out)
{
    __local int diagonals[3][LENGTH + 1];
    __local uchar word[LENGTH];
    int row = get_local_id(0) + 1, group = get_group_id(0);
    uchar letter = a[group * LENGTH + row - 1] & 7;
    word[row - 1] = b[group * LENGTH + row - 1] & 7;
    if (row == 1) {
        diagonals[0][0] = 0;
        diagonals[1][0] = 1;
    }
    if (row == 1) {
        diagonals[1][1] = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 2; d <= 2 * LENGTH; d++) {
        __local int *now = diagonals[d % 3];
        __local const int *last = diagonals[(d + 2) % 3], *before = diagonals[(d + 1) % 3];
        int column = d - row;
        if (column > 0 && column <= LENGTH) {
            int replaced = before[row - 1] + (word[column - 1] != letter);
            now[row] = min(min(last[row], last[row - 1]) + 1, replaced);
        } else if (column == 0) {
            now[row] = row;
        }
        if (row == 1 && d <= LENGTH) {
            now[0] = d;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row == LENGTH) {
        out[group] = diagonals[(2 * LENGTH) % 3][LENGTH];
    }
}

/* Fills one row of the table for the knapsack problem. */
__kernel void knapsack(__global const uint *in, __global uint *out, uint weight, uint value)
{
    uint capacity = get_global_id(0);
    uint best = in[capacity] >> 8;
    if (capacity >= weight) {
        best = max(best, (in[capacity - weight] >> 8) + value);
    }
    out[capacity] = best;
}

/* Counts the common neighbours of the ends of random pairs. The edges of a vertex are sorted in
 * private memory first. */
__kernel void common_neighbours(__global const uint *begins, __global const uint *edges,
                                __global const uint *pairs, __global uint *out)
{
    uint a[32], b[32];
    uint i = get_global_id(0), u = pairs[2 * i], v = pairs[2 * i + 1];
    uint first = begins[u], count_a = begins[u + 1] - first;
    for (uint k = 0; k < count_a; k++) {
        uint key = edges[first + k] >> 6, j = k;
        for (; j > 0 && a[j - 1] > key; j--) {
            a[j] = a[j - 1];
        }
        a[j] = key;
    }
    first = begins[v];
    uint count_b = begins[v + 1] - first;
    for (uint k = 0; k < count_b; k++) {
        uint key = edges[first + k] >> 6, j = k;
        for (; j > 0 && b[j - 1] > key; j--) {
            b[j] = b[j - 1];
        }
        b[j] = key;
    }
    uint common = 0, j = 0, k = 0;
    while (j < count_a && k < count_b) {
        if (a[j] == b[k]) {
            common++;
            j++;
            k++;
        } else if (a[j] < b[k]) {
            j++;
        } else {
            k++;
        }
    }
    out[i] = common;
}
