/* Kernels of keys.cl in plain C. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "host.h"

static void radix_scatter(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict keys = WORDS(0), *restrict places = WORDS(1);
    uint32_t *restrict out = WORDS(2), shift = call->value[3];
    size_t groups = call->row->groups[0];
    for (size_t group = first; group < end; group++) {
        uint32_t next[16];
        for (size_t digit = 0; digit < 16; digit++) {
            next[digit] = places[digit * groups + group];
        }
        for (size_t i = group * 256; i < (group + 1) * 256; i++) {
            out[next[keys[i] >> shift & 15]++] = keys[i];
        }
    }
}

static void radix_split(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict in = WORDS(0);
    uint32_t *restrict out = WORDS(1), shift = call->value[2];
    for (size_t group = first; group < end; group++) {
        uint32_t next[17] = {0};
        for (size_t i = group * 256; i < (group + 1) * 256; i++) {
            next[(in[i] >> shift & 15) + 1]++;
        }
        for (size_t digit = 0; digit < 16; digit++) {
            next[digit + 1] += next[digit];
        }
        for (size_t i = group * 256; i < (group + 1) * 256; i++) {
            out[group * 256 + next[in[i] >> shift & 15]++] = in[i];
        }
    }
}

static void radix_digits(const struct bench_call *call, size_t first, size_t end)
{
    uint32_t *restrict counts = WORDS(1), shift = call->value[2];
    size_t groups = call->row->groups[0];
    for (size_t group = first; group < end; group++) {
        const uint32_t *restrict keys = WORDS(0) + group * 4096;
        uint32_t bins[2][256] = {{0}};
        for (size_t i = 0; i < 4096; i += 2) {
            bins[0][keys[i] >> shift & 255]++;
            bins[1][keys[i + 1] >> shift & 255]++;
        }
        for (size_t i = 0; i < 256; i++) {
            counts[i * groups + group] = bins[0][i] + bins[1][i];
        }
    }
}

/* Keeps the best 8 in order. Few elements are larger than the last of them. */
static void top_k(const struct bench_call *call, size_t first, size_t end)
{
    size_t length = call->value[3];
    for (size_t row = first; row < end; row++) {
        const float *restrict in = FLOATS(0) + row * length;
        float *restrict values = FLOATS(1) + row * 8;
        uint32_t *restrict columns = WORDS(2) + row * 8;
        for (size_t k = 0; k < 8; k++) {
            values[k] = -INFINITY;
        }
        for (size_t i = 0; i < length; i++) {
            if (in[i] <= values[7]) {
                continue;
            }
            size_t k = 7;
            for (; k > 0 && in[i] > values[k - 1]; k--) {
                values[k] = values[k - 1];
                columns[k] = columns[k - 1];
            }
            values[k] = in[i];
            columns[k] = (uint32_t)i;
        }
    }
}

static void compact(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict in = WORDS(0);
    uint32_t *restrict counts = WORDS(2), limit = call->value[3];
    for (size_t group = first; group < end; group++) {
        uint32_t *restrict out = WORDS(1) + group * 256, kept[256], count = 0;
        for (size_t i = 0; i < 256; i++) {
            uint32_t value = in[group * 256 + i];
            kept[count] = value;
            count += value < limit;
        }
        memcpy(out, kept, count * sizeof(*kept));
        counts[group] = count;
    }
}

static void compact_atomic(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict in = WORDS(0);
    uint32_t *restrict out = WORDS(1), *counter = WORDS(2), limit = call->value[3],
                       mask = call->value[4];
    for (size_t group = first; group < end; group++) {
        uint32_t kept[256], count = 0;
        for (size_t i = 0; i < 256; i++) {
            uint32_t value = in[group * 256 + i];
            kept[count] = value;
            count += value < limit;
        }
        uint32_t place = __atomic_fetch_add(counter, count, __ATOMIC_RELAXED);
        for (uint32_t i = 0; i < count; i++) {
            out[(place + i) & mask] = kept[i];
        }
    }
}

static void segmented_scan(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    const uint32_t *restrict flags = WORDS(1);
    float *restrict out = FLOATS(2), sum = 0.0f;
    for (size_t i = first * 256; i < end * 256; i++) {
        bool head = (flags[i] >> 16 & 7) == 0 || i % 256 == 0;
        sum = (head ? 0.0f : sum) + in[i];
        out[i] = sum;
    }
}

static void reduce_atomic(const struct bench_call *call, size_t first, size_t end)
{
    const int32_t *restrict in = call->memory[0];
    int32_t *results = call->memory[1];
    size_t share = call->value[2] / call->row->groups[0];
    uint32_t sum = 0;
    int32_t least = INT_MAX, most = INT_MIN;
    for (size_t i = first * share; i < end * share; i++) {
        sum += (uint32_t)in[i];
        least = in[i] < least ? in[i] : least;
        most = in[i] > most ? in[i] : most;
    }
    __atomic_fetch_add(&results[0], (int32_t)sum, __ATOMIC_RELAXED);
    int32_t old = __atomic_load_n(&results[1], __ATOMIC_RELAXED);
    while (least < old && !__atomic_compare_exchange_n(&results[1], &old, least, true,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    old = __atomic_load_n(&results[2], __ATOMIC_RELAXED);
    while (most > old && !__atomic_compare_exchange_n(&results[2], &old, most, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

enum { KEYS = 1024 };

static void sum_by_key(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict keys = WORDS(0), *restrict values = WORDS(1);
    uint32_t sums[2][KEYS] = {{0}};
    for (size_t i = first * 256; i < end * 256; i += 2) {
        sums[0][keys[i]] += values[i] >> 20;
        sums[1][keys[i + 1]] += values[i + 1] >> 20;
    }
    for (size_t i = 0; i < KEYS; i++) {
        __atomic_fetch_add(&WORDS(2)[i], sums[0][i] + sums[1][i], __ATOMIC_RELAXED);
    }
}

static void scan_by_eight(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1);
    for (size_t group = first; group < end; group++) {
        float sum = 0.0f;
        for (size_t i = group * 1024; i < (group + 1) * 1024; i++) {
            out[i] = sum += in[i];
        }
    }
}

/* Searches without branches: the step is halved until it is 0. */
static void lower_bound(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict sorted = WORDS(0), *restrict queries = WORDS(1);
    uint32_t *restrict out = WORDS(2), count = call->value[3];
    for (size_t i = first * 256; i < end * 256; i++) {
        const uint32_t *base = sorted;
        uint32_t query = queries[i], left = count;
        while (left > 1) {
            uint32_t half = left / 2;
            base += base[half - 1] < query ? half : 0;
            left -= half;
        }
        out[i] = (uint32_t)(base - sorted) + (*base < query);
    }
}

static const struct bench_loop loops[] = {
    {"radix_scatter", PARTS_GROUPS, radix_scatter},
    {"radix_split", PARTS_GROUPS, radix_split},
    {"radix_digits", PARTS_GROUPS, radix_digits},
    {"top_k", PARTS_GROUPS, top_k},
    {"compact", PARTS_GROUPS, compact},
    {"compact_atomic", PARTS_GROUPS, compact_atomic},
    {"segmented_scan", PARTS_GROUPS, segmented_scan},
    {"reduce_atomic", PARTS_GROUPS, reduce_atomic},
    {"sum_by_key", PARTS_GROUPS, sum_by_key},
    {"scan_by_eight", PARTS_GROUPS, scan_by_eight},
    {"lower_bound", PARTS_GROUPS, lower_bound},
};
LOOPS(bench_host_keys, loops);
