/* Kernels of hashes.cl in plain C. Items are independent, so that the compiler can hash several
 * keys at once. */
#include <string.h>

#include "host.h"

static inline uint32_t left(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static inline uint64_t left64(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static void murmur3(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict keys = WORDS(0);
    uint32_t *restrict out = WORDS(1), seed = call->value[2];
#pragma omp simd
    for (size_t item = first * 256; item < end * 256; item++) {
        uint32_t h = seed;
#pragma GCC unroll 16
        for (size_t i = 0; i < 16; i++) {
            uint32_t k = keys[item * 16 + i] * 0xcc9e2d51u;
            k = left(k, 15) * 0x1b873593u;
            h = left(h ^ k, 13) * 5 + 0xe6546b64u;
        }
        h ^= 64;
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        out[item] = h ^ h >> 16;
    }
}

/* Computes four pieces at once, so that their chains of look-ups overlap. */
static void crc32(const struct bench_call *call, size_t first, size_t end)
{
    enum { PIECE = 256, AT_ONCE = 4 };
    const uint8_t *restrict data = BYTES(0);
    uint32_t *restrict out = WORDS(1), table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++) {
            value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        }
        table[i] = value;
    }
    for (size_t item = first * 256; item < end * 256; item += AT_ONCE) {
        uint32_t crc[AT_ONCE];
        memset(crc, 0xff, sizeof(crc));
        for (size_t i = 0; i < PIECE; i++) {
            for (size_t k = 0; k < AT_ONCE; k++) {
                crc[k] = crc[k] >> 8 ^ table[(crc[k] ^ data[(item + k) * PIECE + i]) & 255];
            }
        }
        for (size_t k = 0; k < AT_ONCE; k++) {
            out[item + k] = ~crc[k];
        }
    }
}

