/* Kernels of samples.cl in plain C. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "host.h"

static void binomial(const struct bench_call *call, size_t first, size_t end)
{
    enum { STEPS = 127 };
    const float strike = 100.0f, step_size = 1.0f / 127.0f;
    float up = expf(0.3f * sqrtf(step_size)), down = 1.0f / up;
    float discount = expf(-0.05f * step_size), p = (1.0f / discount - down) / (up - down);
    for (size_t group = first; group < end; group++) {
        float value[STEPS + 1], price[STEPS + 1], s = 50.0f + 100.0f * FLOATS(0)[group];
        for (int i = 0; i <= STEPS; i++) {
            price[i] = s * powf(up, (float)(2 * i - STEPS));
            value[i] = fmaxf(strike - price[i], 0.0f);
        }
        for (int step = STEPS - 1; step >= 0; step--) {
#pragma omp simd
            for (int i = 0; i <= step; i++) {
                price[i] *= up;
                float hold = discount * (p * value[i + 1] + (1.0f - p) * value[i]);
                float now = strike - price[i];
                value[i] = hold > now ? hold : now;
            }
        }
        FLOATS(1)[group] = value[0];
    }
}

static inline float next_unit(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return ((float)(x >> 8) + 0.5f) * (1.0f / 16777216.0f);
}

static void asian_option(const struct bench_call *call, size_t first, size_t end)
{
    int paths = (int)call->value[2];
    for (size_t item = first * 64; item < end * 64; item++) {
        uint32_t state = ((uint32_t)item + 1) * 747796405u ^ call->value[1];
        float payoff = 0.0f;
        for (int path = 0; path < paths; path++) {
            float log_price = 0.0f, sum = 0.0f;
            for (int step = 0; step < 16; step++) {
                float radius = sqrtf(-2.0f * logf(next_unit(&state)));
                float angle = 6.2831853f * next_unit(&state);
                log_price += 0.0001f + 0.02f * radius * cosf(angle);
                sum += expf(log_price);
                log_price += 0.0001f + 0.02f * radius * sinf(angle);
                sum += expf(log_price);
            }
            payoff += fmaxf(sum / 32.0f - 0.9f, 0.0f);
        }
        FLOATS(0)[item] = payoff / (float)paths;
    }
}

static float normal_below(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float p = k * (0.31938153f + k * (-0.356563782f +
                                      k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * x * x) * p;
    return x > 0.0f ? 1.0f - tail : tail;
}

static void implied_volatility(const struct bench_call *call, size_t first, size_t end)
{
    const float strike = 100.0f, t = 0.5f, rate = 0.01f;
    float root = sqrtf(t), discounted = strike * expf(-rate * t);
    for (size_t item = first * 64; item < end * 64; item++) {
        float random = FLOATS(0)[item], s = 90.0f + 20.0f * random, sigma = 0.8f;
        float price = fmaxf(s - strike, 0.0f) + 4.0f + 6.0f * random, start = logf(s / strike);
        for (int i = 0; i < 20; i++) {
            float d1 = (start + (rate + 0.5f * sigma * sigma) * t) / (sigma * root);
            float d2 = d1 - sigma * root;
            float difference = s * normal_below(d1) - discounted * normal_below(d2) - price;
            if (fabsf(difference) < 1e-4f) {
                break;
            }
            sigma -= difference / (s * root * 0.39894228f * expf(-0.5f * d1 * d1));
        }
        FLOATS(1)[item] = sigma;
    }
}

/* Finds the nearest centres of a block of points first, then adds up. */
static void kmeans_step(const struct bench_call *call, size_t first, size_t end)
{
    enum { CENTRES = 16, BLOCK = 256 };
    const float *restrict centres = FLOATS(2);
    int32_t sums[CENTRES][3] = {{0}};
    for (size_t group = first; group < end; group++) {
        const float *restrict x = FLOATS(0) + group * BLOCK, *restrict y =
                                                                 FLOATS(1) + group * BLOCK;
        int best[BLOCK];
#pragma omp simd
        for (int i = 0; i < BLOCK; i++) {
            float least = FLT_MAX;
            int nearest = 0;
#pragma GCC unroll 16
            for (int c = 0; c < CENTRES; c++) {
                float dx = x[i] - centres[2 * c], dy = y[i] - centres[2 * c + 1];
                float d = dx * dx + dy * dy;
                nearest = d < least ? c : nearest;
                least = d < least ? d : least;
            }
            best[i] = nearest;
        }
        for (int i = 0; i < BLOCK; i++) {
            sums[best[i]][0] += (int)(x[i] * 1024.0f);
            sums[best[i]][1] += (int)(y[i] * 1024.0f);
            sums[best[i]][2]++;
        }
    }
    for (size_t k = 0; k < CENTRES * 3; k++) {
        __atomic_fetch_add(&WORDS(3)[k], (uint32_t)sums[k / 3][k % 3], __ATOMIC_RELAXED);
    }
}

