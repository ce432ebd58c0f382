/* Kernels that mostly move data: triad, transposes, a stencil, exchanges. Data that is not read
 * again soon is stored with non-temporal stores, past the caches. */
#include <immintrin.h>
#include <string.h>

#include "hand.h"

/* Results of at least this size, in bytes, are stored past the caches. */
enum { STREAM_BYTES = 2 << 20 };

AVX512 static void triad(const struct bench_call *call, size_t first, size_t end)
{
    const float *a = FLOATS(1), *b = FLOATS(2);
    float *out = FLOATS(0);
    const __m512 s = _mm512_castsi512_ps(_mm512_set1_epi32((int)call->value[3]));
    int streams = call->row->args[0].bytes >= STREAM_BYTES;
    for (size_t i = first * 256; i < end * 256; i += 16) {
        __m512 sum = _mm512_fmadd_ps(s, _mm512_loadu_ps(b + i), _mm512_loadu_ps(a + i));
        if (streams) {
            _mm512_stream_ps(out + i, sum);
        } else {
            _mm512_store_ps(out + i, sum);
        }
    }
    _mm_sfence();
}

/* Transposes 16 vectors: exchanges elements, then pairs of them, then quarters of vectors. */
AVX512_INLINE void transpose_16(__m512i *v)
{
    __m512i t[16];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        t[2 * i] = _mm512_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        v[4 * i] = _mm512_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
        v[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
        v[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
        v[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(v[i], v[4 + i], 0x88);
        t[4 + i] = _mm512_shuffle_i32x4(v[i], v[4 + i], 0xdd);
        t[8 + i] = _mm512_shuffle_i32x4(v[8 + i], v[12 + i], 0x88);
        t[12 + i] = _mm512_shuffle_i32x4(v[8 + i], v[12 + i], 0xdd);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        v[i] = _mm512_shuffle_i32x4(t[i], t[8 + i], 0x88);
        v[8 + i] = _mm512_shuffle_i32x4(t[i], t[8 + i], 0xdd);
        v[4 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], 0x88);
        v[12 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], 0xdd);
    }
}

AVX512_INLINE void transpose_block(const uint32_t *in, uint32_t *out, size_t n, int streams)
{
    __m512i v[16];
#pragma GCC unroll 16
    for (size_t i = 0; i < 16; i++) {
        v[i] = _mm512_loadu_si512(in + i * n);
    }
    transpose_16(v);
#pragma GCC unroll 16
    for (size_t i = 0; i < 16; i++) {
        __m512i *to = (__m512i *)(void *)(out + i * n);
        if (streams) {
            _mm512_stream_si512(to, v[i]);
        } else {
            _mm512_store_si512(to, v[i]);
        }
    }
}

/* Transposes blocks of 16 rows, and the remaining rows float by float. Large results are read in
 * order and stored past the caches; small results are written in order. */
AVX512 static void transpose(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *in = WORDS(0);
    uint32_t *out = WORDS(1);
    size_t n = call->value[2], row = first, blocks = end / 16 * 16;
    if (call->row->args[1].bytes >= STREAM_BYTES) {
        for (; row + 16 <= end && row % 16 == 0; row += 16) {
            for (size_t column = 0; column < n; column += 16) {
                transpose_block(in + row * n + column, out + column * n + row, n, 1);
            }
        }
        _mm_sfence();
    } else if (first % 16 == 0) {
        for (size_t column = 0; column < n; column += 16) {
            for (row = first; row < blocks; row += 16) {
                transpose_block(in + row * n + column, out + column * n + row, n, 0);
            }
        }
    }
    for (; row < end; row++) {
        for (size_t column = 0; column < n; column++) {
            out[column * n + row] = in[row * n + column];
        }
    }
}

/* Transposes 64 rows of 16 bytes. First the bytes of each four rows are sorted into words of four
 * bytes. Then the words are transposed like floats. */
AVX512_INLINE void transpose_bytes_block(const uint8_t *in, uint8_t *out, size_t n)
{
    const __m512i fours =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m512i v[16];
    /* v[i] holds rows 4 i to 4 i + 3, each of four words. */
#pragma GCC unroll 16
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *row = in + 4 * i * n;
        __m512i rows = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)row));
        rows =
            _mm512_inserti32x4(rows, _mm_loadu_si128((const __m128i *)(const void *)(row + n)), 1);
        rows = _mm512_inserti32x4(rows,
                                  _mm_loadu_si128((const __m128i *)(const void *)(row + 2 * n)), 2);
        rows = _mm512_inserti32x4(rows,
                                  _mm_loadu_si128((const __m128i *)(const void *)(row + 3 * n)), 3);
        /* Puts words of the same columns side by side, then sorts each 16 bytes by columns. */
        rows = _mm512_permutexvar_epi32(
            _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), rows);
        v[i] = _mm512_shuffle_epi8(rows, fours);
    }
    transpose_16(v);
#pragma GCC unroll 16
    for (size_t i = 0; i < 16; i++) {
        _mm512_stream_si512((__m512i *)(void *)(out + i * n), v[i]);
    }
}

