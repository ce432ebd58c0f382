/* Kernels of solvers.cl in plain C. */
#include <math.h>
#include <string.h>

#include "host.h"

/* A part is a group of 64 systems. */
static void tridiagonal(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict lower = FLOATS(0), *restrict diagonal = FLOATS(1),
                          *restrict upper = FLOATS(2);
    float *restrict factor = FLOATS(3), *restrict x = FLOATS(4);
    size_t n = call->value[5], stride = (size_t)call->row->groups[0] * 64;
    for (size_t i = first * 64; i < end * 64; i++) {
        float pivot = 1.0f / (diagonal[i] + 4.0f);
        factor[i] = upper[i] * pivot;
        x[i] = pivot;
    }
    for (size_t k = 1; k < n; k++) {
        size_t row = k * stride;
#pragma omp simd
        for (size_t i = row + first * 64; i < row + end * 64; i++) {
            float pivot = 1.0f / (diagonal[i] + 4.0f - lower[i] * factor[i - stride]);
            factor[i] = upper[i] * pivot;
            x[i] = (1.0f - lower[i] * x[i - stride]) * pivot;
        }
    }
    for (size_t k = n - 1; k-- > 0;) {
        size_t row = k * stride;
#pragma omp simd
        for (size_t i = row + first * 64; i < row + end * 64; i++) {
            x[i] -= factor[i] * x[i + stride];
        }
    }
}

static void inverse4(const struct bench_call *call, size_t first, size_t end)
{
    for (size_t item = first * 64; item < end * 64; item++) {
        const float *restrict from = FLOATS(0) + item * 16;
        float *restrict to = FLOATS(1) + item * 16, m[4][8];
        for (int r = 0; r < 4; r++) {
            for (int c = 0; c < 4; c++) {
                m[r][c] = from[r * 4 + c] + (r == c ? 4.0f : 0.0f);
                m[r][c + 4] = r == c ? 1.0f : 0.0f;
            }
        }
        for (int k = 0; k < 4; k++) {
            float scale = 1.0f / m[k][k];
            for (int c = 0; c < 8; c++) {
                m[k][c] *= scale;
            }
            for (int r = 0; r < 4; r++) {
                float f = r == k ? 0.0f : m[r][k];
                for (int c = 0; c < 8; c++) {
                    m[r][c] -= f * m[k][c];
                }
            }
        }
        for (int r = 0; r < 4; r++) {
            memcpy(to + 4 * r, m[r] + 4, 4 * sizeof(*to));
        }
    }
}

static inline void rotate(float a[3][3], int p, int q)
{
    float off = a[p][q], theta = (a[q][q] - a[p][p]) / (2.0f * off);
    float t = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
    t = fabsf(off) < 1e-12f ? 0.0f : t;
    float c = 1.0f / sqrtf(t * t + 1.0f), s = t * c;
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        float x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        float x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
}

static void eigen3(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1);
#pragma omp simd
    for (size_t item = first * 64; item < end * 64; item++) {
        const float *from = in + item * 6;
        float a[3][3] = {
            {from[0], from[1], from[2]}, {from[1], from[3], from[4]}, {from[2], from[4], from[5]}};
#pragma GCC unroll 4
        for (int sweep = 0; sweep < 4; sweep++) {
            rotate(a, 0, 1);
            rotate(a, 0, 2);
            rotate(a, 1, 2);
        }
        float low = fminf(a[0][0], fminf(a[1][1], a[2][2])),
              high = fmaxf(a[0][0], fmaxf(a[1][1], a[2][2]));
        out[item * 3] = low;
        out[item * 3 + 1] = a[0][0] + a[1][1] + a[2][2] - low - high;
        out[item * 3 + 2] = high;
    }
}

static void cholesky8(const struct bench_call *call, size_t first, size_t end)
{
    enum { ORDER = 8 };
    for (size_t item = first * 64; item < end * 64; item++) {
        const float *restrict in = FLOATS(0) + item * ORDER * ORDER;
        float *restrict x = FLOATS(2) + item * ORDER, l[ORDER][ORDER], y[ORDER];
        for (int r = 0; r < ORDER; r++) {
            for (int c = 0; c <= r; c++) {
                float sum = in[r * ORDER + c] + (r == c ? 8.0f : 0.0f);
                for (int k = 0; k < c; k++) {
                    sum -= l[r][k] * l[c][k];
                }
                l[r][c] = r == c ? sqrtf(sum) : sum / l[c][c];
            }
        }
        memcpy(y, FLOATS(1) + item * ORDER, sizeof(y));
        for (int r = 0; r < ORDER; r++) {
            for (int k = 0; k < r; k++) {
                y[r] -= l[r][k] * y[k];
            }
            y[r] /= l[r][r];
        }
        for (int r = ORDER - 1; r >= 0; r--) {
            for (int k = r + 1; k < ORDER; k++) {
                y[r] -= l[k][r] * y[k];
            }
            y[r] /= l[r][r];
        }
        memcpy(x, y, sizeof(y));
    }
}

static void cg_update(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict p = FLOATS(2), *restrict q = FLOATS(3);
    float *restrict x = FLOATS(0), *restrict r = FLOATS(1), alpha = float_of(call, 5);
    for (size_t group = first; group < end; group++) {
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t i = group * 256; i < (group + 1) * 256; i++) {
            x[i] += alpha * p[i];
            float rest = r[i] - alpha * q[i];
            r[i] = rest;
            sum += rest * rest;
        }
        FLOATS(4)[group] = sum;
    }
}

/* A part is a group of 8 rows. */
static void spmv_rowwise(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict rows = WORDS(0), *restrict columns = WORDS(1);
    const float *restrict values = FLOATS(2), *restrict x = FLOATS(3);
    for (size_t row = first * 8; row < end * 8; row++) {
        float sum = 0.0f;
        for (uint32_t k = rows[row]; k < rows[row + 1]; k++) {
            sum += values[k] * x[columns[k]];
        }
        FLOATS(4)[row] = sum;
    }
}

static const struct bench_loop loops[] = {
    {"tridiagonal", PARTS_GROUPS, tridiagonal}, {"inverse4", PARTS_GROUPS, inverse4},
    {"eigen3", PARTS_GROUPS, eigen3},           {"cholesky8", PARTS_GROUPS, cholesky8},
    {"cg_update", PARTS_GROUPS, cg_update},     {"spmv_rowwise", PARTS_GROUPS, spmv_rowwise},
};
LOOPS(bench_host_solvers, loops);
