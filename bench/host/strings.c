/* Kernels of strings.cl in plain C. */
#include <stdbool.h>
#include <string.h>

#include "host.h"

/* Checks 16 bytes. Reads the 3 bytes before them as well. */
static inline uint8_t utf8_bad(const uint8_t *restrict text)
{
    uint8_t bad = 0;
    for (int i = 0; i < 16; i++) {
        uint8_t c = text[i];
        uint8_t expected = (text[i - 1] >= 0xc0) | (text[i - 2] >= 0xe0) | (text[i - 3] >= 0xf0);
        bad |= (uint8_t)((c & 0xc0) == 0x80) ^ expected;
        bad |= (c >= 0xf8) | (c == 0xc0) | (c == 0xc1);
    }
    return bad;
}

static void utf8_check(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *restrict text = BYTES(0);
    uint32_t *restrict errors = WORDS(1);
    for (size_t item = first * 256; item < end * 256; item++) {
        if (item > 0) {
            errors[item] = utf8_bad(text + item * 16);
            continue;
        }
        uint8_t start[19] = {0};
        memcpy(start + 3, text, 16);
        errors[0] = utf8_bad(start + 3);
    }
}

static void find_pattern(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *restrict text = BYTES(0), *restrict pattern = BYTES(1);
    size_t length = call->value[3], size = call->value[4];
    for (size_t item = first * 256; item < end * 256; item++) {
        uint8_t found[64];
        size_t places = size - item * 64 - length + 1;
        places = item * 64 + length > size ? 0 : places < 64 ? places : 64;
        uint32_t count = 0;
        memset(found, 1, sizeof(found));
        for (size_t k = 0; k < length; k++) {
            for (size_t i = 0; i < places; i++) {
                found[i] &= (text[item * 64 + i + k] & 15) == (pattern[k] & 15);
            }
        }
        for (size_t i = 0; i < places; i++) {
            count += found[i];
        }
        WORDS(2)[item] = count;
    }
}

static inline bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

static void tokenise(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *restrict text = BYTES(0);
    uint8_t *restrict marks = BYTES(1);
    uint32_t words = 0, lines = 0;
    for (size_t i = first * 256; i < end * 256; i++) {
        uint8_t c = text[i], before = i > 0 ? text[i - 1] : ' ';
        bool space = is_space(c), begin = !space & is_space(before);
        uint8_t kind = space ? 0 : c >= 0x80 ? 1 : (uint8_t)(c - '0') <= 9 ? 2 : 3;
        marks[i] = (uint8_t)(kind | begin << 7);
        words += begin;
        lines += c == '\n';
    }
    __atomic_fetch_add(WORDS(2), words, __ATOMIC_RELAXED);
    __atomic_fetch_add(WORDS(2) + 1, lines, __ATOMIC_RELAXED);
}

/* Compares 8 bytes at once. */
static size_t match(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t length = 0;
    for (; length + 8 <= most; length += 8) {
        uint64_t x, y;
        memcpy(&x, a + length, sizeof(x));
        memcpy(&y, b + length, sizeof(y));
        if (x != y) {
            return length + (size_t)__builtin_ctzll(x ^ y) / 8;
        }
    }
    while (length < most && a[length] == b[length]) {
        length++;
    }
    return length;
}

static void lz_match(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *restrict text = BYTES(0);
    size_t size = (size_t)call->row->groups[0] * 256;
    for (size_t i = first * 256; i < end * 256; i++) {
        size_t most = size - i < 16 ? size - i : 16, best = 0, where = 0;
        for (size_t distance = 1; distance <= 32 && distance <= i; distance++) {
            if (text[i] != text[i - distance]) {
                continue;
            }
            size_t length = match(text + i, text + i - distance, most);
            where = length > best ? distance : where;
            best = length > best ? length : best;
        }
        WORDS(1)[i] = (uint32_t)(best << 16 | where);
    }
}

static void base64_encode(const struct bench_call *call, size_t first, size_t end)
{
    const uint8_t *restrict in = BYTES(0), *restrict letters = BYTES(2);
    uint8_t *restrict out = BYTES(1);
    for (size_t i = first * 256; i < end * 256; i++) {
        uint32_t bits = (uint32_t)in[3 * i] << 16 | (uint32_t)in[3 * i + 1] << 8 | in[3 * i + 2];
        out[4 * i] = letters[bits >> 18];
        out[4 * i + 1] = letters[bits >> 12 & 63];
        out[4 * i + 2] = letters[bits >> 6 & 63];
        out[4 * i + 3] = letters[bits & 63];
    }
}

static const struct bench_loop loops[] = {
    {"utf8_check", PARTS_GROUPS, utf8_check},       {"find_pattern", PARTS_GROUPS, find_pattern},
    {"tokenise", PARTS_GROUPS, tokenise},           {"lz_match", PARTS_GROUPS, lz_match},
    {"base64_encode", PARTS_GROUPS, base64_encode},
};
LOOPS(bench_host_strings, loops);
