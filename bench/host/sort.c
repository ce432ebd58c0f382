/* Kernels of sort.cl in plain C. */
#include <stdlib.h>
#include <string.h>

#include "host.h"

/* Exchanges each key in the lower half of a block with its partner. A part is a group of 256
 * items. */
static void bitonic(const struct bench_call *call, size_t first, size_t end)
{
    uint32_t *keys = WORDS(0);
    size_t distance = call->value[1], size = call->value[2];
    size_t run = distance < 256 ? distance : 256;
    for (size_t begin = first * 256; begin < end * 256; begin += run) {
        if (begin & distance) {
            continue;
        }
        uint32_t *restrict low = keys + begin, *restrict high = keys + begin + distance;
        uint32_t down = begin & size ? UINT32_MAX : 0;
#pragma omp simd
        for (size_t i = 0; i < run; i++) {
            uint32_t a = low[i], b = high[i], least = a < b ? a : b, most = a < b ? b : a;
            low[i] = (least & ~down) | (most & down);
            high[i] = (most & ~down) | (least & down);
        }
    }
}

static void bitonic_local(const struct bench_call *call, size_t first, size_t end)
{
    enum { KEYS = 512 };
    for (size_t group = first; group < end; group++) {
        uint32_t *keys = WORDS(1) + group * KEYS;
        memcpy(keys, WORDS(0) + group * KEYS, KEYS * sizeof(*keys));
        for (size_t size = 2; size <= KEYS; size *= 2) {
            for (size_t distance = size / 2; distance > 0; distance /= 2) {
                for (size_t begin = 0; begin < KEYS; begin += 2 * distance) {
                    uint32_t *restrict low = keys + begin, *restrict high = low + distance;
                    uint32_t down = begin & size ? UINT32_MAX : 0;
#pragma omp simd
                    for (size_t i = 0; i < distance; i++) {
                        uint32_t a = low[i], b = high[i], least = a < b ? a : b,
                                 most = a < b ? b : a;
                        low[i] = (least & ~down) | (most & down);
                        high[i] = (most & ~down) | (least & down);
                    }
                }
            }
        }
    }
}

enum { KEYS = 4096, DIGITS = 16 };

static void radix_count(const struct bench_call *call, size_t first, size_t end)
{
    uint32_t shift = call->value[2], groups = call->row->groups[0];
    for (size_t group = first; group < end; group++) {
        const uint32_t *in = WORDS(0) + group * KEYS;
        uint32_t counts[2][DIGITS] = {{0}};
        for (size_t i = 0; i < KEYS; i += 2) {
            counts[0][in[i] >> shift & (DIGITS - 1)]++;
            counts[1][in[i + 1] >> shift & (DIGITS - 1)]++;
        }
        for (size_t digit = 0; digit < DIGITS; digit++) {
            WORDS(1)[digit * groups + group] = counts[0][digit] + counts[1][digit];
        }
    }
}

static void radix_local(const struct bench_call *call, size_t first, size_t end)
{
    uint32_t shift = call->value[2];
    for (size_t group = first; group < end; group++) {
        const uint32_t *in = WORDS(0) + group * KEYS;
        uint32_t *out = WORDS(1) + group * KEYS, places[DIGITS + 1] = {0};
        for (size_t i = 0; i < KEYS; i++) {
            places[(in[i] >> shift & (DIGITS - 1)) + 1]++;
        }
        for (size_t digit = 0; digit < DIGITS; digit++) {
            places[digit + 1] += places[digit];
        }
        for (size_t i = 0; i < KEYS; i++) {
            out[places[in[i] >> shift & (DIGITS - 1)]++] = in[i];
        }
    }
}

static const struct bench_loop loops[] = {
    {"bitonic", PARTS_GROUPS, bitonic},
    {"bitonic_local", PARTS_GROUPS, bitonic_local},
    {"radix_count", PARTS_GROUPS, radix_count},
    {"radix_local", PARTS_GROUPS, radix_local},
};
LOOPS(bench_host_sort, loops);