AVX512 static void transpose_bytes(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *in = BYTES(0);
    uint8_t *out = BYTES(1);
    size_t n = call->value[2], row = first;
    for (; row + 64 <= end && row % 64 == 0; row += 64) {
        for (size_t column = 0; column < n; column += 16) {
            transpose_bytes_block(in + row * n + column, out + column * n + row, n);
        }
    }
    for (; row < end; row++) {
        for (size_t column = 0; column < n; column++) {
            out[column * n + row] = in[row * n + column];
        }
    }
    _mm_sfence();
}

/* Computes rows of a plane by vectors. The last vector overlaps the one before. */
AVX512_INLINE void stencil_row(const float *in, float *out, size_t n, size_t plane)
{
    const __m512 own = _mm512_set1_ps(0.4f), other = _mm512_set1_ps(0.1f);
    for (size_t x = 1; x < n - 1; x += 16) {
        size_t i = x + 16 < n ? x : n - 17;
        __m512 sum = _mm512_add_ps(_mm512_loadu_ps(in + i - 1), _mm512_loadu_ps(in + i + 1));
        sum = _mm512_add_ps(
            sum, _mm512_add_ps(_mm512_loadu_ps(in + i - n), _mm512_loadu_ps(in + i + n)));
        sum = _mm512_add_ps(
            sum, _mm512_add_ps(_mm512_loadu_ps(in + i - plane), _mm512_loadu_ps(in + i + plane)));
        _mm512_storeu_ps(out + i,
                         _mm512_fmadd_ps(own, _mm512_loadu_ps(in + i), _mm512_mul_ps(other, sum)));
    }
}

AVX512 static void stencil(const struct bench_call *call, size_t first, size_t end)
{
    size_t n = call->value[2], plane = n * n;
    for (size_t z = first; z < end; z++) {
        for (size_t y = 0; y < n; y++) {
            const float *in = FLOATS(0) + z * plane + y * n;
            float *out = FLOATS(1) + z * plane + y * n;
            if (z == 0 || y == 0 || z == n - 1 || y == n - 1) {
                memcpy(out, in, n * sizeof(*out));
                continue;
            }
            out[0] = in[0];
            out[n - 1] = in[n - 1];
            stencil_row(in, out, n, plane);
        }
    }
}

/* Makes an exchange of a bitonic sort between keys that are `distance` apart. Blocks of `size` keys
 * are sorted up and down in turn. `base` is the index of keys[0]. */
AVX512_INLINE void exchange(uint32_t *keys, size_t count, size_t base, size_t distance, size_t size)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                  apart = _mm512_set1_epi32((int)distance),
                  partner = _mm512_xor_si512(lanes, apart);
    if (distance >= 16) {
        for (size_t i = 0; i < count; i += 16) {
            if ((base + i) & distance) {
                i += distance - 16;
                continue;
            }
            __m512i a = _mm512_loadu_si512(keys + i), b = _mm512_loadu_si512(keys + i + distance);
            __m512i least = _mm512_min_epu32(a, b), most = _mm512_max_epu32(a, b);
            int down = ((base + i) & size) != 0;
            _mm512_storeu_si512(keys + i, down ? most : least);
            _mm512_storeu_si512(keys + i + distance, down ? least : most);
        }
        return;
    }
    __mmask16 high = _mm512_test_epi32_mask(lanes, apart);
    for (size_t i = 0; i < count; i += 16) {
        __m512i own = _mm512_loadu_si512(keys + i), other = _mm512_permutexvar_epi32(partner, own);
        __mmask16 down =
            _mm512_test_epi32_mask(_mm512_or_si512(lanes, _mm512_set1_epi32((int)(base + i))),
                                   _mm512_set1_epi32((int)size));
        __m512i least = _mm512_min_epu32(own, other);
        _mm512_storeu_si512(keys + i, _mm512_mask_max_epu32(least, high ^ down, own, other));
    }
}

/* A part is a group of 256 items. */
AVX512 static void bitonic(const struct bench_call *call, size_t first, size_t end)
{
    exchange(WORDS(0) + first * 256, (end - first) * 256, first * 256, call->value[1],
             call->value[2]);
}

AVX512 static void bitonic_local(const struct bench_call *call, size_t first, size_t end)
{
    enum { KEYS = 512 };
    for (size_t group = first; group < end; group++) {
        uint32_t *keys = WORDS(1) + group * KEYS;
        memcpy(keys, WORDS(0) + group * KEYS, KEYS * sizeof(*keys));
        for (size_t size = 2; size <= KEYS; size *= 2) {
            for (size_t distance = size / 2; distance > 0; distance /= 2) {
                exchange(keys, KEYS, 0, distance, size);
            }
        }
    }
}

static const struct bench_loop loops[] = {
    {"triad", PARTS_GROUPS, triad},
    {"transpose", PARTS_ROWS, transpose},
    {"transpose_tiled", PARTS_ROWS, transpose},
    {"transpose_bytes", PARTS_ROWS, transpose_bytes},
    {"transpose_bytes_tiled", PARTS_ROWS, transpose_bytes},
    {"stencil", PARTS_PLANES, stencil},
    {"bitonic", PARTS_GROUPS, bitonic},
    {"bitonic_local", PARTS_GROUPS, bitonic_local},
};
LOOPS(bench_hand_memory, loops);
