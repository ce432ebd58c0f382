/* Matrix product, n-body problem, option prices. */
#include <immintrin.h>
#include <stdlib.h>

#include "hand.h"

/* Tiles have 8 rows of two vectors: 16 registers hold sums, two hold values of b. A panel of b, 32
 * columns wide, stays in the first-level cache, and tiles of a in the second level. Both are copied
 * first, because rows that are 4 KiB apart would share cache sets. */
enum { TILE_ROWS = 8, TILE_COLUMNS = 32, DEPTH = 256, ROWS = 128, COLUMNS = 1024 };

struct packed {
    _Alignas(64) float a[ROWS * DEPTH]; /* by tile, then by k */
    float b[COLUMNS * DEPTH];           /* by panel, then by k */
};

static void pack_a(const float *from, size_t n, size_t rows, float *to)
{
    for (size_t row = 0; row < rows; row++) {
        float *tile = to + row / TILE_ROWS * TILE_ROWS * DEPTH + row % TILE_ROWS;
        for (size_t k = 0; k < DEPTH; k++) {
            tile[k * TILE_ROWS] = from[row * n + k];
        }
    }
}

AVX512 static void pack_b(const float *from, size_t n, size_t columns, float *to)
{
    for (size_t k = 0; k < DEPTH; k++) {
        for (size_t column = 0; column < columns; column += TILE_COLUMNS) {
            float *panel = to + column * DEPTH + k * TILE_COLUMNS;
            _mm512_store_ps(panel, _mm512_loadu_ps(from + k * n + column));
            _mm512_store_ps(panel + 16, _mm512_loadu_ps(from + k * n + column + 16));
        }
    }
}

/* Multiplies a tile and a panel. Sets the tile of c, which has `rows` rows, to the product, or adds
 * the product to it. */
AVX512_INLINE void multiply_tile(const float *a, const float *b, float *c, size_t n, size_t rows,
                                 int begins)
{
    __m512 sums[TILE_ROWS][2];
#pragma GCC unroll 8
    for (size_t r = 0; r < TILE_ROWS; r++) {
        sums[r][0] = sums[r][1] = _mm512_setzero_ps();
    }
    for (size_t k = 0; k < DEPTH; k++) {
        __m512 left = _mm512_load_ps(b + k * TILE_COLUMNS),
               right = _mm512_load_ps(b + k * TILE_COLUMNS + 16);
#pragma GCC unroll 8
        for (size_t r = 0; r < TILE_ROWS; r++) {
            __m512 factor = _mm512_set1_ps(a[k * TILE_ROWS + r]);
            sums[r][0] = _mm512_fmadd_ps(factor, left, sums[r][0]);
            sums[r][1] = _mm512_fmadd_ps(factor, right, sums[r][1]);
        }
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < TILE_ROWS; r++) {
        for (size_t v = 0; v < 2 && r < rows; v++) {
            float *to = c + r * n + 16 * v;
            _mm512_storeu_ps(to,
                             begins ? sums[r][v] : _mm512_add_ps(sums[r][v], _mm512_loadu_ps(to)));
        }
    }
}

AVX512 static void multiply_block(const struct packed *packed, float *c, size_t n, size_t rows,
                                  size_t columns, int begins)
{
    for (size_t column = 0; column < columns; column += TILE_COLUMNS) {
        for (size_t row = 0; row < rows; row += TILE_ROWS) {
            size_t left = rows - row < TILE_ROWS ? rows - row : TILE_ROWS;
            multiply_tile(packed->a + row * DEPTH, packed->b + column * DEPTH, c + row * n + column,
                          n, left, begins);
        }
    }
}

AVX512 static void sgemm(const struct bench_call *call, size_t first, size_t end)
{
    static _Thread_local struct packed packed;
    const float *a = FLOATS(0), *b = FLOATS(1);
    size_t n = call->value[3];
    for (size_t column = 0; column < n; column += COLUMNS) {
        size_t columns = n - column < COLUMNS ? n - column : COLUMNS;
        for (size_t k = 0; k < n; k += DEPTH) {
            pack_b(b + k * n + column, n, columns, packed.b);
            for (size_t row = first; row < end; row += ROWS) {
                size_t rows = end - row < ROWS ? end - row : ROWS;
                pack_a(a + row * n + k, n, rows, packed.a);
                multiply_block(&packed, FLOATS(2) + row * n + column, n, rows, columns, k == 0);
            }
        }
    }
}

