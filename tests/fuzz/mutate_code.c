/* Changes that move, delete and make instructions and edges of control flow. See spirv_edit.h. */
#include "spirv_edit.h"

#include <string.h>

enum { WORDS_MAX = 64, GROWTH_MAX = 1024, TRIES = 32 };

static const uint32_t *words_of(const struct spirv_edit *edit, uint32_t item)
{
    return edit->words + edit->items[item].at;
}

static bool is_phi_or_variable(const struct spirv_instruction *item)
{
    return item->op == SpvOpPhi || item->op == SpvOpVariable;
}

/* Stands between a block's label and its end. */
static bool is_inside(const struct spirv_edit *edit, uint32_t item)
{
    if (item >= edit->item_count || edit->items[item].function == 0) {
        return false;
    }
    switch (edit->items[item].op) {
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionEnd:
    case SpvOpLabel:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
        return false;
    default:
        return !geo_op_is(edit->items[item].op, GEO_IS_TERMINATOR);
    }
}

/* An instruction inside a block; item_count: none was found. */
static uint32_t inside_pick(const struct spirv_edit *edit)
{
    for (int tries = 0; tries < TRIES; tries++) {
        uint32_t item = spirv_pick_in_function(edit);
        if (is_inside(edit, item)) {
            return item;
        }
    }
    return edit->item_count;
}

/* One that others can be put in front of: no phi, no variable. */
static uint32_t place_pick(const struct spirv_edit *edit)
{
    uint32_t item = inside_pick(edit);
    while (item < edit->item_count && is_phi_or_variable(&edit->items[item])) {
        item++;
    }
    return item;
}

/* The label of the block around an instruction; 0: it is in none. */
static uint32_t label_of(const struct spirv_edit *edit, uint32_t item)
{
    while (item > edit->functions_at && edit->items[item].op != SpvOpLabel) {
        item--;
    }
    return edit->items[item].op == SpvOpLabel ? edit->items[item].result : 0;
}

/* ---- what is there goes, comes twice or elsewhere ---- */

/* Its uses take another value of its type. */
bool spirv_delete(struct spirv_edit *edit)
{
    uint32_t item = fuzz_one_in(edit->random, 6) ? fuzz_below(edit->random, edit->item_count)
                                                 : inside_pick(edit);
    if (item == edit->item_count) {
        return false;
    }
    const struct spirv_instruction gone = edit->items[item];
    if (gone.result && gone.type) {
        uint32_t other =
            spirv_pick(edit, (struct spirv_class){SPIRV_VALUE, gone.type}, item, gone.result);
        if (!other && !fuzz_one_in(edit->random, 8)) {
            return false;
        }
        spirv_replace_uses(edit, item, gone.result, other);
    }
    spirv_remove(edit, gone.at, gone.words);
    return true;
}

/* The copy has a result of its own, which later uses take. */
bool spirv_duplicate(struct spirv_edit *edit)
{
    uint32_t copy[WORDS_MAX], item = inside_pick(edit);
    if (item == edit->item_count || edit->items[item].words > WORDS_MAX) {
        return false;
    }
    const struct spirv_instruction old = edit->items[item];
    memcpy(copy, words_of(edit, item), old.words * sizeof(*copy));
    if (old.result) {
        copy[old.type ? 2 : 1] = spirv_new_id(edit);
        spirv_replace_uses(edit, item + 1 + fuzz_below(edit->random, 8), old.result,
                           copy[old.type ? 2 : 1]);
    }
    return spirv_insert(edit, old.at + old.words, copy, old.words);
}

bool spirv_swap(struct spirv_edit *edit)
{
    uint32_t copy[WORDS_MAX], item = inside_pick(edit);
    if (item + 1 >= edit->item_count || edit->items[item].words > WORDS_MAX) {
        return false;
    }
    uint32_t one = edit->items[item].words, two = edit->items[item + 1].words;
    uint32_t *start = edit->words + edit->items[item].at;
    memcpy(copy, start, one * sizeof(*copy));
    memmove(start, start + one, two * sizeof(*start));
    memcpy(start + two, copy, one * sizeof(*copy));
    return true;
}

