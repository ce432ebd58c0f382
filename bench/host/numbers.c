/* Kernels of numbers.cl, and the sparse product of kernels.cl, in plain C. Groups of products have
 * 64 items, groups of samples and particles 128, groups of points 256. */
#include <math.h>
#include <string.h>

#include "host.h"

static void stencil(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1);
    size_t n = call->value[2], plane = n * n;
    for (size_t z = first; z < end; z++) {
        for (size_t y = 0; y < n; y++) {
            size_t i = z * plane + y * n;
            if (z == 0 || y == 0 || z == n - 1 || y == n - 1) {
                memcpy(out + i, in + i, n * sizeof(*out));
                continue;
            }
            out[i] = in[i];
            out[i + n - 1] = in[i + n - 1];
#pragma omp simd
            for (size_t j = i + 1; j < i + n - 1; j++) {
                out[j] = 0.4f * in[j] + 0.1f * (in[j - 1] + in[j + 1] + in[j - n] + in[j + n] +
                                                in[j - plane] + in[j + plane]);
            }
        }
    }
}

static void jacobi(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict from = FLOATS(0), *restrict right = FLOATS(1);
    float *restrict to = FLOATS(2);
    size_t n = call->value[3];
    for (size_t y = first; y < end; y++) {
        if (y == 0 || y == n - 1) {
            continue;
        }
#pragma omp simd
        for (size_t i = y * n + 1; i < y * n + n - 1; i++) {
            to[i] = 0.25f * (right[i] + from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
        }
    }
}

static void lu_step(const struct bench_call *call, size_t first, size_t end)
{
    size_t n = call->value[1], k = call->value[2];
    const float *restrict pivot = FLOATS(0) + k * n;
    for (size_t row = first > k ? first : k + 1; row < end; row++) {
        float *restrict own = FLOATS(0) + row * n, factor = own[k] / (pivot[k] + 4.0f);
#pragma omp simd
        for (size_t column = k + 1; column < n; column++) {
            own[column] -= factor * pivot[column];
        }
    }
}

static void spmv(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict columns = WORDS(0), n = call->value[4];
    const float *restrict values = FLOATS(1), *restrict x = FLOATS(2);
    float *restrict y = FLOATS(3);
    for (size_t row = first * 64; row < end * 64; row++) {
        float sum = 0.0f;
        for (size_t k = row * 12; k < row * 12 + 4 + row % 9; k++) {
            sum = fmaf(values[k], x[columns[k] % n], sum);
        }
        y[row] = sum;
    }
}

static void spmv_csr(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict rows = WORDS(0), *restrict columns = WORDS(1);
    const float *restrict values = FLOATS(2), *restrict x = FLOATS(3);
    float *restrict y = FLOATS(4);
    for (size_t row = first * 64; row < end * 64; row++) {
        float sum = 0.0f;
        for (size_t k = rows[row]; k < rows[row + 1]; k++) {
            sum = fmaf(values[k], x[columns[k]], sum);
        }
        y[row] = sum;
    }
}

static void spmv_ell(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict columns = WORDS(0);
    const float *restrict values = FLOATS(1), *restrict x = FLOATS(2);
    float *restrict y = FLOATS(3);
    size_t n = call->value[4];
    for (size_t begin = first * 64; begin < end * 64; begin += 64) {
        memset(y + begin, 0, 64 * sizeof(*y));
        for (size_t k = 0; k < 16; k++) {
#pragma omp simd
            for (size_t row = begin; row < begin + 64; row++) {
                y[row] = fmaf(values[k * n + row], x[columns[k * n + row]], y[row]);
            }
        }
    }
}

static uint32_t shifted(uint32_t state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ state << 5;
}

static void monte_carlo(const struct bench_call *call, size_t first, size_t end)
{
    uint32_t *restrict out = WORDS(0), seed = call->value[1];
#pragma omp simd
    for (size_t i = first * 128; i < end * 128; i++) {
        uint32_t state = ((uint32_t)i + 1) * 2654435761u ^ seed, inside = 0;
        state = state ? state : 1;
        for (uint32_t sample = 0; sample < 256; sample++) {
            state = shifted(state);
            float x = (float)(state >> 8) * (1.0f / 16777216.0f);
            state = shifted(state);
            float y = (float)(state >> 8) * (1.0f / 16777216.0f);
            inside += fmaf(x, x, y * y) < 1.0f;
        }
        out[i] = inside;
    }
}

static void kmeans(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict points = FLOATS(0), *restrict centres = FLOATS(1);
    uint32_t *restrict nearest = WORDS(2), count = call->value[3];
#pragma omp simd
    for (size_t i = first * 256; i < end * 256; i++) {
        float least = INFINITY;
        uint32_t best = 0;
        for (uint32_t k = 0; k < count; k++) {
            float a = points[4 * i] - centres[4 * k], b = points[4 * i + 1] - centres[4 * k + 1],
                  c = points[4 * i + 2] - centres[4 * k + 2],
                  d = points[4 * i + 3] - centres[4 * k + 3];
            float square = a * a + b * b + c * c + d * d;
            best = square < least ? k : best;
            least = square < least ? square : least;
        }
        nearest[i] = best;
    }
}

struct particle {
    float x, y, z, vx, vy, vz, charge;
    uint32_t kind;
};

static void particles(const struct bench_call *call, size_t first, size_t end)
{
    struct particle *restrict all = call->memory[0];
    float step = float_of(call, 1), field = float_of(call, 2);
#pragma omp simd
    for (size_t i = first * 128; i < end * 128; i++) {
        float vz = all[i].vz;
        vz = all[i].kind & 1 ? fmaf(all[i].charge * field, step, vz) : vz;
        all[i].x = fmaf(all[i].vx, step, all[i].x);
        all[i].y = fmaf(all[i].vy, step, all[i].y);
        all[i].z = fmaf(vz, step, all[i].z);
        all[i].vz = vz;
    }
}

static void shape(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1);
    size_t width = call->value[2];
#pragma omp simd
    for (size_t i = first * width; i < end * width; i++) {
        float x = in[i], sum = 0.0f;
        for (int k = 0; k < 16; k++) {
            sum = fmaf(sum, x, 0.5f + x);
        }
        out[i] = sum;
    }
}

static const struct bench_loop loops[] = {
    {"stencil", PARTS_PLANES, stencil},         {"jacobi", PARTS_ROWS, jacobi},
    {"lu_step", PARTS_ROWS, lu_step},           {"spmv", PARTS_GROUPS, spmv},
    {"spmv_csr", PARTS_GROUPS, spmv_csr},       {"spmv_ell", PARTS_GROUPS, spmv_ell},
    {"monte_carlo", PARTS_GROUPS, monte_carlo}, {"kmeans", PARTS_GROUPS, kmeans},
    {"particles", PARTS_GROUPS, particles},     {"shape", PARTS_ROWS, shape},
};
LOOPS(bench_host_numbers, loops);
