/* Tests of memory and arithmetic. See diagnostics.h. */
#include "backend/cpu/sysman/diagnostics.h"

#include "machine/machine.h"

#include <string.h>

/* ---- memory ---- */

enum { ONES, ZEROS, ADDRESS, COMPLEMENT };

/* Returns the test value of a word. The bit position moves from word to word, and starts at another
 * position on every page. */
static uint64_t word_of(const volatile uint64_t *words, uint64_t index, uint32_t test)
{
    uint64_t bit = UINT64_C(1) << ((index + (index >> 9)) & 63);
    uint64_t address = (uint64_t)(uintptr_t)&words[index];
    switch (test) {
    case ONES:
        return bit;
    case ZEROS:
        return ~bit;
    case ADDRESS:
        return address;
    default:
        return ~address;
    }
}

void geo_diag_memory_fill(volatile uint64_t *words, uint64_t count, uint32_t test)
{
    for (uint64_t i = 0; i < count; i++) {
        words[i] = word_of(words, i, test);
    }
}

uint64_t geo_diag_memory_check(const volatile uint64_t *words, uint64_t count, uint32_t test)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; i++) {
        wrong += words[i] != word_of(words, i, test);
    }
    return wrong;
}

/* ---- arithmetic ---- */

#define STEPS 100000u
#define LANES 8

/* Volatile, so that the compiler cannot compute the results. */
static const volatile uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash << 5 | hash >> 59) ^ value;
}

static uint64_t integers(void)
{
    uint64_t x = seed, hash = 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        hash = mix(hash, x * UINT64_C(0xff51afd7ed558ccd));
        hash += x / ((x & 0xffff) | 1);
    }
    return hash;
}

/* Computes floating-point values. Each product is stored before an addition, so that every
 * operation is rounded separately (no fused multiply-add). */
static uint64_t floats(void)
{
    double y = (double)(seed >> 40);
    uint64_t hash = 0, bits;
    for (uint32_t i = 1; i <= STEPS; i++) {
        volatile double product = y * 1.0000001;
        y = product + 1.0 / i;
        y = (double)i / y + y * 0.5;
        memcpy(&bits, &y, sizeof(bits));
        hash = mix(hash, bits);
    }
    return hash;
}

typedef uint32_t lanes_t __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef float floats_t __attribute__((vector_size(LANES * sizeof(float))));

/* Computes vectors. All products are exact in every lane. */
static uint64_t vectors(void)
{
    lanes_t v, w = {0};
    floats_t f = {0};
    uint64_t hash = 0;
    for (int i = 0; i < LANES; i++) {
        v[i] = (uint32_t)seed + (uint32_t)i;
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        v = v * 1664525u + 1013904223u;
        w = (v >> 3) ^ (w + v);
        f = (f + (float)(i & 15)) * 0.5f;
        f = f - (float)(i & 7) * 0.25f;
    }
    for (int i = 0; i < LANES; i++) {
        uint32_t bits;
        memcpy(&bits, (const char *)&f + (size_t)i * sizeof(float), sizeof(bits));
        hash = mix(hash, (uint64_t)w[i] << 32 | bits);
    }
    return hash;
}

uint64_t geo_diag_compute(uint32_t test)
{
    const uint32_t fp = geo_machine_fp_get();
    geo_machine_fp_set(GEO_MACHINE_FP_DEFAULT);
    uint64_t result = test == 0 ? integers() : test == 1 ? floats() : vectors();
    geo_machine_fp_set(fp);
    return result;
}

/* The known results were computed with exact numbers and rounded to the formats. */
bool geo_diag_compute_right(uint32_t test)
{
    static const uint64_t known[GEO_DIAG_COMPUTE_TESTS] = {
        UINT64_C(0x8d8bc3e84c18a067),
        UINT64_C(0x7c7f2842799c049a),
        UINT64_C(0x51d248581aaa7ecc),
    };
    return geo_diag_compute(test) == known[test];
}
