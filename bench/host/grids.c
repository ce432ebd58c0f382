/* Kernels of grids.cl in plain C. */
#include "host.h"

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* A part is a row in all planes. */
static void wave25(const struct bench_call *call, size_t first, size_t end)
{
    enum { RADIUS = 4 };
    const float *restrict now = FLOATS(0), *restrict c = FLOATS(2);
    float *restrict next = FLOATS(1);
    int n = (int)call->value[3], planes = (int)call->value[4], plane = n * n;
    for (int z = RADIUS; z < planes - RADIUS; z++) {
        for (int y = (int)first; y < (int)end; y++) {
            const float *restrict row = now + z * plane + y * n;
            const float *restrict up[RADIUS + 1], *restrict down[RADIUS + 1];
            float *restrict to = next + z * plane + y * n;
            for (int r = 1; r <= RADIUS; r++) {
                up[r] = now + z * plane + larger(y - r, 0) * n;
                down[r] = now + z * plane + smaller(y + r, n - 1) * n;
            }
            for (int x = 0; x < n; x = x == RADIUS - 1 ? n - RADIUS : x + 1) {
                float sum = c[0] * row[x];
                for (int r = 1; r <= RADIUS; r++) {
                    sum += c[r] * (row[larger(x - r, 0)] + row[smaller(x + r, n - 1)] + up[r][x] +
                                   down[r][x] + row[x - r * plane] + row[x + r * plane]);
                }
                to[x] = 2.0f * row[x] - to[x] + 0.01f * sum;
            }
#pragma omp simd
            for (int x = RADIUS; x < n - RADIUS; x++) {
                float sum = c[0] * row[x];
                for (int r = 1; r <= RADIUS; r++) {
                    sum += c[r] * (row[x - r] + row[x + r] + up[r][x] + down[r][x] +
                                   row[x - r * plane] + row[x + r * plane]);
                }
                to[x] = 2.0f * row[x] - to[x] + 0.01f * sum;
            }
        }
    }
}

static void heat_local(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1), k = float_of(call, 3);
    int n = (int)call->value[2];
    for (int y = (int)first; y < (int)end; y++) {
        const float *restrict row = in + y * n, *restrict up = in + larger(y - 1, 0) * n,
                              *restrict down = in + smaller(y + 1, n - 1) * n;
        float *restrict to = out + y * n;
        for (int x = 0; x < n; x += n - 1) {
            to[x] = row[x] + k * (up[x] + down[x] + row[larger(x - 1, 0)] +
                                  row[smaller(x + 1, n - 1)] - 4.0f * row[x]);
        }
        for (int x = 1; x < n - 1; x++) {
            to[x] = row[x] + k * (up[x] + down[x] + row[x - 1] + row[x + 1] - 4.0f * row[x]);
        }
    }
}

static void diffuse7(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0), *restrict k = FLOATS(1);
    float *restrict out = FLOATS(2);
    int nx = (int)call->value[3], ny = (int)call->value[4], nz = (int)call->value[5];
    for (int z = (int)first; z < (int)end; z++) {
        for (int y = 0; y < ny; y++) {
            int at = (z * ny + y) * nx;
            const float *restrict row = in + at, *restrict factor = k + at;
            const float *restrict up = in + (z * ny + (y + ny - 1) % ny) * nx;
            const float *restrict down = in + (z * ny + (y + 1) % ny) * nx;
            const float *restrict below = in + ((z + nz - 1) % nz * ny + y) * nx;
            const float *restrict above = in + ((z + 1) % nz * ny + y) * nx;
            float *restrict to = out + at;
            for (int x = 0; x < nx; x += nx - 1) {
                float sum = row[(x + nx - 1) % nx] + row[(x + 1) % nx] + up[x] + down[x] +
                            below[x] + above[x] - 6.0f * row[x];
                to[x] = row[x] + 0.1f * factor[x] * sum;
            }
            for (int x = 1; x < nx - 1; x++) {
                float sum =
                    row[x - 1] + row[x + 1] + up[x] + down[x] + below[x] + above[x] - 6.0f * row[x];
                to[x] = row[x] + 0.1f * factor[x] * sum;
            }
        }
    }
}

static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float weight[9] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                                1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

/* Computes cells of a row; cell x of direction k comes from from[k][x]. */
static void collide(const float *const restrict from[9], float *restrict to, size_t cells,
                    int begin, int end, float omega)
{
#pragma omp simd
    for (int x = begin; x < end; x++) {
        float f[9], rho = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma GCC unroll 9
        for (int k = 0; k < 9; k++) {
            f[k] = from[k][x] + 0.5f;
            rho += f[k];
            ux += f[k] * (float)cx[k];
            uy += f[k] * (float)cy[k];
        }
        ux /= rho;
        uy /= rho;
        float square = 1.5f * (ux * ux + uy * uy);
#pragma GCC unroll 9
        for (int k = 0; k < 9; k++) {
            float cu = 3.0f * ((float)cx[k] * ux + (float)cy[k] * uy);
            float equal = weight[k] * rho * (1.0f + cu + 0.5f * cu * cu - square);
            to[(size_t)k * cells + (size_t)x] = f[k] + omega * (equal - f[k]);
        }
    }
}

