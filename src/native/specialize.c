/* Writes specialisation constants into SPIR-V. See specialize.h. */
#include "native/specialize.h"

#include "native/words.h"

#include <stdlib.h>
#include <string.h>

/* Facts about an id. */
struct fact {
    const struct geo_spirv_constant *constant; /* the given value for it */
    uint32_t width;                            /* width of a scalar type */
};

/* Values that the application gives. */
struct given {
    const struct geo_spirv_constant *items;
    uint32_t count;
};

static const struct geo_spirv_constant *constant_find(const struct given *given, uint32_t id)
{
    const struct geo_spirv_constant *found = NULL;
    for (uint32_t i = 0; i < given->count; i++) {
        if (given->items[i].id == id) {
            found = &given->items[i]; /* the last value given for an id is used */
        }
    }
    return found;
}

static void scalar_patch(uint32_t *words, uint32_t length, const struct fact *type,
                         const struct fact *fact)
{
    uint64_t value = 0;
    if (type->width / 8 > sizeof(value) || length < 4 || (type->width > 32 && length < 5)) {
        return;
    }
    memcpy(&value, fact->constant->value, type->width / 8);
    words[3] = (uint32_t)value;
    if (type->width > 32) {
        words[4] = (uint32_t)(value >> 32);
    }
}

static void instruction_patch(uint32_t *words, uint32_t length, struct fact *facts, uint32_t bound,
                              const struct given *given)
{
    uint32_t op = words[0] & 0xFFFFu;
    if (length < 3 || words[1] >= bound ||
        (op != SpvOpDecorate && words[2] >= bound && op != SpvOpTypeInt && op != SpvOpTypeFloat)) {
        return;
    }
    switch (op) {
    case SpvOpDecorate:
        if (words[2] == SpvDecorationSpecId && length == 4) {
            facts[words[1]].constant = constant_find(given, words[3]);
        }
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        facts[words[1]].width = words[2];
        break;
    case SpvOpSpecConstant:
        if (facts[words[2]].constant) {
            scalar_patch(words, length, &facts[words[1]], &facts[words[2]]);
        }
        break;
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        if (facts[words[2]].constant) {
            bool on = *(const uint8_t *)facts[words[2]].constant->value != 0;
            words[0] = (length << 16) | (on ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse);
        }
        break;
    default:
        break;
    }
}

bool geo_spirv_specialize(void *bytes, size_t size, const struct geo_spirv_constant *constants,
                          uint32_t constant_count)
{
    const struct given given = {constants, constant_count};
    uint32_t *words = bytes;
    size_t count = size / 4;
    if (count < GEO_SPIRV_HEADER_WORDS) {
        return true;
    }
    geo_spirv_words_to_host(words, count);
    uint32_t bound = words[3];
    if (constant_count == 0 || words[0] != SpvMagicNumber || bound == 0 ||
        bound > GEO_SPIRV_MAX_ID_BOUND) {
        return true;
    }
    struct fact *facts = calloc(bound, sizeof(*facts));
    if (!facts) {
        return false;
    }
    for (size_t at = GEO_SPIRV_HEADER_WORDS; at < count;) {
        uint32_t length = words[at] >> 16;
        if (length == 0 || length > count - at || (words[at] & 0xFFFFu) == SpvOpFunction) {
            break; /* constants precede functions */
        }
        instruction_patch(words + at, length, facts, bound, &given);
        at += length;
    }
    free(facts);
    return true;
}
