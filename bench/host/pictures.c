/* Kernels of pictures.cl in plain C. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "host.h"

enum { BLOCK = 128 };

static inline int clamped(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

static void bilateral(const struct bench_call *call, size_t first, size_t end)
{
    int width = (int)call->value[2], height = (int)call->value[3];
    float factor = float_of(call, 4);
    for (int y = (int)first; y < (int)end; y++) {
        const uint8_t *restrict centres = BYTES(0) + y * width;
        float *restrict to = FLOATS(1) + y * width;
        float sums[BLOCK], weights[BLOCK];
        for (int start = 0; start < width; start += BLOCK) {
            memset(sums, 0, sizeof(sums));
            memset(weights, 0, sizeof(weights));
            for (int k = 0; k < 25; k++) {
                int dx = k % 5 - 2, dy = k / 5 - 2;
                const uint8_t *restrict row = BYTES(0) + clamped(y + dy, 0, height - 1) * width;
                float distance = -(float)(dx * dx + dy * dy) * 0.125f;
#pragma omp simd
                for (int i = 0; i < BLOCK; i++) {
                    float value = row[clamped(start + i + dx, 0, width - 1)];
                    float d = value - (float)centres[start + i];
                    float w = expf(distance - d * d * factor);
                    sums[i] += w * value;
                    weights[i] += w;
                }
            }
            for (int i = 0; i < BLOCK; i++) {
                to[start + i] = sums[i] / weights[i];
            }
        }
    }
}

#define SORT(a, b)                                                                                 \
    do {                                                                                           \
        uint8_t less = (a) < (b) ? (a) : (b), more = (a) < (b) ? (b) : (a);                        \
        (a) = less;                                                                                \
        (b) = more;                                                                                \
    } while (0)

static inline uint8_t median(uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t e, uint8_t f,
                             uint8_t g, uint8_t h, uint8_t i)
{
    SORT(b, c);
    SORT(e, f);
    SORT(h, i);
    SORT(a, b);
    SORT(d, e);
    SORT(g, h);
    SORT(b, c);
    SORT(e, f);
    SORT(h, i);
    SORT(a, d);
    SORT(f, i);
    SORT(e, h);
    SORT(d, g);
    SORT(b, e);
    SORT(c, f);
    SORT(e, h);
    SORT(e, c);
    SORT(g, e);
    SORT(e, c);
    return e;
}

static void median3(const struct bench_call *call, size_t first, size_t end)
{
    int width = (int)call->value[2], height = (int)call->value[3];
    for (int y = (int)first; y < (int)end; y++) {
        const uint8_t *restrict a = BYTES(0) + clamped(y - 1, 0, height - 1) * width,
                                *restrict b = BYTES(0) + y * width,
                                *restrict c = BYTES(0) + clamped(y + 1, 0, height - 1) * width;
        uint8_t *restrict to = BYTES(1) + y * width;
        for (int x = 0; x < width; x += width - 1) {
            int l = clamped(x - 1, 0, width - 1), r = clamped(x + 1, 0, width - 1);
            to[x] = median(a[l], a[x], a[r], b[l], b[x], b[r], c[l], c[x], c[r]);
        }
#pragma omp simd
        for (int x = 1; x < width - 1; x++) {
            to[x] = median(a[x - 1], a[x], a[x + 1], b[x - 1], b[x], b[x + 1], c[x - 1], c[x],
                           c[x + 1]);
        }
    }
}

static void equalise(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *restrict in = BYTES(0);
    const uint32_t *restrict histogram = WORDS(1);
    uint8_t *restrict out = BYTES(2), map[256];
    uint32_t sums[256], sum = 0;
    for (size_t i = 0; i < 256; i++) {
        sums[i] = sum += histogram[i];
    }
    for (size_t i = 0; i < 256; i++) {
        map[i] = (uint8_t)(sums[i] * 255u / sum);
    }
    size_t share = 256 * (size_t)call->value[3];
    for (size_t i = first * share; i < end * share; i++) {
        out[i] = map[in[i]];
    }
}

/* Interpolates between two rows of the image first, then within the result. */
static void resize(const struct bench_call *call, size_t first, size_t end)
{
    enum { WIDTH_MAX = 1024 };
    int width = (int)call->value[2], height = (int)call->value[3];
    float scale = float_of(call, 4), blended[4 * WIDTH_MAX];
    int columns = (int)(call->row->groups[0] * call->row->local[0]);
    for (int y = (int)first; y < (int)end; y++) {
        float fy = ((float)y + 0.5f) * scale - 0.5f, by = floorf(fy), wy = fy - by;
        const uint8_t *restrict up = BYTES(0) + clamped((int)by, 0, height - 1) * width * 4,
                                *restrict down =
                                    BYTES(0) + clamped((int)by + 1, 0, height - 1) * width * 4;
        uint8_t *restrict to = BYTES(1) + y * columns * 4;
#pragma omp simd
        for (int i = 0; i < 4 * width; i++) {
            blended[i] = (float)up[i] + (float)(down[i] - up[i]) * wy;
        }
        for (int x = 0; x < columns; x++) {
            float fx = ((float)x + 0.5f) * scale - 0.5f, bx = floorf(fx), wx = fx - bx;
            const float *left = blended + 4 * clamped((int)bx, 0, width - 1),
                        *right = blended + 4 * clamped((int)bx + 1, 0, width - 1);
            for (int k = 0; k < 4; k++) {
                to[4 * x + k] = (uint8_t)(left[k] + (right[k] - left[k]) * wx);
            }
        }
    }
}