/* To another place of the module, mostly of its function. */
bool spirv_move(struct spirv_edit *edit)
{
    uint32_t copy[WORDS_MAX], item = inside_pick(edit), place = place_pick(edit);
    if (item == edit->item_count || place >= edit->item_count || item == place ||
        edit->items[item].words > WORDS_MAX ||
        (edit->items[item].function != edit->items[place].function &&
         !fuzz_one_in(edit->random, 16))) {
        return false;
    }
    uint32_t words = edit->items[item].words, from = edit->items[item].at;
    uint32_t to = edit->items[place].at;
    memcpy(copy, words_of(edit, item), words * sizeof(*copy));
    spirv_remove(edit, from, words);
    return spirv_insert(edit, to > from ? to - words : to, copy, words);
}

/* ---- new instructions ---- */

enum value_kind { INTEGERS, FLOATS, BOOLS, OTHERS };

static enum value_kind kind_of(const struct spirv_edit *edit, uint32_t type)
{
    const struct spirv_instruction *item = spirv_definition(edit, type);
    if (item && item->op == SpvOpTypeVector && item->words == 4) {
        item = spirv_definition(edit, edit->words[item->at + 2]);
    }
    return !item                        ? OTHERS
           : item->op == SpvOpTypeInt   ? INTEGERS
           : item->op == SpvOpTypeFloat ? FLOATS
           : item->op == SpvOpTypeBool  ? BOOLS
                                        : OTHERS;
}

/* Operands and result of one type. */
static uint32_t operation_pick(struct fuzz_random *random, enum value_kind kind, uint32_t *operands)
{
    static const struct {
        enum value_kind kind;
        uint32_t op, operands;
    } rows[] = {
        {INTEGERS, SpvOpIAdd, 2},
        {INTEGERS, SpvOpISub, 2},
        {INTEGERS, SpvOpIMul, 2},
        {INTEGERS, SpvOpSDiv, 2},
        {INTEGERS, SpvOpUDiv, 2},
        {INTEGERS, SpvOpSRem, 2},
        {INTEGERS, SpvOpSMod, 2},
        {INTEGERS, SpvOpUMod, 2},
        {INTEGERS, SpvOpShiftLeftLogical, 2},
        {INTEGERS, SpvOpShiftRightLogical, 2},
        {INTEGERS, SpvOpShiftRightArithmetic, 2},
        {INTEGERS, SpvOpBitwiseAnd, 2},
        {INTEGERS, SpvOpBitwiseOr, 2},
        {INTEGERS, SpvOpBitwiseXor, 2},
        {INTEGERS, SpvOpNot, 1},
        {INTEGERS, SpvOpSNegate, 1},
        {INTEGERS, SpvOpBitCount, 1},
        {INTEGERS, SpvOpBitReverse, 1},
        {FLOATS, SpvOpFAdd, 2},
        {FLOATS, SpvOpFSub, 2},
        {FLOATS, SpvOpFMul, 2},
        {FLOATS, SpvOpFDiv, 2},
        {FLOATS, SpvOpFRem, 2},
        {FLOATS, SpvOpFMod, 2},
        {FLOATS, SpvOpFNegate, 1},
        {BOOLS, SpvOpLogicalAnd, 2},
        {BOOLS, SpvOpLogicalOr, 2},
        {BOOLS, SpvOpLogicalEqual, 2},
        {BOOLS, SpvOpLogicalNotEqual, 2},
        {BOOLS, SpvOpLogicalNot, 1},
        {OTHERS, SpvOpCopyObject, 1},
    };
    uint32_t found = SpvOpCopyObject, seen = 0;
    *operands = 1;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].kind == kind && fuzz_one_in(random, ++seen)) {
            found = rows[i].op;
            *operands = rows[i].operands;
        }
    }
    return found;
}

