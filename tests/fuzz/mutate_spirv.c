/* Changes of SPIR-V that leave a module well formed enough to get beyond the reader: an operand
 * becomes another id of the same class, a number an edge, an opcode one of the same shape; what
 * moves and makes instructions is in mutate_code.c. See spirv_edit.h. */
#include "spirv_edit.h"

#include <string.h>

enum { TRIES = 32, OPCODES_MAX = 6500 };

/* ---- operands ---- */

/* A random operand of a random instruction, of one of these kinds. */
static bool operand_pick(const struct spirv_edit *edit, const char *kinds, uint32_t *item,
                         struct spirv_operand *out)
{
    struct spirv_operand operands[SPIRV_OPERANDS_MAX];
    for (int tries = 0; tries < TRIES; tries++) {
        bool anywhere = fuzz_one_in(edit->random, 5);
        *item =
            anywhere ? fuzz_below(edit->random, edit->item_count) : spirv_pick_in_function(edit);
        if (*item == edit->item_count) {
            continue;
        }
        uint32_t count = spirv_operands(edit, *item, operands);
        *out = count ? operands[fuzz_below(edit->random, count)] : (struct spirv_operand){0};
        if (out->at && strchr(kinds, out->kind)) {
            return true;
        }
    }
    return false;
}

static bool operand_of_same_class(struct spirv_edit *edit)
{
    uint32_t item;
    struct spirv_operand operand;
    if (!operand_pick(edit, "i", &item, &operand)) {
        return false;
    }
    uint32_t *word = &edit->words[operand.at];
    uint32_t other = spirv_pick(edit, spirv_class_of(edit, *word), item, *word);
    *word = other ? other : *word;
    return other != 0;
}

/* A value becomes a constant at an edge of its type. */
static bool operand_constant(struct spirv_edit *edit)
{
    uint32_t item;
    struct spirv_operand operand;
    if (!operand_pick(edit, "i", &item, &operand)) {
        return false;
    }
    struct spirv_class class = spirv_class_of(edit, edit->words[operand.at]);
    uint64_t value = fuzz_edge(edit->random);
    value |= fuzz_one_in(edit->random, 4) ? (uint64_t)fuzz_edge(edit->random) << 32 : 0;
    uint32_t before = edit->count;
    uint32_t made = class.what == SPIRV_VALUE ? spirv_new_constant(edit, class.type, value) : 0;
    if (made) {
        bool behind = edit->items[item].at < operand.at; /* the constant stands before it */
        edit->words[operand.at + (behind ? edit->count - before : 0)] = made;
    }
    return made != 0;
}

static bool operands_swap(struct spirv_edit *edit)
{
    struct spirv_operand operands[SPIRV_OPERANDS_MAX];
    for (int tries = 0; tries < TRIES; tries++) {
        uint32_t item = spirv_pick_in_function(edit);
        uint32_t count = item < edit->item_count ? spirv_operands(edit, item, operands) : 0;
        if (count < 2) {
            continue;
        }
        uint32_t *one = &edit->words[operands[fuzz_below(edit->random, count)].at];
        uint32_t *two = &edit->words[operands[fuzz_below(edit->random, count)].at];
        if (*one != *two && operands[count - 1].kind == 'i') {
            uint32_t kept = *one;
            *one = *two;
            *two = kept;
            return true;
        }
    }
    return false;
}

static bool number_edge(struct spirv_edit *edit)
{
    uint32_t item;
    struct spirv_operand operand;
    if (!operand_pick(edit, "ln", &item, &operand)) {
        return false;
    }
    uint32_t *word = &edit->words[operand.at];
    switch (fuzz_below(edit->random, 4)) {
    case 0:
        *word ^= 1u << fuzz_below(edit->random, 32);
        break;
    case 1:
        *word += fuzz_below(edit->random, 9) - 4;
        break;
    case 2:
        *word = fuzz_below(edit->random, 20);
        break;
    default:
        *word = fuzz_edge(edit->random);
    }
    return true;
}

static bool operand_any(struct spirv_edit *edit)
{
    uint32_t item = fuzz_below(edit->random, edit->item_count);
    const struct spirv_instruction *from = &edit->items[fuzz_below(edit->random, edit->item_count)];
    const struct spirv_instruction *to = &edit->items[item];
    if (from->words < 2 || to->words < 2) {
        return false;
    }
    edit->words[to->at + 1 + fuzz_below(edit->random, to->words - 1u)] =
        fuzz_one_in(edit->random, 3)
            ? fuzz_edge(edit->random)
            : edit->words[from->at + 1 + fuzz_below(edit->random, from->words - 1u)];
    return true;
}

/* ---- opcodes ---- */

/* One whose operands have the same letters, near by at times: families stand together. */
static bool opcode_of_same_shape(struct spirv_edit *edit)
{
    for (int tries = 0; tries < TRIES; tries++) {
        uint32_t number = spirv_pick_in_function(edit);
        const struct spirv_instruction *item =
            number < edit->item_count ? &edit->items[number] : NULL;
        const struct geo_grammar *old = item ? geo_grammar_find(item->op) : NULL;
        if (!old || !item->result) {
            continue;
        }
        uint32_t op = fuzz_one_in(edit->random, 8) ? fuzz_below(edit->random, OPCODES_MAX)
                                                   : item->op + fuzz_below(edit->random, 33) - 16;
        const struct geo_grammar *other = geo_grammar_find(op);
        if (other && op != item->op && strcmp(other->operands, old->operands) == 0) {
            edit->words[item->at] = (uint32_t)item->words << 16 | op;
            return true;
        }
    }
    return false;
}

