/* Kernels of bytes.cl in plain C. Groups have 256 items. */
#include <stdlib.h>
#include <string.h>

#include "host.h"

static void sobel(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *restrict in = BYTES(0);
    uint8_t *restrict out = BYTES(1);
    size_t n = call->value[2];
    for (size_t y = first; y < end; y++) {
        const uint8_t *restrict up = in + (y - 1) * n, *restrict here = in + y * n,
                                *restrict down = in + (y + 1) * n;
        if (y == 0 || y == n - 1) {
            memset(out + y * n, 0, n);
            continue;
        }
        out[y * n] = out[y * n + n - 1] = 0;
#pragma omp simd
        for (size_t x = 1; x < n - 1; x++) {
            int dx = up[x + 1] + 2 * here[x + 1] + down[x + 1] - up[x - 1] - 2 * here[x - 1] -
                     down[x - 1];
            int dy = down[x - 1] + 2 * down[x] + down[x + 1] - up[x - 1] - 2 * up[x] - up[x + 1];
            int sum = abs(dx) + abs(dy);
            out[y * n + x] = (uint8_t)(sum < 255 ? sum : 255);
        }
    }
}

static void rgb_to_gray(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *restrict in = BYTES(0);
    uint8_t *restrict out = BYTES(1);
#pragma omp simd
    for (size_t i = first * 256; i < end * 256; i++) {
        out[i] = (uint8_t)((77 * in[3 * i] + 150 * in[3 * i + 1] + 29 * in[3 * i + 2]) >> 8);
    }
}

static uint32_t left(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static uint32_t column(const uint32_t *table, const uint32_t *s, size_t i)
{
    return table[s[i] >> 24] ^ left(table[s[(i + 1) % 4] >> 16 & 255], 24) ^
           left(table[s[(i + 2) % 4] >> 8 & 255], 16) ^ left(table[s[(i + 3) % 4] & 255], 8);
}

static uint32_t last(const uint32_t *table, const uint32_t *s, size_t i)
{
    return (table[s[i] >> 24] >> 8 & 255) << 24 |
           (table[s[(i + 1) % 4] >> 16 & 255] >> 8 & 255) << 16 |
           (table[s[(i + 2) % 4] >> 8 & 255] >> 8 & 255) << 8 |
           (table[s[(i + 3) % 4] & 255] >> 8 & 255);
}

static void aes_ctr(const struct bench_call *call, size_t first, size_t end)
{
    const uint32_t *restrict in = WORDS(0), *restrict table = WORDS(2), *restrict keys = WORDS(3);
    uint32_t *restrict out = WORDS(1);
    for (size_t i = first * 256; i < end * 256; i++) {
        uint32_t s[4] = {call->value[4] ^ keys[0], keys[1], keys[2], (uint32_t)i ^ keys[3]}, t[4];
        for (size_t round = 1; round < 10; round++) {
            for (size_t k = 0; k < 4; k++) {
                t[k] = column(table, s, k) ^ keys[4 * round + k];
            }
            memcpy(s, t, sizeof(s));
        }
        for (size_t k = 0; k < 4; k++) {
            out[4 * i + k] = in[4 * i + k] ^ last(table, s, k) ^ keys[40 + k];
        }
    }
}

static const uint32_t sha_start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
const uint32_t bench_sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t right(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void sha_block(const uint32_t *in, uint32_t *out)
{
    uint32_t w[64], s[8];
    memcpy(w, in, 16 * sizeof(*w));
    memcpy(s, sha_start, sizeof(s));
    for (size_t i = 16; i < 64; i++) {
        uint32_t near = w[i - 15], far = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (right(near, 7) ^ right(near, 18) ^ near >> 3) +
               (right(far, 17) ^ right(far, 19) ^ far >> 10);
    }
    for (size_t i = 0; i < 64; i++) {
        uint32_t t1 = s[7] + (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25)) +
                      ((s[4] & s[5]) ^ (~s[4] & s[6])) + bench_sha_constants[i] + w[i];
        uint32_t t2 = (right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof(*s));
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (size_t i = 0; i < 8; i++) {
        out[i] = sha_start[i] + s[i];
    }
}

static void sha256(const struct bench_call *call, size_t first, size_t end)
{
    for (size_t i = first * 256; i < end * 256; i++) {
        sha_block(WORDS(0) + 16 * i, WORDS(1) + 8 * i);
    }
}

static const struct bench_loop loops[] = {
    {"sobel", PARTS_ROWS, sobel},
    {"rgb_to_gray", PARTS_GROUPS, rgb_to_gray},
    {"aes_ctr", PARTS_GROUPS, aes_ctr},
    {"sha256", PARTS_GROUPS, sha256},
};
LOOPS(bench_host_bytes, loops);
