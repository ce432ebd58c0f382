/* Products of sparse matrices. x fits into the second-level cache, where a gather costs about as
 * much as a load per lane. So vectors only pay if they avoid branches. Groups have 64 rows. */
#include <immintrin.h>

#include "hand.h"

/* Multiplies rows of 4 to 12 entries with scalars, in two independent chains. */
AVX512 static void spmv(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *columns = WORDS(0), n = call->value[4];
    const float *values = FLOATS(1), *x = FLOATS(2);
    float *y = FLOATS(3);
    for (size_t row = first * 64; row < end * 64; row++) {
        const uint32_t *own = columns + row * 12;
        const float *factors = values + row * 12;
        size_t count = 4 + row % 9;
        float sum = 0.0f, second = 0.0f;
        for (size_t k = 0; k + 1 < count; k += 2) {
            sum += factors[k] * x[own[k] & (n - 1)];
            second += factors[k + 1] * x[own[k + 1] & (n - 1)];
        }
        if (count & 1) {
            sum += factors[count - 1] * x[own[count - 1] & (n - 1)];
        }
        y[row] = sum + second;
    }
}

/* Multiplies rows of 1 to 32 entries. The processor would mispredict branches at the ends of rows.
 * So all products of a group's rows are computed first, and then summed under masks. */
AVX512 static void spmv_csr(const struct bench_call *call, size_t first, size_t end)
{
    enum { MOST = 64 * 32 };
    _Alignas(64) float products[MOST + 48];
    const uint32_t *rows = WORDS(0), *columns = WORDS(1);
    const float *values = FLOATS(2), *x = FLOATS(3);
    float *y = FLOATS(4);
    for (size_t group = first; group < end; group++) {
        const uint32_t *own = rows + group * 64, begin = own[0];
        for (uint32_t k = 0; k < own[64] - begin; k += 16) {
            uint32_t left = own[64] - begin - k;
            __mmask16 on = (__mmask16)_bzhi_u32(0xffff, left < 16 ? left : 16);
            __m512 entries = _mm512_mask_i32gather_ps(
                _mm512_setzero_ps(), on, _mm512_maskz_loadu_epi32(on, columns + begin + k), x, 4);
            _mm512_store_ps(products + k,
                            _mm512_mul_ps(_mm512_maskz_loadu_ps(on, values + begin + k), entries));
        }
        for (size_t row = 0; row < 64; row++) {
            const float *part = products + (own[row] - begin);
            uint32_t on = _bzhi_u32(0xffffffff, own[row + 1] - own[row]);
            y[group * 64 + row] = _mm512_reduce_add_ps(
                _mm512_add_ps(_mm512_maskz_loadu_ps((__mmask16)on, part),
                              _mm512_maskz_loadu_ps((__mmask16)(on >> 16), part + 16)));
        }
    }
}

AVX512 static void spmv_ell(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *columns = WORDS(0);
    const float *values = FLOATS(1), *x = FLOATS(2);
    float *y = FLOATS(3);
    size_t n = call->value[4];
    for (size_t row = first * 64; row < end * 64; row += 32) {
        __m512 sums[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
        for (size_t k = 0; k < 16; k++) {
#pragma GCC unroll 2
            for (size_t v = 0; v < 2; v++) {
                size_t entry = k * n + row + 16 * v;
                __m512 own = _mm512_i32gather_ps(_mm512_loadu_si512(columns + entry), x, 4);
                sums[v] = _mm512_fmadd_ps(_mm512_loadu_ps(values + entry), own, sums[v]);
            }
        }
        _mm512_storeu_ps(y + row, sums[0]);
        _mm512_storeu_ps(y + row + 16, sums[1]);
    }
}

static const struct bench_loop loops[] = {
    {"spmv", PARTS_GROUPS, spmv},
    {"spmv_csr", PARTS_GROUPS, spmv_csr},
    {"spmv_ell", PARTS_GROUPS, spmv_ell},
};
LOOPS(bench_hand_sparse, loops);