/* Makes a pass of the transform from one pair of arrays to another. */
static void fft_pass(const float *restrict re, const float *restrict im, float *restrict to_re,
                     float *restrict to_im, const float *restrict roots, int p)
{
    for (int start = 0; start < 64; start += p) {
#pragma omp simd
        for (int k = 0; k < p; k++) {
            int t = start + k, at = 4 * start + k, root = 2 * k * (64 / p);
            float wr = roots[root], wi = roots[root + 1], w2r = roots[2 * root],
                  w2i = roots[2 * root + 1], w3r = roots[3 * root], w3i = roots[3 * root + 1];
            float br = re[t + 64] * wr - im[t + 64] * wi, bi = re[t + 64] * wi + im[t + 64] * wr;
            float cr = re[t + 128] * w2r - im[t + 128] * w2i,
                  ci = re[t + 128] * w2i + im[t + 128] * w2r;
            float dr = re[t + 192] * w3r - im[t + 192] * w3i,
                  di = re[t + 192] * w3i + im[t + 192] * w3r;
            float er = re[t] + cr, ei = im[t] + ci, fr = re[t] - cr, fi = im[t] - ci;
            float gr = br + dr, gi = bi + di, hr = bi - di, hi = dr - br;
            to_re[at] = er + gr;
            to_im[at] = ei + gi;
            to_re[at + p] = fr + hr;
            to_im[at + p] = fi + hi;
            to_re[at + 2 * p] = er - gr;
            to_im[at + 2 * p] = ei - gi;
            to_re[at + 3 * p] = fr - hr;
            to_im[at + 3 * p] = fi - hi;
        }
    }
}

/* Makes the first pass, whose factors are all 1. */
static void fft_first_pass(const float *restrict re, const float *restrict im,
                           float *restrict to_re, float *restrict to_im)
{
#pragma omp simd
    for (int t = 0; t < 64; t++) {
        float er = re[t] + re[t + 128], ei = im[t] + im[t + 128];
        float fr = re[t] - re[t + 128], fi = im[t] - im[t + 128];
        float gr = re[t + 64] + re[t + 192], gi = im[t + 64] + im[t + 192];
        float hr = im[t + 64] - im[t + 192], hi = re[t + 192] - re[t + 64];
        to_re[4 * t] = er + gr;
        to_im[4 * t] = ei + gi;
        to_re[4 * t + 1] = fr + hr;
        to_im[4 * t + 1] = fi + hi;
        to_re[4 * t + 2] = er - gr;
        to_im[4 * t + 2] = ei - gi;
        to_re[4 * t + 3] = fr - hr;
        to_im[4 * t + 3] = fi - hi;
    }
}

static void fft_radix4(const struct bench_call *call, size_t first, size_t end)
{
    enum { SIZE = 256 };
    const float *restrict roots = FLOATS(2);
    float a[2][SIZE], b[2][SIZE];
    for (size_t group = first; group < end; group++) {
        const float *restrict in = FLOATS(0) + group * SIZE * 2;
        float *restrict out = FLOATS(1) + group * SIZE * 2;
        for (size_t i = 0; i < SIZE; i++) {
            a[0][i] = in[2 * i];
            a[1][i] = in[2 * i + 1];
        }
        fft_first_pass(a[0], a[1], b[0], b[1]);
        fft_pass(b[0], b[1], a[0], a[1], roots, 4);
        fft_pass(a[0], a[1], b[0], b[1], roots, 16);
        fft_pass(b[0], b[1], a[0], a[1], roots, 64);
        for (size_t i = 0; i < SIZE; i++) {
            out[2 * i] = a[0][i];
            out[2 * i + 1] = a[1][i];
        }
    }
}

static inline float corner(int x, int y, float dx, float dy)
{
    uint32_t h = (uint32_t)x * 374761393u + (uint32_t)y * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    h = (h ^ h >> 16) & 7;
    float u = h < 4 ? dx : dy, v = h < 4 ? dy : dx;
    return (h & 1 ? -u : u) + (h & 2 ? -2.0f * v : 2.0f * v);
}

static inline float mix(float a, float b, float weight)
{
    return a + (b - a) * weight;
}

static inline float fade(float d)
{
    return d * d * d * (d * (d * 6.0f - 15.0f) + 10.0f);
}

static void noise(const struct bench_call *call, size_t first, size_t end)
{
    int width = (int)call->value[1];
    float scale = float_of(call, 2);
    for (int row = (int)first; row < (int)end; row++) {
        float *restrict out = FLOATS(0) + row * width;
#pragma omp simd
        for (int column = 0; column < width; column++) {
            float x = (float)column * scale, y = (float)row * scale, sum = 0.0f, weight = 0.5f;
#pragma GCC unroll 5
            for (int octave = 0; octave < 5; octave++) {
                float fx = floorf(x), fy = floorf(y), dx = x - fx, dy = y - fy, u = fade(dx);
                int ix = (int)fx, iy = (int)fy;
                float top = mix(corner(ix, iy, dx, dy), corner(ix + 1, iy, dx - 1.0f, dy), u);
                float bottom = mix(corner(ix, iy + 1, dx, dy - 1.0f),
                                   corner(ix + 1, iy + 1, dx - 1.0f, dy - 1.0f), u);
                sum += weight * mix(top, bottom, fade(dy));
                weight *= 0.5f;
                x *= 2.0f;
                y *= 2.0f;
            }
            out[column] = sum;
        }
    }
}

static const struct bench_loop loops[] = {
    {"binomial", PARTS_GROUPS, binomial},
    {"asian_option", PARTS_GROUPS, asian_option},
    {"implied_volatility", PARTS_GROUPS, implied_volatility},
    {"kmeans_step", PARTS_GROUPS, kmeans_step},
    {"fft_radix4", PARTS_GROUPS, fft_radix4},
    {"noise", PARTS_ROWS, noise},
};
LOOPS(bench_host_samples, loops);
