/* Kernels of kernels.cl, groups.cl and subgroups.cl in plain C: sums, scans and histograms by
 * groups, transforms and factorisations of small pieces. Groups have 256 items, those of lu_local
 * 32. */
#include <string.h>

#include "host.h"

static void reduce(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1);
    for (size_t group = first; group < end; group++) {
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < 256; i++) {
            sum += in[group * 256 + i];
        }
        out[group] = sum;
    }
}

static void scan_inclusive(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1);
    for (size_t group = first; group < end; group++) {
        float sum = 0.0f;
        for (size_t i = group * 256; i < (group + 1) * 256; i++) {
            out[i] = sum += in[i];
        }
    }
}

static void scan_exclusive(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1);
    for (size_t group = first; group < end; group++) {
        float sum = 0.0f;
        for (size_t i = group * 512; i < (group + 1) * 512; i++) {
            out[i] = sum;
            sum += in[i];
        }
    }
}

/* Counts with four sets of bins, so that an addition does not wait for the one before. */
static void count_words(const uint32_t *in, size_t count, uint32_t *out)
{
    uint32_t bins[4][256] = {{0}};
    for (size_t i = 0; i < count; i += 4) {
        bins[0][in[i] >> 8 & 255]++;
        bins[1][in[i + 1] >> 8 & 255]++;
        bins[2][in[i + 2] >> 8 & 255]++;
        bins[3][in[i + 3] >> 8 & 255]++;
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

static void transpose_bytes(const struct bench_call *call, size_t first, size_t end)
{
    enum { BLOCK = 16 };
    const uint8_t *restrict in = BYTES(0);
    uint8_t *restrict out = BYTES(1);
    size_t n = call->value[2];
    for (size_t row = first; row < end; row += BLOCK) {
        size_t rows = end - row < BLOCK ? end - row : BLOCK;
        for (size_t column = 0; column < n; column++) {
#pragma omp simd
            for (size_t i = 0; i < rows; i++) {
                out[column * n + row + i] = in[(row + i) * n + column];
            }
        }
    }
}

struct complex {
    float re, im;
};

static void fft_pass(const struct complex *restrict from, struct complex *restrict to,
                     const struct complex *restrict roots, size_t length)
{
    for (size_t block = 0; block < 256; block += length) {
#pragma omp simd
        for (size_t k = 0; k < length; k++) {
            struct complex root = roots[k * (256 / length)], a = from[block + k],
                           b = from[block + k + 256];
            float re = b.re * root.re - b.im * root.im, im = b.re * root.im + b.im * root.re;
            to[2 * block + k] = (struct complex){a.re + re, a.im + im};
            to[2 * block + k + length] = (struct complex){a.re - re, a.im - im};
        }
    }
}

static void fft_local(const struct bench_call *call, size_t first, size_t end)
{
    struct complex cells[2][512];
    for (size_t group = first; group < end; group++) {
        size_t from = 0;
        memcpy(cells[0], FLOATS(0) + group * 1024, sizeof(cells[0]));
        for (size_t length = 1; length < 512; length *= 2) {
            fft_pass(cells[from], cells[1 - from], (const struct complex *)call->memory[2], length);
            from = 1 - from;
        }
        memcpy(FLOATS(1) + group * 1024, cells[from], sizeof(cells[0]));
    }
}

static void lu_local(const struct bench_call *call, size_t first, size_t end)
{
    enum { ORDER = 32 };
    for (size_t group = first; group < end; group++) {
        float (*m)[ORDER] = (float (*)[ORDER])(FLOATS(1) + group * ORDER * ORDER);
        memcpy(m, FLOATS(0) + group * ORDER * ORDER, sizeof(float[ORDER][ORDER]));
        for (size_t k = 0; k < ORDER; k++) {
            m[k][k] += (float)ORDER;
        }
        for (size_t k = 0; k < ORDER; k++) {
            for (size_t row = k + 1; row < ORDER; row++) {
                float factor = m[row][k] /= m[k][k];
#pragma omp simd
                for (size_t column = k + 1; column < ORDER; column++) {
                    m[row][column] -= factor * m[k][column];
                }
            }
        }
    }
}

static const struct bench_loop loops[] = {
    {"reduce_tree", PARTS_GROUPS, reduce},
    {"subgroup_reduce", PARTS_GROUPS, reduce},
    {"scan_hillis", PARTS_GROUPS, scan_inclusive},
    {"subgroup_scan", PARTS_GROUPS, scan_inclusive},
    {"scan_blelloch", PARTS_GROUPS, scan_exclusive},
    {"histogram", PARTS_GROUPS, histogram},
    {"histogram_global", PARTS_GROUPS, histogram_global},
    {"transpose_bytes", PARTS_ROWS, transpose_bytes},
    {"transpose_bytes_tiled", PARTS_ROWS, transpose_bytes},
    {"fft_local", PARTS_GROUPS, fft_local},
    {"lu_local", PARTS_GROUPS, lu_local},
};
LOOPS(bench_host_groups, loops);
