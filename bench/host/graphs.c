/* Kernels of graphs.cl in plain C. */
#include <string.h>

#include "host.h"

static void bfs_frontier(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict begins = WORDS(0), *restrict edges = WORDS(1),
                             *restrict levels = WORDS(2);
    uint32_t *restrict next = WORDS(3), level = call->value[4];
    for (size_t v = first * 256; v < end * 256; v++) {
        if (levels[v] != level) {
            continue;
        }
        for (uint32_t e = begins[v]; e < begins[v + 1]; e++) {
            if (levels[edges[e]] > level) {
                next[edges[e]] = 1;
            }
        }
    }
}

static void pagerank(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict begins = WORDS(0), *restrict edges = WORDS(1),
                             *restrict degrees = WORDS(3);
    const float *restrict rank = FLOATS(2);
    float *restrict out = FLOATS(4), damping = float_of(call, 5);
    float start = (1.0f - damping) / (float)(call->row->groups[0] * 256);
    for (size_t v = first * 256; v < end * 256; v++) {
        float sum = 0.0f;
        for (uint32_t e = begins[v]; e < begins[v + 1]; e++) {
            sum += rank[edges[e]] / (float)(degrees[edges[e]] + 1);
        }
        out[v] = start + damping * sum;
    }
}

static void lower(uint32_t *word, uint32_t value)
{
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (value < old &&
           !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void components(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict begins = WORDS(0), *restrict edges = WORDS(1),
                             *restrict labels = WORDS(2);
    uint32_t *out = WORDS(3);
    for (size_t v = first * 256; v < end * 256; v++) {
        uint32_t mine = labels[v], least = mine;
        for (uint32_t e = begins[v]; e < begins[v + 1]; e++) {
            uint32_t label = labels[edges[e]];
            if (label < least) {
                least = label;
            } else if (mine < label) {
                lower(&out[edges[e]], mine);
            }
        }
        lower(&out[v], least);
    }
}

static void floyd_tile(const struct bench_call *call, size_t first, size_t end)
{
    enum { TILE = 16 };
    const float *restrict in = FLOATS(0);
    size_t n = call->value[2], block = call->value[3];
    for (size_t y = first; y < end; y++) {
        float *restrict to = FLOATS(1) + y * n;
        memcpy(to, in + y * n, n * sizeof(*to));
        for (size_t k = 0; k < TILE; k++) {
            const float *restrict up = in + (block * TILE + k) * n;
            float left = in[y * n + block * TILE + k];
            for (size_t x = 0; x < n; x++) {
                to[x] = left + up[x] < to[x] ? left + up[x] : to[x];
            }
        }
    }
}

/* Computes one row after the other. The value on the left is the only dependence within a row. */
static void edit_distance(const struct bench_call *call, size_t first, size_t end)
{
    enum { LENGTH = 64 };
    int32_t *restrict out = call->memory[2];
    for (size_t group = first; group < end; group++) {
        const uint8_t *restrict a = BYTES(0) + group * LENGTH, *restrict b =
                                                                   BYTES(1) + group * LENGTH;
        int row[LENGTH + 1];
        for (int i = 0; i <= LENGTH; i++) {
            row[i] = i;
        }
        for (int y = 1; y <= LENGTH; y++) {
            int before = row[0], left = row[0] = y;
            for (int x = 1; x <= LENGTH; x++) {
                int replaced = before + ((a[y - 1] & 7) != (b[x - 1] & 7));
                before = row[x];
                left = (left < before ? left : before) + 1;
                left = left < replaced ? left : replaced;
                row[x] = left;
            }
        }
        out[group] = row[LENGTH];
    }
}

static void knapsack(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict in = WORDS(0);
    uint32_t *restrict out = WORDS(1), weight = call->value[2], value = call->value[3];
    size_t i = first * 256;
    for (; i < weight && i < end * 256; i++) {
        out[i] = in[i] >> 8;
    }
    for (; i < end * 256; i++) {
        uint32_t without = in[i] >> 8, with = (in[i - weight] >> 8) + value;
        out[i] = with > without ? with : without;
    }
}

static uint32_t sorted_edges(const uint32_t *begins, const uint32_t *edges, uint32_t vertex,
                             uint32_t *keys)
{
    uint32_t first = begins[vertex], count = begins[vertex + 1] - first;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t key = edges[first + k] >> 6, j = k;
        for (; j > 0 && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
        }
        keys[j] = key;
    }
    return count;
}

static void common_neighbours(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *begins = WORDS(0), *edges = WORDS(1), *pairs = WORDS(2);
    for (size_t i = first * 64; i < end * 64; i++) {
        uint32_t a[32], b[32], common = 0, j = 0, k = 0;
        uint32_t count_a = sorted_edges(begins, edges, pairs[2 * i], a);
        uint32_t count_b = sorted_edges(begins, edges, pairs[2 * i + 1], b);
        while (j < count_a && k < count_b) {
            uint32_t x = a[j], y = b[k];
            common += x == y;
            j += x <= y;
            k += y <= x;
        }
        WORDS(3)[i] = common;
    }
}

static const struct bench_loop loops[] = {
    {"bfs_frontier", PARTS_GROUPS, bfs_frontier},
    {"pagerank", PARTS_GROUPS, pagerank},
    {"components", PARTS_GROUPS, components},
    {"floyd_tile", PARTS_ROWS, floyd_tile},
    {"edit_distance", PARTS_GROUPS, edit_distance},
    {"knapsack", PARTS_GROUPS, knapsack},
    {"common_neighbours", PARTS_GROUPS, common_neighbours},
};
LOOPS(bench_host_graphs, loops);
