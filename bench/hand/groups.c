/* Sums, scans and histograms of work-groups. */
#include <immintrin.h>

#include "hand.h"

/* Sums up the values of groups, with four independent chains of four vectors per group. */
AVX512_INLINE float sum_256(const float *in)
{
    __m512 sums[4];
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; v++) {
        sums[v] = _mm512_loadu_ps(in + 16 * v);
#pragma GCC unroll 3
        for (size_t i = 1; i < 4; i++) {
            sums[v] = _mm512_add_ps(sums[v], _mm512_loadu_ps(in + 64 * i + 16 * v));
        }
    }
    return _mm512_reduce_add_ps(
        _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
}

AVX512 static void reduce(const struct bench_call *call, size_t first, size_t end)
{
    for (size_t group = first; group < end; group++) {
        FLOATS(1)[group] = sum_256(FLOATS(0) + group * 256);
    }
}

/* Computes the inclusive scan of a vector by four shifts of lanes. */
AVX512_INLINE __m512 scan_vector(__m512 x)
{
    const __m512i zero = _mm512_setzero_si512();
#define STEP(lanes)                                                                                \
    x = _mm512_add_ps(                                                                             \
        x, _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(x), zero, 16 - (lanes))))
    STEP(1);
    STEP(2);
    STEP(4);
    STEP(8);
#undef STEP
    return x;
}

/* Scans `count` floats. Only one addition and one permutation depend on the vector before. */
AVX512_INLINE void scan(const float *in, float *out, size_t count, int exclusive)
{
    const __m512i last = _mm512_set1_epi32(15);
    __m512 before = _mm512_setzero_ps();
    for (size_t i = 0; i < count; i += 16) {
        __m512 x = _mm512_loadu_ps(in + i), own = scan_vector(x);
        __m512 sum = _mm512_add_ps(own, before);
        __m512 shifted = _mm512_castsi512_ps(
            _mm512_alignr_epi32(_mm512_castps_si512(sum), _mm512_castps_si512(before), 15));
        _mm512_storeu_ps(out + i, exclusive ? shifted : sum);
        before = _mm512_add_ps(before, _mm512_permutexvar_ps(last, own));
    }
}

AVX512 static void scan_inclusive(const struct bench_call *call, size_t first, size_t end)
{
    for (size_t group = first; group < end; group++) {
        scan(FLOATS(0) + group * 256, FLOATS(1) + group * 256, 256, 0);
    }
}

AVX512 static void scan_exclusive(const struct bench_call *call, size_t first, size_t end)
{
    for (size_t group = first; group < end; group++) {
        scan(FLOATS(0) + group * 512, FLOATS(1) + group * 512, 512, 1);
    }
}

enum { COPIES = 4 };

/* Counts with four sets of bins, and loads two words at once. So an addition does not wait for an
 * earlier one to the same bin. Gathers and scatters with a set of bins per lane are slower, as they
 * move one lane at a time. */
static void count_words(const uint32_t *in, size_t count, uint32_t *out)
{
    uint32_t bins[COPIES][256] = {{0}};
    const uint64_t *pairs = (const uint64_t *)(const void *)in;
    for (size_t i = 0; i < count / 2; i += 2) {
        uint64_t one = pairs[i], two = pairs[i + 1];
        bins[0][(uint8_t)(one >> 8)]++;
        bins[1][(uint8_t)(one >> 40)]++;
        bins[2][(uint8_t)(two >> 8)]++;
        bins[3][(uint8_t)(two >> 40)]++;
    }
    for (size_t i = 0; i < 256; i++) {
        __atomic_fetch_add(&out[i], bins[0][i] + bins[1][i] + bins[2][i] + bins[3][i],
                           __ATOMIC_RELAXED);
    }
}

static void histogram(const struct bench_call *call, size_t first, size_t end)
{
    count_words(WORDS(0) + first * 4096, (end - first) * 4096, WORDS(1));
}

static void histogram_global(const struct bench_call *call, size_t first, size_t end)
{
    count_words(WORDS(0) + first * 256, (end - first) * 256, WORDS(1));
}

static const struct bench_loop loops[] = {
    {"reduce_tree", PARTS_GROUPS, reduce},
    {"subgroup_reduce", PARTS_GROUPS, reduce},
    {"scan_hillis", PARTS_GROUPS, scan_inclusive},
    {"subgroup_scan", PARTS_GROUPS, scan_inclusive},
    {"scan_blelloch", PARTS_GROUPS, scan_exclusive},
    {"histogram", PARTS_GROUPS, histogram},
    {"histogram_global", PARTS_GROUPS, histogram_global},
};
LOOPS(bench_hand_groups, loops);