static void lattice_fluid(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict from = FLOATS(0);
    float *restrict to = FLOATS(1), omega = float_of(call, 4);
    int w = (int)call->value[2], h = (int)call->value[3], cells = w * h;
    for (int y = (int)first; y < (int)end; y++) {
        const float *inner[9], *low[9], *high[9];
        for (int k = 0; k < 9; k++) {
            inner[k] = from + k * cells + (y - cy[k] + h) % h * w - cx[k];
            low[k] = inner[k] + (cx[k] > 0 ? w : 0);
            high[k] = inner[k] - (cx[k] < 0 ? w : 0);
        }
        float *row = to + y * w;
        collide(low, row, (size_t)cells, 0, 1, omega);
        collide(inner, row, (size_t)cells, 1, w - 1, omega);
        collide(high, row, (size_t)cells, w - 1, w, omega);
    }
}

static void life(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *restrict in = BYTES(0);
    int n = (int)call->value[2];
    for (int y = (int)first; y < (int)end; y++) {
        const uint8_t *restrict rows[3];
        uint8_t *restrict to = BYTES(1) + y * n;
        for (int k = 0; k < 3; k++) {
            rows[k] = in + ((y + k - 1) & (n - 1)) * n;
        }
        const uint8_t *restrict up = rows[0], *restrict row = rows[1], *restrict down = rows[2];
        for (int x = 0; x < n; x += n - 1) {
            int l = (x - 1) & (n - 1), r = (x + 1) & (n - 1);
            int count = (up[l] >> 7) + (up[x] >> 7) + (up[r] >> 7) + (row[l] >> 7) + (row[r] >> 7) +
                        (down[l] >> 7) + (down[x] >> 7) + (down[r] >> 7);
            to[x] = count == 3 || (row[x] >> 7 && count == 2) ? 255 : 0;
        }
#pragma omp simd
        for (int x = 1; x < n - 1; x++) {
            uint8_t count = (uint8_t)((up[x - 1] >> 7) + (up[x] >> 7) + (up[x + 1] >> 7) +
                                      (row[x - 1] >> 7) + (row[x + 1] >> 7) + (down[x - 1] >> 7) +
                                      (down[x] >> 7) + (down[x + 1] >> 7));
            to[x] = (count | row[x] >> 7) == 3 ? 255 : 0;
        }
    }
}

static void marching_classify(const struct bench_call *call, size_t first, size_t end)
{
    size_t n = call->value[3];
    float level = float_of(call, 4);
    uint32_t active = 0;
    for (size_t z = first; z < end; z++) {
        for (size_t y = 0; y < n; y++) {
            uint32_t *restrict codes = WORDS(1) + (z * n + y) * n;
            if (z == n - 1 || y == n - 1) {
                for (size_t x = 0; x < n; x++) {
                    codes[x] = 0;
                }
                continue;
            }
            const float *restrict a = FLOATS(0) + (z * n + y) * n, *restrict b = a + n,
                                  *restrict c = a + n * n, *restrict d = c + n;
#pragma omp simd reduction(+ : active)
            for (size_t x = 0; x < n - 1; x++) {
                uint32_t code = (uint32_t)(a[x] < level) | (uint32_t)(a[x + 1] < level) << 1 |
                                (uint32_t)(b[x] < level) << 2 | (uint32_t)(b[x + 1] < level) << 3 |
                                (uint32_t)(c[x] < level) << 4 | (uint32_t)(c[x + 1] < level) << 5 |
                                (uint32_t)(d[x] < level) << 6 | (uint32_t)(d[x + 1] < level) << 7;
                uint32_t cut = (uint32_t)__builtin_popcount((code ^ code >> 1) & 0x55) +
                               (uint32_t)__builtin_popcount((code ^ code >> 2) & 0x33) +
                               (uint32_t)__builtin_popcount((code ^ code >> 4) & 0x0f);
                codes[x] = code | cut << 8;
                active += cut > 0;
            }
            codes[n - 1] = 0;
        }
    }
    __atomic_fetch_add(WORDS(2), active, __ATOMIC_RELAXED);
}

static const struct bench_loop loops[] = {
    {"wave25", PARTS_ROWS, wave25},       {"heat_local", PARTS_ROWS, heat_local},
    {"diffuse7", PARTS_PLANES, diffuse7}, {"lattice_fluid", PARTS_ROWS, lattice_fluid},
    {"life", PARTS_ROWS, life},           {"marching_classify", PARTS_PLANES, marching_classify},
};
LOOPS(bench_host_grids, loops);
