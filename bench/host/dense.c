/* Kernels of kernels.cl in plain C: streams, matrices, bodies, fractals, maths. A part of a line is
 * a group of 256 items, or 128 in the n-body problem. */
#include <math.h>
#include <string.h>

#include "host.h"

static void saxpy(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict x = FLOATS(1);
    float *restrict y = FLOATS(2), a = float_of(call, 0);
#pragma omp simd
    for (size_t i = first * 256; i < end * 256; i++) {
        y[i] = fmaf(a, x[i], y[i]);
    }
}

static void triad(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict a = FLOATS(1), *restrict b = FLOATS(2);
    float *restrict out = FLOATS(0), s = float_of(call, 3);
#pragma omp simd
    for (size_t i = first * 256; i < end * 256; i++) {
        out[i] = a[i] + s * b[i];
    }
}

static void sgemm(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict a = FLOATS(0), *restrict b = FLOATS(1);
    float *restrict c = FLOATS(2);
    size_t n = call->value[3];
    for (size_t row = first; row < end; row++) {
        memset(c + row * n, 0, n * sizeof(*c));
        for (size_t k = 0; k < n; k++) {
            float factor = a[row * n + k];
#pragma omp simd
            for (size_t column = 0; column < n; column++) {
                c[row * n + column] = fmaf(factor, b[k * n + column], c[row * n + column]);
            }
        }
    }
}

static void nbody(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict from = FLOATS(0);
    float *restrict to = FLOATS(1);
    size_t count = call->value[2];
    for (size_t i = first * 128; i < end * 128; i++) {
        float px = 0.0f, py = 0.0f, pz = 0.0f, x = from[4 * i], y = from[4 * i + 1],
              z = from[4 * i + 2];
#pragma omp simd reduction(+ : px, py, pz)
        for (size_t j = 0; j < count; j++) {
            float dx = from[4 * j] - x, dy = from[4 * j + 1] - y, dz = from[4 * j + 2] - z;
            float inverse = 1.0f / sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 1e-3f))));
            float pull = from[4 * j + 3] * inverse * inverse * inverse;
            px = fmaf(pull, dx, px);
            py = fmaf(pull, dy, py);
            pz = fmaf(pull, dz, pz);
        }
        to[4 * i] = px;
        to[4 * i + 1] = py;
        to[4 * i + 2] = pz;
        to[4 * i + 3] = from[4 * i + 3];
    }
}

static void mandelbrot(const struct bench_call *call, size_t first, size_t end)
{
    uint32_t *restrict out = WORDS(0), width = call->value[1], limit = call->value[5];
    float left = float_of(call, 2), top = float_of(call, 3), step = float_of(call, 4);
    for (size_t row = first; row < end; row++) {
        float cy = fmaf((float)row, step, top);
        for (uint32_t column = 0; column < width; column++) {
            float cx = fmaf((float)column, step, left), x = 0.0f, y = 0.0f;
            uint32_t n = 0;
            while (n < limit && fmaf(x, x, y * y) <= 4.0f) {
                float next = fmaf(x, x, fmaf(-y, y, cx));
                y = fmaf(2.0f * x, y, cy);
                x = next;
                n++;
            }
            out[row * width + column] = n;
        }
    }
}

static void black_scholes(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict random = FLOATS(0);
    float *restrict sale = FLOATS(1), *restrict put = FLOATS(2);
    const float rate = 0.02f, sigma = 0.3f;
#pragma omp simd
    for (size_t i = first * 256; i < end * 256; i++) {
        float r = random[i], s = 10.0f + 90.0f * r, k = 10.0f + 90.0f * (1.0f - r),
              t = 1.0f + 9.0f * r, root = sqrtf(t);
        float d1 = (logf(s / k) + (rate + sigma * sigma * 0.5f) * t) / (sigma * root),
              d2 = d1 - sigma * root;
        float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f),
              discount = k * expf(-rate * t);
        sale[i] = s * n1 - discount * n2;
        put[i] = discount * (1.0f - n2) - s * (1.0f - n1);
    }
}

static void sin_pow(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict x = FLOATS(0);
    float *restrict y = FLOATS(1);
#pragma omp simd
    for (size_t i = first * 256; i < end * 256; i++) {
        y[i] = sinf(x[i] * 10.0f) + powf(x[i] + 1.0f, 1.5f);
    }
}

static void transpose(const struct bench_call *call, size_t first, size_t end)
{
    enum { BLOCK = 16 };
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1);
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

static const struct bench_loop loops[] = {
    {"saxpy", PARTS_GROUPS, saxpy},
    {"triad", PARTS_GROUPS, triad},
    {"sgemm_naive", PARTS_ROWS, sgemm},
    {"sgemm_tiled", PARTS_ROWS, sgemm},
    {"nbody", PARTS_GROUPS, nbody},
    {"mandelbrot", PARTS_ROWS, mandelbrot},
    {"black_scholes", PARTS_GROUPS, black_scholes},
    {"sin_pow", PARTS_GROUPS, sin_pow},
    {"transpose", PARTS_ROWS, transpose},
    {"transpose_tiled", PARTS_ROWS, transpose},
};
LOOPS(bench_host_dense, loops);
