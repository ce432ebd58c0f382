/* Kernels of networks.cl in plain C. */
#include <math.h>

#include "host.h"

static void softmax_rows(const struct bench_call *call, size_t first, size_t end)
{
    size_t columns = call->value[2];
    for (size_t row = first; row < end; row++) {
        const float *restrict in = FLOATS(0) + row * columns;
        float *restrict out = FLOATS(1) + row * columns, largest = -INFINITY, sum = 0.0f;
#pragma omp simd reduction(max : largest)
        for (size_t i = 0; i < columns; i++) {
            largest = in[i] > largest ? in[i] : largest;
        }
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < columns; i++) {
            out[i] = expf(in[i] - largest);
            sum += out[i];
        }
        float scale = 1.0f / sum;
        for (size_t i = 0; i < columns; i++) {
            out[i] *= scale;
        }
    }
}

static void layer_norm(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict gamma = FLOATS(1), *restrict beta = FLOATS(2);
    float eps = float_of(call, 5);
    size_t columns = call->value[4];
    for (size_t row = first; row < end; row++) {
        const float *restrict in = FLOATS(0) + row * columns;
        float *restrict out = FLOATS(3) + row * columns, sum = 0.0f, square = 0.0f;
#pragma omp simd reduction(+ : sum, square)
        for (size_t i = 0; i < columns; i++) {
            sum += in[i];
            square += in[i] * in[i];
        }
        float mean = sum / (float)columns, variance = square / (float)columns - mean * mean,
              factor = 1.0f / sqrtf(variance + eps);
#pragma omp simd
        for (size_t i = 0; i < columns; i++) {
            out[i] = (in[i] - mean) * factor * gamma[i] + beta[i];
        }
    }
}

enum { HEAD = 64, KEYS_MAX = 512 };

static void attention(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict k = FLOATS(1), *restrict v = FLOATS(2);
    size_t keys = call->value[4];
    for (size_t row = first; row < end; row++) {
        const float *restrict query = FLOATS(0) + row * HEAD;
        float *restrict out = FLOATS(3) + row * HEAD, scores[KEYS_MAX], result[HEAD] = {0},
                        largest = -INFINITY, sum = 0.0f;
        for (size_t j = 0; j < keys; j++) {
            float product = 0.0f;
#pragma omp simd reduction(+ : product)
            for (size_t d = 0; d < HEAD; d++) {
                product += query[d] * 0.125f * k[j * HEAD + d];
            }
            scores[j] = product;
            largest = product > largest ? product : largest;
        }
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < keys; j++) {
            scores[j] = expf(scores[j] - largest);
            sum += scores[j];
        }
        for (size_t j = 0; j < keys; j++) {
#pragma omp simd
            for (size_t d = 0; d < HEAD; d++) {
                result[d] += scores[j] * v[j * HEAD + d];
            }
        }
        for (size_t d = 0; d < HEAD; d++) {
            out[d] = result[d] / sum;
        }
    }
}

/* Adds a row of the input times a weight to a row of the output, shifted by -1, 0 or 1. */
static void add_shifted(float *restrict to, const float *restrict from, float weight, int shift,
                        int width)
{
    int begin = shift < 0 ? 1 : 0, end = shift > 0 ? width - 1 : width;
#pragma omp simd
    for (int x = begin; x < end; x++) {
        to[x] += from[x + shift] * weight;
    }
}

/* A part is an output channel. */
static void conv2d(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0), *restrict weights = FLOATS(1);
    float *restrict out = FLOATS(2);
    int width = (int)call->value[3], height = (int)call->value[4], channels = (int)call->value[5];
    for (int o = (int)first; o < (int)end; o++) {
        for (int y = 0; y < height; y++) {
            float *restrict to = out + (o * height + y) * width;
            for (int x = 0; x < width; x++) {
                to[x] = 0.0f;
            }
            for (int c = 0; c < channels; c++) {
                for (int dy = -1; dy <= 1; dy++) {
                    if (y + dy < 0 || y + dy >= height) {
                        continue;
                    }
                    const float *restrict from = in + (c * height + y + dy) * width,
                                          *restrict w =
                                              weights + ((o * channels + c) * 3 + dy + 1) * 3;
                    for (int dx = -1; dx <= 1; dx++) {
                        add_shifted(to, from, w[dx + 1], dx, width);
                    }
                }
            }
            for (int x = 0; x < width; x++) {
                to[x] = to[x] > 0.0f ? to[x] : 0.0f;
            }
        }
    }
}

static int clamped(int x, int n)
{
    return x < 0 ? 0 : x >= n ? n - 1 : x;
}