/* Another function of OpenCL.std with as many operands. */
static bool function_of_same_shape(struct spirv_edit *edit)
{
    for (uint32_t i = 0, seen = 0, at = 0;; i++) {
        const struct spirv_instruction *item = i < edit->item_count ? &edit->items[i] : NULL;
        if (item && item->op == SpvOpExtInst && item->words > 4 &&
            fuzz_one_in(edit->random, ++seen)) {
            at = item->at + 4;
        }
        if (item) {
            continue;
        }
        const struct geo_grammar *old = at ? geo_grammar_find_opencl(edit->words[at]) : NULL;
        for (int tries = 0; old && tries < 2 * TRIES; tries++) {
            uint32_t number = fuzz_below(edit->random, 210);
            const struct geo_grammar *other = geo_grammar_find_opencl(number);
            if (other && other != old && strcmp(other->operands, old->operands) == 0) {
                edit->words[at] = number;
                return true;
            }
        }
        return false;
    }
}

/* ---- types ---- */

static uint32_t width_near(struct fuzz_random *random, SpvOp op)
{
    static const uint32_t integers[] = {8, 16, 32, 64}, floats[] = {16, 32, 64},
                          counts[] = {2, 3, 4, 8, 16};
    return op == SpvOpTypeInt     ? integers[fuzz_below(random, 4)]
           : op == SpvOpTypeFloat ? floats[fuzz_below(random, 3)]
                                  : counts[fuzz_below(random, 5)];
}

/* A type becomes another of its kind, everywhere. */
static bool type_change(struct spirv_edit *edit)
{
    for (int tries = 0; tries < TRIES && edit->functions_at != 0; tries++) {
        const struct spirv_instruction *item =
            &edit->items[fuzz_below(edit->random, edit->functions_at)];
        uint32_t *words = edit->words + item->at;
        if ((item->op == SpvOpTypeInt || item->op == SpvOpTypeFloat) && item->words > 2) {
            words[2] = width_near(edit->random, item->op);
            return true;
        }
        if (item->op == SpvOpTypeVector && item->words == 4) {
            words[3] = width_near(edit->random, item->op);
            return true;
        }
        if (item->op == SpvOpTypePointer && item->words == 4) {
            static const uint32_t storages[] = {
                SpvStorageClassUniformConstant, SpvStorageClassInput,    SpvStorageClassWorkgroup,
                SpvStorageClassCrossWorkgroup,  SpvStorageClassFunction, SpvStorageClassGeneric,
            };
            words[2] = storages[fuzz_below(edit->random, 6)];
            return true;
        }
        if ((item->op == SpvOpTypeArray || item->op == SpvOpTypeStruct) && item->words > 2) {
            uint32_t *member = &words[2 + fuzz_below(edit->random, item->words - 2u)];
            uint32_t number = (uint32_t)(item - edit->items);
            uint32_t other = spirv_pick(edit, spirv_class_of(edit, *member), number, *member);
            *member = other ? other : *member;
            return other != 0;
        }
    }
    return false;
}

/* What an instruction says its result is. */
static bool result_type_change(struct spirv_edit *edit)
{
    uint32_t item;
    struct spirv_operand operand;
    if (!operand_pick(edit, "t", &item, &operand)) {
        return false;
    }
    uint32_t *word = &edit->words[operand.at];
    uint32_t other = spirv_pick(edit, spirv_class_of(edit, *word), item, *word);
    *word = other ? other : *word;
    return other != 0;
}

/* ---- one mutant ---- */

static spirv_change *change_pick(struct fuzz_random *random)
{
    static const struct {
        spirv_change *change;
        uint32_t weight;
    } changes[] = {
        {operand_of_same_class, 24},
        {operand_constant, 8},
        {operands_swap, 4},
        {number_edge, 6},
        {operand_any, 1},
        {opcode_of_same_shape, 8},
        {function_of_same_shape, 4},
        {type_change, 3},
        {result_type_change, 1},
        {spirv_delete, 6},
        {spirv_duplicate, 6},
        {spirv_swap, 3},
        {spirv_move, 3},
        {spirv_add_operation, 10},
        {spirv_add_call, 2},
        {spirv_add_barrier, 3},
        {spirv_add_edge, 6},
        {spirv_cut_edge, 3},
        {spirv_split, 4},
        {spirv_grow, 1},
        {spirv_add_mode, 1},
    };
    uint32_t sum = 0, at;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        sum += changes[i].weight;
    }
    at = fuzz_below(random, sum);
    for (size_t i = 0;; i++) {
        if (at < changes[i].weight) {
            return changes[i].change;
        }
        at -= changes[i].weight;
    }
}

/* One change most often, since each may be what ends it; many at times. */
size_t spirv_mutate(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    static struct spirv_edit edit;
    uint32_t count = 1;
    while (count < 24 && fuzz_one_in(random, 2)) {
        count++;
    }
    edit.words = (uint32_t *)(void *)bytes;
    edit.count = (uint32_t)(size / sizeof(uint32_t));
    edit.room = (uint32_t)(max_bytes / sizeof(uint32_t));
    edit.random = random;
    for (uint32_t tries = 0; count != 0 && tries < TRIES; tries++) {
        if (!spirv_index(&edit)) {
            return fuzz_mutate_bytes(random, bytes, size, max_bytes);
        }
        count -= change_pick(random)(&edit);
    }
    return edit.count * sizeof(uint32_t);
}