/* A value that the instruction uses, in one of its operands. */
static struct spirv_operand used_value(const struct spirv_edit *edit, uint32_t item)
{
    struct spirv_operand operands[SPIRV_OPERANDS_MAX];
    uint32_t count = spirv_operands(edit, item, operands);
    for (int tries = 0; count != 0 && tries < TRIES; tries++) {
        struct spirv_operand operand = operands[fuzz_below(edit->random, count)];
        if (operand.kind == 'i' &&
            spirv_class_of(edit, edit->words[operand.at]).what == SPIRV_VALUE) {
            return operand;
        }
    }
    return (struct spirv_operand){0};
}

/* Between a value and one that uses it: an operation whose result has its type. */
bool spirv_add_operation(struct spirv_edit *edit)
{
    uint32_t user = place_pick(edit), operands;
    struct spirv_operand operand =
        user < edit->item_count ? used_value(edit, user) : (struct spirv_operand){0};
    if (operand.at == 0) {
        return false;
    }
    uint32_t value = edit->words[operand.at];
    struct spirv_class class = spirv_class_of(edit, value);
    uint32_t op = operation_pick(edit->random, kind_of(edit, class.type), &operands);
    uint32_t other = spirv_pick(edit, class, user, 0);
    uint32_t made[] = {(3 + operands) << 16 | op, class.type, spirv_new_id(edit), value,
                       other ? other : value};
    edit->words[operand.at] = made[2];
    return spirv_insert(edit, edit->items[user].at, made, 3 + operands);
}

/* A chain of one operation, each with the result of the one before: depth and size. */
bool spirv_grow(struct spirv_edit *edit)
{
    uint32_t user = place_pick(edit), operands;
    struct spirv_operand operand =
        user < edit->item_count ? used_value(edit, user) : (struct spirv_operand){0};
    if (operand.at == 0) {
        return false;
    }
    uint32_t value = edit->words[operand.at], at = edit->items[user].at;
    struct spirv_class class = spirv_class_of(edit, value);
    uint32_t op = operation_pick(edit->random, kind_of(edit, class.type), &operands);
    uint32_t length = 2u << fuzz_below(edit->random, 9);
    for (uint32_t i = 0, last = value; i < length && i < GROWTH_MAX; i++) {
        uint32_t made[] = {(3 + operands) << 16 | op, class.type, spirv_new_id(edit), last,
                           fuzz_one_in(edit->random, 2) ? last : value};
        if (!spirv_insert(edit, at, made, 3 + operands)) {
            return i != 0;
        }
        last = made[2];
        at += 3 + operands;
        operand.at += 3 + operands;
        edit->words[operand.at] = last;
    }
    return true;
}

/* Of a function of the module, perhaps the one that it stands in, with values of the right types. */
bool spirv_add_call(struct spirv_edit *edit)
{
    uint32_t place = place_pick(edit), callee = edit->functions_at, seen = 0;
    for (uint32_t i = edit->functions_at; i < edit->item_count; i++) {
        if (edit->items[i].op == SpvOpFunction && fuzz_one_in(edit->random, ++seen)) {
            callee = i;
        }
    }
    if (place >= edit->item_count || seen == 0) {
        return false;
    }
    uint32_t made[WORDS_MAX] = {0, edit->items[callee].type, 0, edit->items[callee].result};
    uint32_t count = 4;
    for (uint32_t i = callee + 1;
         i < edit->item_count && count < WORDS_MAX && edit->items[i].op == SpvOpFunctionParameter;
         i++) {
        struct spirv_class class = {SPIRV_VALUE, edit->items[i].type};
        made[count++] = spirv_pick(edit, class, place, 0);
        if (made[count - 1] == 0) {
            return false;
        }
    }
    made[0] = count << 16 | SpvOpFunctionCall;
    made[2] = spirv_new_id(edit);
    return spirv_insert(edit, edit->items[place].at, made, count);
}