static void conv3d(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0), *restrict weights = FLOATS(1);
    float *restrict out = FLOATS(2);
    int n = (int)call->value[3];
    for (int z = (int)first; z < (int)end; z++) {
        for (int y = 0; y < n; y++) {
            float *restrict to = out + (z * n + y) * n;
            const float *restrict rows[9];
            for (int k = 0; k < 9; k++) {
                rows[k] = in + (clamped(z + k / 3 - 1, n) * n + clamped(y + k % 3 - 1, n)) * n;
            }
            for (int x = 0; x < n; x += n - 1) {
                to[x] = 0.0f;
                for (int k = 0; k < 27; k++) {
                    to[x] += rows[k / 3][clamped(x + k % 3 - 1, n)] * weights[k];
                }
            }
#pragma omp simd
            for (int x = 1; x < n - 1; x++) {
                float sum = 0.0f;
                for (int k = 0; k < 9; k++) {
                    sum += rows[k][x - 1] * weights[3 * k] + rows[k][x] * weights[3 * k + 1] +
                           rows[k][x + 1] * weights[3 * k + 2];
                }
                to[x] = sum;
            }
        }
    }
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static void max_pool(const struct bench_call *call, size_t first, size_t end)
{
    int width = (int)call->value[2], height = (int)call->value[3], half = width / 2;
    for (size_t c = first; c < end; c++) {
        const float *restrict in = FLOATS(0) + c * (size_t)(width * height);
        float *restrict out = FLOATS(1) + c * (size_t)(half * (height / 2));
        for (int y = 0; y < height / 2; y++) {
            const float *restrict a = in + 2 * y * width, *restrict b = a + width,
                                  *restrict d = 2 * y + 2 < height ? b + width : b;
            float *restrict to = out + y * half;
#pragma omp simd
            for (int x = 0; x < half - 1; x++) {
                float left = larger(larger(a[2 * x], b[2 * x]), d[2 * x]);
                float middle = larger(larger(a[2 * x + 1], b[2 * x + 1]), d[2 * x + 1]);
                float right = larger(larger(a[2 * x + 2], b[2 * x + 2]), d[2 * x + 2]);
                to[x] = larger(larger(left, middle), right);
            }
            int x = half - 1;
            to[x] = larger(larger(larger(a[2 * x], b[2 * x]), d[2 * x]),
                           larger(larger(a[2 * x + 1], b[2 * x + 1]), d[2 * x + 1]));
        }
    }
}

static float product(const float *restrict a, const float *restrict x, size_t count)
{
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * x[i];
    }
    return sum;
}

static void gemv_rows(const struct bench_call *call, size_t first, size_t end)
{
    size_t columns = call->value[3];
    for (size_t row = first; row < end; row++) {
        FLOATS(2)[row] = product(FLOATS(0) + row * columns, FLOATS(1), columns);
    }
}

/* A part is a group of 64 rows. */
static void gemv_item(const struct bench_call *call, size_t first, size_t end)
{
    gemv_rows(call, first * 64, end * 64);
}

/* A part is a group of 64 columns. */
static void gemv_columns(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict a = FLOATS(0), *restrict x = FLOATS(1);
    float *restrict y = FLOATS(2);
    size_t rows = call->value[3], columns = call->value[4];
    for (size_t j = first * 64; j < end * 64; j++) {
        y[j] = 0.0f;
    }
    for (size_t i = 0; i < rows; i++) {
#pragma omp simd
        for (size_t j = first * 64; j < end * 64; j++) {
            y[j] += a[i * columns + j] * x[i];
        }
    }
}

static void gemv_half(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict x = FLOATS(1);
    size_t columns = call->value[3];
    for (size_t row = first; row < end; row++) {
        const _Float16 *restrict a = (const _Float16 *)call->memory[0] + row * columns;
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < columns; i++) {
            sum += (float)a[i] * x[i];
        }
        FLOATS(2)[row] = sum;
    }
}

static void gemm_int8(const struct bench_call *call, size_t first, size_t end)
{
    const int8_t *restrict a = call->memory[0], *restrict b = call->memory[1];
    int32_t *restrict c = call->memory[2];
    size_t n = call->value[3], depth = 4 * (size_t)call->value[4];
    for (size_t row = first; row < end; row++) {
        for (size_t column = 0; column < n; column++) {
            int32_t sum = 0;
            for (size_t i = 0; i < depth; i++) {
                sum += a[row * depth + i] * b[column * depth + i];
            }
            c[row * n + column] = sum;
        }
    }
}

static void gelu(const struct bench_call *call, size_t first, size_t end)
{
    const float *restrict in = FLOATS(0);
    float *restrict out = FLOATS(1), range = float_of(call, 2);
#pragma omp simd
    for (size_t i = first * 256; i < end * 256; i++) {
        float x = (in[i] - 0.5f) * range;
        out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}

static const struct bench_loop loops[] = {
    {"softmax_rows", PARTS_GROUPS, softmax_rows},
    {"layer_norm", PARTS_GROUPS, layer_norm},
    {"attention", PARTS_GROUPS, attention},
    {"conv2d", PARTS_PLANES, conv2d},
    {"conv3d", PARTS_PLANES, conv3d},
    {"max_pool", PARTS_PLANES, max_pool},
    {"gemv_rows", PARTS_GROUPS, gemv_rows},
    {"gemv_item", PARTS_GROUPS, gemv_item},
    {"gemv_columns", PARTS_GROUPS, gemv_columns},
    {"gemv_half", PARTS_GROUPS, gemv_half},
    {"gemm_int8", PARTS_ROWS, gemm_int8},
    {"gelu", PARTS_GROUPS, gelu},
};
LOOPS(bench_host_networks, loops);
