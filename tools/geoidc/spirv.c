/* Looks into SPIR-V modules. See spirv.h. */
#include "spirv.h"

#include "native/specialize.h"

#include <errno.h>
#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_WORDS 5u

/* A module as words in the order of this machine. */
struct words {
    const uint8_t *bytes;
    size_t count;
    bool swapped;
};

static uint32_t word_at(const struct words *words, size_t at)
{
    uint32_t word;
    memcpy(&word, words->bytes + 4 * at, sizeof(word));
    return words->swapped ? __builtin_bswap32(word) : word;
}

static bool words_open(const void *bytes, size_t count, struct words *words)
{
    *words = (struct words){.bytes = bytes, .count = count / 4};
    if (words->count < 1) {
        return false;
    }
    words->swapped = word_at(words, 0) == __builtin_bswap32(SpvMagicNumber);
    return word_at(words, 0) == SpvMagicNumber;
}

bool spirv_is(const void *bytes, size_t count)
{
    struct words words;
    return words_open(bytes, count, &words);
}

/* ---- specialisation constants ---- */

/* Facts about ids of the module. */
struct fact {
    uint32_t spec_id; /* 1 + SpecId; 0: none */
    uint32_t width;   /* of a scalar type */
    bool is_float;
};

/* The constants that were found so far. */
struct found {
    struct spirv_constant *items;
    size_t count, capacity;
};

static void constant_add(struct found *found, struct spirv_constant constant)
{
    if (found->count == found->capacity) {
        size_t capacity = found->capacity ? 2 * found->capacity : 16;
        struct spirv_constant *items = realloc(found->items, capacity * sizeof(*items));
        if (!items) {
            return; /* a constant that is given then counts as unknown */
        }
        found->items = items;
        found->capacity = capacity;
    }
    found->items[found->count++] = constant;
}

/* Learns from one instruction in front of the functions. */
static void instruction_read(const struct words *words, size_t at, uint32_t length,
                             struct fact *facts, uint32_t bound, struct found *found)
{
    uint32_t op = word_at(words, at) & 0xFFFFu;
    uint32_t first = length > 1 ? word_at(words, at + 1) : 0;
    uint32_t second = length > 2 ? word_at(words, at + 2) : 0;
    if (length < 3 || first >= bound) {
        return;
    }
    switch (op) {
    case SpvOpDecorate:
        if (second == SpvDecorationSpecId && length == 4 && word_at(words, at + 3) != UINT32_MAX) {
            facts[first].spec_id = 1 + word_at(words, at + 3);
        }
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        facts[first].width = second;
        facts[first].is_float = op == SpvOpTypeFloat;
        break;
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        if (second < bound && facts[second].spec_id) {
            bool number = op == SpvOpSpecConstant;
            constant_add(found, (struct spirv_constant){
                                    .id = facts[second].spec_id - 1,
                                    .kind = !number                 ? SPIRV_BOOL
                                            : facts[first].is_float ? SPIRV_FLOAT
                                                                    : SPIRV_INT,
                                    .width = number ? facts[first].width : 8,
                                });
        }
        break;
    default:
        break;
    }
}

size_t spirv_constants(const void *bytes, size_t count, struct spirv_constant **out)
{
    struct words words;
    struct found found = {0};
    *out = NULL;
    if (!words_open(bytes, count, &words) || words.count < HEADER_WORDS) {
        return 0;
    }
    uint32_t bound = word_at(&words, 3);
    struct fact *facts =
        bound && bound <= GEO_SPIRV_MAX_ID_BOUND ? calloc(bound, sizeof(*facts)) : NULL;
    for (size_t at = HEADER_WORDS; at < words.count && facts;) {
        uint32_t length = word_at(&words, at) >> 16;
        if (!length || length > words.count - at ||
            (word_at(&words, at) & 0xFFFFu) == SpvOpFunction) {
            break;
        }
        instruction_read(&words, at, length, facts, bound, &found);
        at += length;
    }
    free(facts);
    *out = found.items;
    return found.count;
}

/* ---- values ---- */

static const char *int_value(const char *text, uint32_t width, uint64_t *out)
{
    char *end;
    bool negative = *text == '-';
    errno = 0;
    unsigned long long magnitude = strtoull(text + negative, &end, 0);
    unsigned long long most = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    if (text[negative] < '0' || text[negative] > '9' || *end) {
        return "is not an integer";
    }
    if (errno || magnitude > most || (negative && magnitude > most / 2 + 1)) {
        return "does not fit the constant's type";
    }
    *out = negative ? (0 - magnitude) & most : magnitude;
    return NULL;
}

static const char *float_value(const char *text, uint32_t width, uint64_t *out)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end) {
        return "is not a number";
    }
    if (width == 64) {
        memcpy(out, &number, sizeof(number));
    } else if (width == 32) {
        float single = (float)number;
        uint32_t bits;
        memcpy(&bits, &single, sizeof(bits));
        *out = bits;
    } else if (width == 16) {
        _Float16 half = (_Float16)number;
        uint16_t bits;
        memcpy(&bits, &half, sizeof(bits));
        *out = bits;
    } else {
        return "cannot be given: floats of this width are not supported";
    }
    return NULL;
}

const char *spirv_value(const struct spirv_constant *constant, const char *text, uint64_t *out)
{
    *out = 0;
    if (constant->kind == SPIRV_FLOAT) {
        return float_value(text, constant->width, out);
    }
    if (constant->kind == SPIRV_INT) {
        return int_value(text, constant->width, out);
    }
    bool on = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    *out = on;
    return on || strcmp(text, "false") == 0 || strcmp(text, "0") == 0 ? NULL
                                                                      : "is neither true nor false";
}