static void demosaic(const struct bench_call *call, size_t first, size_t end)
{
    const uint16_t *restrict raw = call->memory[0];
    int width = (int)call->value[2], height = (int)call->value[3];
    for (int y = (int)first; y < (int)end; y++) {
        const uint16_t *restrict up = raw + clamped(y - 1, 0, height - 1) * width,
                                 *restrict row = raw + y * width,
                                 *restrict down = raw + clamped(y + 1, 0, height - 1) * width;
        uint8_t *restrict to = BYTES(1) + y * width * 4;
        bool red_row = (y & 1) == 0;
#pragma omp simd
        for (int x = 0; x < width; x++) {
            int l = x > 0 ? x - 1 : 0, r = x < width - 1 ? x + 1 : width - 1;
            int cross = (up[x] + down[x] + row[l] + row[r]) / 4;
            int corners = (up[l] + up[r] + down[l] + down[r]) / 4;
            int sides = (row[l] + row[r]) / 2, ends = (up[x] + down[x]) / 2;
            bool even = (x & 1) == 0, pure = even == red_row;
            int one = pure ? row[x] : sides, other = pure ? corners : ends;
            to[4 * x] = (uint8_t)((red_row ? one : other) >> 8);
            to[4 * x + 1] = (uint8_t)((pure ? cross : row[x]) >> 8);
            to[4 * x + 2] = (uint8_t)((red_row ? other : one) >> 8);
            to[4 * x + 3] = 255;
        }
    }
}

static void nv12_to_rgb(const struct bench_call *call, size_t first, size_t end)
{
    int width = (int)call->value[2], height = (int)call->value[3];
    for (int y = (int)first; y < (int)end; y++) {
        const uint8_t *restrict luma = BYTES(0) + y * width, *restrict chroma =
                                                                 BYTES(0) +
                                                                 (height + y / 2) * width;
        uint8_t *restrict to = BYTES(1) + y * width * 3;
#pragma omp simd
        for (int x = 0; x < width / 2; x++) {
            int d = chroma[2 * x] - 128, e = chroma[2 * x + 1] - 128;
            int red = 409 * e + 128, green = 128 - 100 * d - 208 * e, blue = 516 * d + 128;
            int a = (luma[2 * x] - 16) * 298, b = (luma[2 * x + 1] - 16) * 298;
            to[6 * x] = (uint8_t)clamped((a + red) >> 8, 0, 255);
            to[6 * x + 1] = (uint8_t)clamped((a + green) >> 8, 0, 255);
            to[6 * x + 2] = (uint8_t)clamped((a + blue) >> 8, 0, 255);
            to[6 * x + 3] = (uint8_t)clamped((b + red) >> 8, 0, 255);
            to[6 * x + 4] = (uint8_t)clamped((b + green) >> 8, 0, 255);
            to[6 * x + 5] = (uint8_t)clamped((b + blue) >> 8, 0, 255);
        }
    }
}

static void blur_rows(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict weights = FLOATS(2);
    int width = (int)call->value[3];
    for (size_t y = first; y < end; y++) {
        const float *restrict row = FLOATS(0) + y * (size_t)width;
        float *restrict to = FLOATS(1) + y * (size_t)width;
        for (int x = 0; x < width; x = x == 7 ? width - 8 : x + 1) {
            float sum = 0.0f;
            for (int k = 0; k < 17; k++) {
                sum += weights[k] * row[clamped(x + k - 8, 0, width - 1)];
            }
            to[x] = sum;
        }
#pragma omp simd
        for (int x = 8; x < width - 8; x++) {
            float sum = 0.0f;
            for (int k = 0; k < 17; k++) {
                sum += weights[k] * row[x + k - 8];
            }
            to[x] = sum;
        }
    }
}

/* A part is a row; a thread may get rows of half a block, so it computes rows one by one. */
static void dct8(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0), *restrict basis = FLOATS(2);
    float *restrict out = FLOATS(1), turned[8][8];
    size_t width = call->value[3];
    for (size_t i = 0; i < 64; i++) {
        turned[i % 8][i / 8] = basis[i];
    }
    for (size_t y = first; y < end; y++) {
        const float *restrict block = in + y / 8 * 8 * width, *restrict c = basis + y % 8 * 8;
        for (size_t x = 0; x < width; x += 8) {
            float sums[8] = {0}, result[8] = {0};
            for (size_t k = 0; k < 8; k++) {
                for (size_t j = 0; j < 8; j++) {
                    sums[j] += c[k] * block[k * width + x + j];
                }
            }
            for (size_t k = 0; k < 8; k++) {
                for (size_t j = 0; j < 8; j++) {
                    result[j] += turned[k][j] * sums[k];
                }
            }
            memcpy(out + y * width + x, result, sizeof(result));
        }
    }
}

static const struct bench_loop loops[] = {
    {"bilateral", PARTS_ROWS, bilateral}, {"median3", PARTS_ROWS, median3},
    {"equalise", PARTS_GROUPS, equalise}, {"resize", PARTS_ROWS, resize},
    {"demosaic", PARTS_ROWS, demosaic},   {"nv12_to_rgb", PARTS_ROWS, nv12_to_rgb},
    {"blur_rows", PARTS_ROWS, blur_rows}, {"dct8", PARTS_ROWS, dct8},
};
LOOPS(bench_host_pictures, loops);