/* A barrier of the group, or of its sub-group, wherever it may stand. */
bool spirv_add_barrier(struct spirv_edit *edit)
{
    static const uint32_t scopes[] = {SpvScopeWorkgroup, SpvScopeWorkgroup, SpvScopeSubgroup,
                                      SpvScopeDevice};
    uint32_t type = spirv_word_type(edit);
    uint32_t scope = spirv_new_constant(edit, type, scopes[fuzz_below(edit->random, 4)]);
    uint32_t semantics = scope ? spirv_new_constant(edit, type, 0x110) : 0;
    uint32_t place = place_pick(edit);
    if (semantics == 0 || place >= edit->item_count) {
        return false;
    }
    const uint32_t made[] = {4 << 16 | SpvOpControlBarrier, scope, scope, semantics};
    return spirv_insert(edit, edit->items[place].at, made, 4);
}

/* ---- control flow ---- */

/* A branch that always goes to one block; item_count: there is none. */
static uint32_t branch_pick(const struct spirv_edit *edit, SpvOp op)
{
    uint32_t found = edit->item_count, seen = 0;
    for (uint32_t i = edit->functions_at; i < edit->item_count; i++) {
        if (edit->items[i].op == op && edit->items[i].words >= 2 &&
            fuzz_one_in(edit->random, ++seen)) {
            found = i;
        }
    }
    return found;
}

/* The instruction behind a label; item_count: none has that id, which may be any number. */
static uint32_t behind_label(const struct spirv_edit *edit, uint32_t label)
{
    return label < edit->bound && edit->place[label] ? edit->place[label] : edit->item_count;
}

/* The phis of a block take some value from a new predecessor. False: no room. */
static bool phis_extend(struct spirv_edit *edit, uint32_t label, uint32_t from)
{
    uint32_t item = behind_label(edit, label);
    for (; item < edit->item_count && edit->items[item].op == SpvOpPhi; item++) {
        const struct spirv_instruction *phi = &edit->items[item];
        struct spirv_class class = {SPIRV_VALUE, phi->type};
        uint32_t value = spirv_pick(edit, class, edit->functions_at, 0); /* of the module */
        const uint32_t pair[] = {value ? value : phi->result, from};
        uint32_t at = phi->at, words = phi->words + 2u;
        if (words > UINT16_MAX || !spirv_insert(edit, at + phi->words, pair, 2)) {
            return false;
        }
        edit->words[at] = words << 16 | SpvOpPhi;
        spirv_index(edit);
    }
    return true;
}

static uint32_t bool_pick(const struct spirv_edit *edit, uint32_t user)
{
    for (uint32_t i = 0; i < edit->functions_at; i++) {
        if (edit->items[i].op == SpvOpTypeBool) {
            return spirv_pick(edit, (struct spirv_class){SPIRV_VALUE, edit->items[i].result}, user,
                              0);
        }
    }
    return 0;
}

/* A branch may also go to another block of its function: loops, with two entries too. */
bool spirv_add_edge(struct spirv_edit *edit)
{
    uint32_t item = branch_pick(edit, SpvOpBranch);
    if (item == edit->item_count) {
        return false;
    }
    uint32_t from = label_of(edit, item), target = words_of(edit, item)[1];
    uint32_t other = spirv_pick(edit, spirv_class_of(edit, target), item, target);
    uint32_t condition = bool_pick(edit, item), function = edit->items[item].function;
    if (!from || !other || !condition || !phis_extend(edit, other, from)) {
        return false;
    }
    while (edit->items[item].at < edit->count && item < edit->item_count &&
           (edit->items[item].op != SpvOpBranch || label_of(edit, item) != from)) {
        item++; /* phis before it have grown in place */
    }
    if (item >= edit->item_count || edit->items[item].function != function) {
        return false;
    }
    bool swapped = fuzz_one_in(edit->random, 2);
    const uint32_t made[] = {4 << 16 | SpvOpBranchConditional, condition, swapped ? other : target,
                             swapped ? target : other};
    uint32_t at = edit->items[item].at;
    spirv_remove(edit, at, edit->items[item].words);
    return spirv_insert(edit, at, made, 4);
}

