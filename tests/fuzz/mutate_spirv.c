/* libFuzzer's mutator for SPIR-V: mostly changes that leave a module well formed enough to get
 * beyond the reader: one operand becomes another id of the same type, or another number;
 * instructions change places or go. The rest is libFuzzer's own. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HEADER_WORDS = 5, MAX_INSTRUCTIONS = 8192, TRIES = 64 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct module {
    uint32_t *words;
    size_t word_count;
    uint32_t at[MAX_INSTRUCTIONS]; /* first word of each */
    uint32_t count;
    uint64_t random;
};

static uint32_t below(struct module *module, uint32_t bound)
{
    module->random ^= module->random << 13;
    module->random ^= module->random >> 7;
    module->random ^= module->random << 17;
    return (uint32_t)((module->random >> 16) % bound);
}

/* Words of instruction i, with the one that holds opcode and length. */
static uint32_t length(const struct module *module, uint32_t i)
{
    return module->words[module->at[i]] >> 16;
}

static bool split(struct module *module, uint8_t *data, size_t size)
{
    module->words = (uint32_t *)(void *)data;
    module->word_count = size / sizeof(uint32_t);
    module->count = 0;
    if (module->word_count <= HEADER_WORDS || module->words[0] != 0x07230203) {
        return false;
    }
    for (size_t at = HEADER_WORDS; at < module->word_count && module->count < MAX_INSTRUCTIONS;) {
        uint32_t words = module->words[at] >> 16;
        if (words == 0 || words > module->word_count - at) {
            break;
        }
        module->at[module->count++] = (uint32_t)at;
        at += words;
    }
    return module->count > 1;
}

/* ---- single changes; false: there was nothing to change ---- */

/* Result type and result id are the first operands of what has both. */
static bool replace_by_same_type(struct module *module)
{
    uint32_t user = below(module, module->count), words = length(module, user);
    if (words < 4) {
        return false;
    }
    uint32_t *operand = &module->words[module->at[user] + 3 + below(module, words - 3)];
    uint32_t type = 0;
    for (uint32_t i = 0; i < module->count && type == 0; i++) {
        const uint32_t *inst = &module->words[module->at[i]];
        type = length(module, i) >= 3 && inst[2] == *operand ? inst[1] : 0;
    }
    for (uint32_t t = 0; type != 0 && t < TRIES; t++) {
        const uint32_t *inst = &module->words[module->at[below(module, module->count)]];
        if (inst[0] >> 16 >= 3 && inst[1] == type && inst[2] != *operand) {
            *operand = inst[2];
            return true;
        }
    }
    return false;
}

static bool replace_by_any(struct module *module)
{
    uint32_t user = below(module, module->count), other = below(module, module->count);
    if (length(module, user) < 2 || length(module, other) < 2) {
        return false;
    }
    module->words[module->at[user] + 1 + below(module, length(module, user) - 1)] =
        module->words[module->at[other] + 1 + below(module, length(module, other) - 1)];
    return true;
}

static bool change_number(struct module *module)
{
    static const uint32_t edges[] = {0,  1,  2,  3,   4,          7,          8,         16,
                                     31, 32, 64, 255, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    uint32_t user = below(module, module->count);
    if (length(module, user) < 2) {
        return false;
    }
    uint32_t *operand =
        &module->words[module->at[user] + 1 + below(module, length(module, user) - 1)];
    switch (below(module, 3)) {
    case 0:
        *operand ^= 1u << below(module, 32);
        break;
    case 1:
        *operand += below(module, 7) - 3;
        break;
    default:
        *operand = edges[below(module, sizeof(edges) / sizeof(edges[0]))];
    }
    return true;
}

/* The opcode of another instruction of the same length. */
static bool change_opcode(struct module *module)
{
    uint32_t changed = below(module, module->count);
    uint32_t *first = &module->words[module->at[changed]];
    for (uint32_t t = 0; t < TRIES; t++) {
        uint32_t other = module->words[module->at[below(module, module->count)]];
        if (other >> 16 == *first >> 16 && other != *first) {
            *first = other;
            return true;
        }
    }
    *first = (*first & 0xFFFF0000) | (((*first & 0xFFFF) + below(module, 5) - 2) & 0xFFFF);
    return true;
}

static bool swap_neighbours(struct module *module)
{
    uint32_t i = below(module, module->count - 1);
    uint32_t *start = &module->words[module->at[i]], kept[64];
    uint32_t one = length(module, i), two = length(module, i + 1);
    if (one > sizeof(kept) / sizeof(kept[0])) {
        return false;
    }
    memcpy(kept, start, one * sizeof(*kept));
    memmove(start, start + one, two * sizeof(*start));
    memcpy(start + two, kept, one * sizeof(*kept));
    return true;
}

static bool delete_one(struct module *module)
{
    uint32_t i = below(module, module->count), words = length(module, i);
    size_t after = module->at[i] + words;
    memmove(&module->words[module->at[i]], &module->words[after],
            (module->word_count - after) * sizeof(uint32_t));
    module->word_count -= words;
    return true;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static bool (*const changes[])(struct module *) = {
        replace_by_same_type, replace_by_same_type, replace_by_same_type,
        replace_by_any,       change_number,        change_number,
        change_opcode,        swap_neighbours,      delete_one,
    };
    static struct module module;
    module.random = (uint64_t)seed * 0x9E3779B97F4A7C15 + 1;
    uint32_t count = 1 + below(&module, 4);
    if (below(&module, 8) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    for (uint32_t i = 0, tries = 0; i < count && tries < TRIES; tries++) {
        if (!split(&module, data, size)) {
            return LLVMFuzzerMutate(data, size, max_size);
        }
        i += changes[below(&module, sizeof(changes) / sizeof(changes[0]))](&module);
        size = module.word_count * sizeof(uint32_t);
    }
    return size;
}