static inline void sip_round(uint64_t *v)
{
    v[0] += v[1];
    v[1] = left64(v[1], 13) ^ v[0];
    v[0] = left64(v[0], 32);
    v[2] += v[3];
    v[3] = left64(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = left64(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = left64(v[1], 17) ^ v[2];
    v[2] = left64(v[2], 32);
}

static void siphash(const struct bench_call *call, size_t first, size_t end)
{
    const uint64_t *restrict keys = call->memory[0];
    uint64_t *restrict out = call->memory[1];
    uint64_t k0 = call->value[2] * 0x9e3779b97f4a7c15u, k1 = ~k0;
#pragma omp simd
    for (size_t item = first * 256; item < end * 256; item++) {
        uint64_t v[4] = {k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du,
                         k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u};
#pragma GCC unroll 5
        for (size_t i = 0; i < 5; i++) {
            uint64_t m = i < 4 ? keys[item * 4 + i] : (uint64_t)32 << 56;
            v[3] ^= m;
            sip_round(v);
            sip_round(v);
            v[0] ^= m;
        }
        v[2] ^= 0xff;
        sip_round(v);
        sip_round(v);
        sip_round(v);
        sip_round(v);
        out[item] = v[0] ^ v[1] ^ v[2] ^ v[3];
    }
}

/* Mixes 16 words of each of LANES blocks. The loop over blocks is the one to vectorise. */
enum { LANES = 16 };

static inline void quarter(uint32_t (*x)[LANES], size_t a, size_t b, size_t c, size_t d)
{
#pragma omp simd
    for (size_t k = 0; k < LANES; k++) {
        x[a][k] += x[b][k];
        x[d][k] = left(x[d][k] ^ x[a][k], 16);
        x[c][k] += x[d][k];
        x[b][k] = left(x[b][k] ^ x[c][k], 12);
        x[a][k] += x[b][k];
        x[d][k] = left(x[d][k] ^ x[a][k], 8);
        x[c][k] += x[d][k];
        x[b][k] = left(x[b][k] ^ x[c][k], 7);
    }
}

static void chacha20(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict in = WORDS(0), *restrict key = WORDS(2);
    uint32_t *restrict out = WORDS(1);
    for (size_t item = first * 256; item < end * 256; item += LANES) {
        uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16][LANES];
        memcpy(start + 4, key, 11 * sizeof(*key));
        start[15] = start[12];
        for (size_t i = 0; i < 16; i++) {
            for (size_t k = 0; k < LANES; k++) {
                x[i][k] = i == 12 ? call->value[3] + (uint32_t)(item + k) : start[i];
            }
        }
        for (int round = 0; round < 10; round++) {
            quarter(x, 0, 4, 8, 12);
            quarter(x, 1, 5, 9, 13);
            quarter(x, 2, 6, 10, 14);
            quarter(x, 3, 7, 11, 15);
            quarter(x, 0, 5, 10, 15);
            quarter(x, 1, 6, 11, 12);
            quarter(x, 2, 7, 8, 13);
            quarter(x, 3, 4, 9, 14);
        }
        for (size_t k = 0; k < LANES; k++) {
            start[12] = call->value[3] + (uint32_t)(item + k);
            for (size_t i = 0; i < 16; i++) {
                size_t at = (item + k) * 16 + i;
                out[at] = in[at] ^ (x[i][k] + start[i]);
            }
        }
    }
}

/* Hashes LANES messages at once. */
static void sha256_search(const struct bench_call *call, size_t first, size_t end)
{
    static const uint32_t begin[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint32_t *restrict header = WORDS(0);
    uint32_t *restrict out = WORDS(1);
    for (size_t item = first * 256; item < end * 256; item += LANES) {
        uint32_t w[16][LANES], s[8][LANES];
        for (size_t k = 0; k < LANES; k++) {
            for (size_t i = 0; i < 15; i++) {
                w[i][k] = header[i];
            }
            w[15][k] = (uint32_t)(item + k);
            for (size_t i = 0; i < 8; i++) {
                s[i][k] = begin[i];
            }
        }
        for (size_t i = 0; i < 64; i++) {
            uint32_t *restrict a = s[(0 - i) & 7], *restrict b = s[(1 - i) & 7],
                               *restrict c = s[(2 - i) & 7], *restrict d = s[(3 - i) & 7],
                               *restrict e = s[(4 - i) & 7], *restrict f = s[(5 - i) & 7],
                               *restrict g = s[(6 - i) & 7], *restrict h = s[(7 - i) & 7];
#pragma omp simd
            for (size_t k = 0; k < LANES; k++) {
                if (i >= 16) {
                    uint32_t near = w[(i + 1) & 15][k], far = w[(i + 14) & 15][k];
                    w[i & 15][k] += w[(i + 9) & 15][k] +
                                    (left(near, 25) ^ left(near, 14) ^ near >> 3) +
                                    (left(far, 15) ^ left(far, 13) ^ far >> 10);
                }
                uint32_t t1 = h[k] + (left(e[k], 26) ^ left(e[k], 21) ^ left(e[k], 7)) +
                              ((e[k] & f[k]) ^ (~e[k] & g[k])) + bench_sha_constants[i] +
                              w[i & 15][k];
                d[k] += t1;
                h[k] = t1 + (left(a[k], 30) ^ left(a[k], 19) ^ left(a[k], 10)) +
                       ((a[k] & b[k]) ^ (a[k] & c[k]) ^ (b[k] & c[k]));
            }
        }
        for (size_t k = 0; k < LANES; k++) {
            out[item + k] = (s[0][k] + begin[0]) ^ (s[7][k] + begin[7]);
        }
    }
}

static const struct bench_loop loops[] = {
    {"murmur3", PARTS_GROUPS, murmur3},
    {"crc32", PARTS_GROUPS, crc32},
    {"siphash", PARTS_GROUPS, siphash},
    {"chacha20", PARTS_GROUPS, chacha20},
    {"sha256_search", PARTS_GROUPS, sha256_search},
};
LOOPS(bench_host_hashes, loops);