/* The pairs of a predecessor go from a block's phis. */
static void phis_shrink(struct spirv_edit *edit, uint32_t label, uint32_t from)
{
    for (uint32_t item = behind_label(edit, label);
         item < edit->item_count && edit->items[item].op == SpvOpPhi; item++) {
        const struct spirv_instruction phi = edit->items[item];
        for (uint32_t i = 3; i + 1 < phi.words; i += 2) {
            if (edit->words[phi.at + i + 1] == from) {
                spirv_remove(edit, phi.at + i, 2);
                edit->words[phi.at] = (phi.words - 2u) << 16 | SpvOpPhi;
                spirv_index(edit);
                break;
            }
        }
    }
}

/* A branch with a choice has none any more: what it went to may be out of reach. */
bool spirv_cut_edge(struct spirv_edit *edit)
{
    uint32_t item = branch_pick(edit, SpvOpBranchConditional);
    if (item == edit->item_count || edit->items[item].words < 4) {
        return false;
    }
    const struct spirv_instruction branch = edit->items[item];
    uint32_t way = fuzz_below(edit->random, 2), from = label_of(edit, item);
    uint32_t kept = edit->words[branch.at + 2 + way], cut = edit->words[branch.at + 3 - way];
    if (kept == cut || !spirv_definition(edit, cut)) {
        return false;
    }
    const uint32_t made[] = {2 << 16 | SpvOpBranch, kept};
    bool merges = edit->items[item - 1].op == SpvOpSelectionMerge;
    uint32_t at = merges ? edit->items[item - 1].at : branch.at;
    spirv_remove(edit, at, branch.at + branch.words - at);
    bool good = spirv_insert(edit, at, made, 2) && spirv_index(edit);
    if (good) {
        phis_shrink(edit, cut, from);
    }
    return good;
}

/* A block becomes two. Phis that named it name the second. */
bool spirv_split(struct spirv_edit *edit)
{
    uint32_t place = place_pick(edit), label = spirv_new_id(edit);
    uint32_t old = place < edit->item_count ? label_of(edit, place) : 0;
    if (!old) {
        return false;
    }
    for (uint32_t i = edit->functions_at; i < edit->item_count; i++) {
        const struct spirv_instruction *item = &edit->items[i];
        for (uint32_t k = 4; item->op == SpvOpPhi && k < item->words; k += 2) {
            uint32_t *parent = &edit->words[item->at + k];
            *parent = *parent == old ? label : *parent;
        }
    }
    const uint32_t made[] = {2 << 16 | SpvOpBranch, label, 2 << 16 | SpvOpLabel, label};
    return spirv_insert(edit, edit->items[place].at, made, 4);
}

/* ---- what a kernel asks for ---- */

bool spirv_add_mode(struct spirv_edit *edit)
{
    static const struct {
        uint32_t mode, numbers;
    } modes[] = {
        {SpvExecutionModeLocalSize, 3},       {SpvExecutionModeLocalSizeHint, 3},
        {SpvExecutionModeVecTypeHint, 1},     {SpvExecutionModeContractionOff, 0},
        {SpvExecutionModeSubgroupSize, 1},    {SpvExecutionModeDenormFlushToZero, 1},
        {SpvExecutionModeRoundingModeRTZ, 1},
    };
    for (uint32_t i = 0; i < edit->functions_at; i++) {
        const struct spirv_instruction *item = &edit->items[i];
        if (item->op != SpvOpEntryPoint || item->words < 4) {
            continue;
        }
        uint32_t row = fuzz_below(edit->random, sizeof(modes) / sizeof(modes[0]));
        uint32_t made[6] = {(3 + modes[row].numbers) << 16 | SpvOpExecutionMode,
                            edit->words[item->at + 2], modes[row].mode};
        for (uint32_t k = 0; k < modes[row].numbers; k++) {
            made[3 + k] = fuzz_one_in(edit->random, 3) ? fuzz_edge(edit->random)
                                                       : 1u << fuzz_below(edit->random, 7);
        }
        while (i < edit->functions_at &&
               (edit->items[i].op == SpvOpEntryPoint || edit->items[i].op == SpvOpExecutionMode)) {
            i++;
        }
        return i < edit->item_count &&
               spirv_insert(edit, edit->items[i].at, made, 3 + modes[row].numbers);
    }
    return false;
}