enum { BODIES = 4 }; /* vectors of bodies that share each load of another body */

/* Computes the inverse square root by an estimate and one Newton step, y (3 - x y^2). This lacks
 * the factor 1/2. As the root is used three times, `mass` is multiplied by 1/8. */
AVX512_INLINE void attract(const float *from, size_t count, const __m512 (*at)[3],
                           __m512 (*pull)[3])
{
    const __m512 three = _mm512_set1_ps(3.0f), softening = _mm512_set1_ps(1e-3f);
    for (size_t j = 0; j < count; j++) {
        __m512 x = _mm512_set1_ps(from[4 * j]), y = _mm512_set1_ps(from[4 * j + 1]),
               z = _mm512_set1_ps(from[4 * j + 2]), mass = _mm512_set1_ps(from[4 * j + 3] * 0.125f);
#pragma GCC unroll 4
        for (size_t v = 0; v < BODIES; v++) {
            __m512 dx = _mm512_sub_ps(x, at[v][0]), dy = _mm512_sub_ps(y, at[v][1]),
                   dz = _mm512_sub_ps(z, at[v][2]);
            __m512 square = _mm512_fmadd_ps(
                dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_fmadd_ps(dz, dz, softening)));
            __m512 estimate = _mm512_rsqrt14_ps(square);
            __m512 inverse = _mm512_mul_ps(
                estimate, _mm512_fnmadd_ps(_mm512_mul_ps(square, estimate), estimate, three));
            __m512 force =
                _mm512_mul_ps(_mm512_mul_ps(mass, inverse), _mm512_mul_ps(inverse, inverse));
            pull[v][0] = _mm512_fmadd_ps(force, dx, pull[v][0]);
            pull[v][1] = _mm512_fmadd_ps(force, dy, pull[v][1]);
            pull[v][2] = _mm512_fmadd_ps(force, dz, pull[v][2]);
        }
    }
}

AVX512 static void nbody(const struct bench_call *call, size_t first, size_t end)
{
    const float *from = FLOATS(0);
    float *to = FLOATS(1);
    const __m512i fours = _mm512_slli_epi32(
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 2);
    for (size_t i = first * 128; i < end * 128; i += 16 * BODIES) {
        __m512 at[BODIES][3], pull[BODIES][3];
        for (size_t v = 0; v < BODIES; v++) {
            for (size_t d = 0; d < 3; d++) {
                at[v][d] = _mm512_i32gather_ps(fours, from + 4 * (i + 16 * v) + d, 4);
                pull[v][d] = _mm512_setzero_ps();
            }
        }
        attract(from, call->value[2], (const __m512(*)[3])at, pull);
        for (size_t v = 0; v < BODIES; v++) {
            float *out = to + 4 * (i + 16 * v);
            for (size_t d = 0; d < 3; d++) {
                _mm512_i32scatter_ps(out + d, fours, pull[v][d], 4);
            }
            __m512 mass = _mm512_i32gather_ps(fours, from + 4 * (i + 16 * v) + 3, 4);
            _mm512_i32scatter_ps(out + 3, fours, mass, 4);
        }
    }
}

AVX512_INLINE __m512 polynomial(__m512 x, const float *factors, int count)
{
    __m512 sum = _mm512_set1_ps(factors[0]);
#pragma GCC unroll 10
    for (int i = 1; i < count; i++) {
        sum = _mm512_fmadd_ps(sum, x, _mm512_set1_ps(factors[i]));
    }
    return sum;
}

/* Computes e^x for x up to 80, as 2^n times the series of e^r with |r| <= ln 2 / 2. */
AVX512_INLINE __m512 exponential(__m512 x)
{
    static const float factors[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
    __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 8);
    __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693147182f), x);
    return _mm512_scalef_ps(polynomial(r, factors, 7), n);
}

/* Computes the logarithm of positive normal numbers by the exponent and
 * 2 artanh((m - 1) / (m + 1)), with m from 0.75 to 1.5. */
AVX512_INLINE __m512 logarithm(__m512 x)
{
    static const float factors[] = {2.0f / 9, 2.0f / 7, 2.0f / 5, 2.0f / 3, 2.0f};
    const __m512 one = _mm512_set1_ps(1.0f);
    __m512 m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
    __m512 n = _mm512_getexp_ps(_mm512_div_ps(x, m));
    __m512 t = _mm512_div_ps(_mm512_sub_ps(m, one), _mm512_add_ps(m, one));
    return _mm512_fmadd_ps(n, _mm512_set1_ps(0.693147182f),
                           _mm512_mul_ps(t, polynomial(_mm512_mul_ps(t, t), factors, 5)));
}

/* Computes the normal distribution by Abramowitz and Stegun 26.2.17, with an error of 7.5e-8. */
AVX512_INLINE __m512 normal(__m512 d)
{
    static const float factors[] = {1.330274429f, -1.821255978f, 1.781477937f, -0.356563782f,
                                    0.319381530f};
    const __m512 one = _mm512_set1_ps(1.0f);
    __m512 x = _mm512_abs_ps(d), y = _mm512_fmadd_ps(x, _mm512_set1_ps(0.2316419f), one);
    __m512 k = _mm512_rcp14_ps(y);
    k = _mm512_mul_ps(k, _mm512_fnmadd_ps(y, k, _mm512_set1_ps(2.0f)));
    __m512 density =
        _mm512_mul_ps(exponential(_mm512_mul_ps(_mm512_mul_ps(x, x), _mm512_set1_ps(-0.5f))),
                      _mm512_mul_ps(k, _mm512_set1_ps(0.398942280f)));
    __m512 tail = _mm512_mul_ps(density, polynomial(k, factors, 5));
    return _mm512_mask_sub_ps(tail, _mm512_cmp_ps_mask(d, _mm512_setzero_ps(), _CMP_GT_OQ), one,
                              tail);
}

AVX512 static void black_scholes(const struct bench_call *call, size_t first, size_t end)
{
    const __m512 one = _mm512_set1_ps(1.0f), ten = _mm512_set1_ps(10.0f),
                 ninety = _mm512_set1_ps(90.0f), sigma = _mm512_set1_ps(0.3f),
                 drift = _mm512_set1_ps(0.02f + 0.3f * 0.3f * 0.5f);
    for (size_t i = first * 256; i < end * 256; i += 16) {
        __m512 r = _mm512_loadu_ps(FLOATS(0) + i), s = _mm512_fmadd_ps(ninety, r, ten),
               k = _mm512_fmadd_ps(ninety, _mm512_sub_ps(one, r), ten),
               t = _mm512_fmadd_ps(_mm512_set1_ps(9.0f), r, one), root = _mm512_sqrt_ps(t);
        __m512 spread = _mm512_mul_ps(sigma, root);
        __m512 d1 =
                   _mm512_div_ps(_mm512_fmadd_ps(drift, t, logarithm(_mm512_div_ps(s, k))), spread),
               n1 = normal(d1), n2 = normal(_mm512_sub_ps(d1, spread));
        __m512 discount = _mm512_mul_ps(k, exponential(_mm512_mul_ps(t, _mm512_set1_ps(-0.02f))));
        __m512 call_price = _mm512_fmsub_ps(s, n1, _mm512_mul_ps(discount, n2));
        __m512 put = _mm512_fmsub_ps(discount, _mm512_sub_ps(one, n2),
                                     _mm512_mul_ps(s, _mm512_sub_ps(one, n1)));
        _mm512_stream_ps(FLOATS(1) + i, call_price);
        _mm512_stream_ps(FLOATS(2) + i, put);
    }
    _mm_sfence();
}

static const struct bench_loop loops[] = {
    {"sgemm_naive", PARTS_ROWS, sgemm},
    {"sgemm_tiled", PARTS_ROWS, sgemm},
    {"nbody", PARTS_GROUPS, nbody},
    {"black_scholes", PARTS_GROUPS, black_scholes},
};
LOOPS(bench_hand_dense, loops);
