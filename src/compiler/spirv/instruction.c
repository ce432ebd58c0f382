/* Reads instructions inside blocks. Most are decoded by the grammar table; the exceptions have
 * functions here. */
#include "compiler/spirv/instruction.h"

#include "compiler/ir/grammar.h"
#include "compiler/spirv/debug.h"
#include "compiler/spirv/draft.h"
#include "compiler/spirv/id.h"
#include "compiler/spirv/matrix.h"
#include "compiler/spirv/quirks.h"
#include "compiler/spirv/reference.h"

#include <string.h>

/* ---- operands ---- */

/* Numbers of operands and literals of an instruction. */
struct decoded {
    uint32_t operand_count, literal_count;
};

/* The operand words that are not yet read. */
struct cursor {
    const uint32_t *words;
    uint32_t left;
};

/* Returns the number of literal arguments of an OpenCL.std instruction. They come last. */
static uint32_t ext_literals(uint32_t number)
{
    const struct geo_grammar *grammar = geo_grammar_find_opencl(number);
    uint32_t count = 0;
    for (const char *letter = grammar ? grammar->operands : ""; *letter; letter++) {
        count += *letter == 'l';
    }
    return count;
}

static bool operand_set(struct spirv_reader *reader, struct geo_ir_inst *inst, uint32_t *index,
                        uint32_t id)
{
    struct spirv_id *entry = spirv_id(reader, id);
    if (!entry) {
        return false;
    }
    struct geo_ir_value **slot = &inst->operands[(*index)++];
    if (entry->kind == ID_VALUE) {
        *slot = entry->value;
        return true;
    }
    if (entry->kind != ID_NONE) {
        return spirv_error(reader, "id %u is not a value", id);
    }
    if (inst->op == SpvOpFunctionCall && *index == 1) {
        return spirv_fixup_add(reader, &reader->calls, slot, id);
    }
    /* The id is used before its definition: in a phi, or because a block precedes one that
       dominates it. The specification forbids that order, but llvm-spirv writes it. Validation
       checks dominance. */
    return spirv_fixup_add(reader, &reader->fixups, slot, id);
}

/* Reads a memory operand and moves the cursor past it. */
static bool memory_access(struct spirv_reader *reader, struct cursor *cursor, uint32_t *flags,
                          uint32_t *align)
{
    uint32_t mask = cursor->words[0];
    uint32_t used = 1;
    if (mask & SpvMemoryAccessAlignedMask) {
        if (cursor->left < 2 || __builtin_popcount(cursor->words[1]) != 1) {
            return spirv_error(reader, "its alignment is not a power of two");
        }
        *align = cursor->words[1];
        used++;
    }
    used += (uint32_t)__builtin_popcount(
        mask & (SpvMemoryAccessMakePointerAvailableMask | SpvMemoryAccessMakePointerVisibleMask |
                SpvMemoryAccessAliasScopeINTELMaskMask | SpvMemoryAccessNoAliasINTELMaskMask));
    if (used > cursor->left) {
        return spirv_error(reader, "its memory operand is cut off");
    }
    *flags = mask & (SpvMemoryAccessVolatileMask | SpvMemoryAccessNontemporalMask);
    cursor->words += used;
    cursor->left -= used;
    return true;
}

static struct geo_ir_inst *inst_create(struct spirv_reader *reader, const struct geo_ir_type *type,
                                       uint32_t operands, uint32_t literals, uint32_t targets)
{
    struct geo_ir_inst *inst =
        geo_ir_inst_create(reader->module, (SpvOp)reader->op, type, operands, literals, targets);
    if (!inst) {
        spirv_out_of_memory(reader);
        return NULL;
    }
    inst->word_offset = (uint32_t)reader->at;
    inst->location = spirv_debug_location(reader);
    return inst;
}

/* Appends a decoded instruction to its block and defines its result. */
static bool inst_finish(struct spirv_reader *reader, struct geo_ir_inst *inst, uint32_t result_id)
{
    geo_ir_inst_append(reader->block, inst);
    if (geo_op_is(inst->op, GEO_IS_TERMINATOR)) {
        reader->block = NULL;
        spirv_debug_block_end(reader);
    }
    return result_id == 0 || spirv_define_value(reader, result_id, &inst->value);
}

/* Reads type and id of the result, as the start of the pattern demands. Moves pattern and cursor
 * past them. */
static bool result_read(struct spirv_reader *reader, const char **pattern, struct cursor *cursor,
                        const struct geo_ir_type **type, uint32_t *id)
{
    *type = NULL;
    *id = 0;
    if (**pattern == 't') {
        *type = cursor->left ? spirv_type(reader, cursor->words[0]) : NULL;
        if (!*type) {
            return spirv_error(reader, "has no result type");
        }
        (*pattern)++;
        cursor->words++;
        cursor->left--;
    }
    if (**pattern == 'r') {
        if (!cursor->left) {
            return spirv_error(reader, "has no result id");
        }
        *id = cursor->words[0];
        (*pattern)++;
        cursor->words++;
        cursor->left--;
    }
    return true;
}

/* Counts the operands and literals in the remaining words according to the pattern. Literal strings
 * are rejected: no instruction in a function has one. */
static bool operands_count(struct spirv_reader *reader, const char *pattern, uint32_t left,
                           struct decoded *count)
{
    memset(count, 0, sizeof(*count));
    while (*pattern) {
        char letter = *pattern++;
        char quantifier = *pattern == '?' || *pattern == '*' ? *pattern++ : 0;
        if (left == 0) {
            if (quantifier) {
                continue;
            }
            return spirv_error(reader, "operands are missing");
        }
        uint32_t taken =
            quantifier == '*' || letter == 'L' || letter == 'M' || letter == 'I' ? left : 1;
        switch (letter) {
        case 'i':
            count->operand_count += taken;
            break;
        case 'l':
        case 'L':
            count->literal_count += taken;
            break;
        case 'I':
            count->literal_count += 1;
            count->operand_count += left - 1;
            break;
        case 'M':
            return true;
        default:
            return spirv_error(reader, "is not supported");
        }
        left -= taken;
    }
    return left == 0 ? true : spirv_error(reader, "has %u words too many", left);
}

static bool operands_read(struct spirv_reader *reader, struct geo_ir_inst *inst,
                          const char *pattern, struct cursor *cursor)
{
    uint32_t operand = 0;
    uint32_t literal = 0;
    bool second = false;
    while (*pattern && cursor->left) {
        char letter = *pattern++;
        char quantifier = *pattern == '?' || *pattern == '*' ? *pattern++ : 0;
        if (letter == 'M') {
            uint32_t *align = second ? &inst->source_align : &inst->memory_align;
            uint32_t flags = 0;
            if (!memory_access(reader, cursor, &flags, align)) {
                return false;
            }
            inst->memory_flags |= flags;
            second = true;
            continue;
        }
        uint32_t taken = quantifier == '*' || letter == 'L' || letter == 'I' ? cursor->left : 1;
        for (uint32_t i = 0; i < taken; i++) {
            if (letter != 'i' && (letter != 'I' || i == 0)) {
                inst->literals[literal++] = cursor->words[i];
            } else if (!operand_set(reader, inst, &operand, cursor->words[i])) {
                return false;
            }
        }
        cursor->words += taken;
        cursor->left -= taken;
    }
    return cursor->left == 0 || spirv_error(reader, "has %u words too many", cursor->left);
}

static bool read_generic(struct spirv_reader *reader, const char *pattern)
{
    struct cursor cursor = {reader->operands, spirv_operand_count(reader)};
    const struct geo_ir_type *type;
    struct decoded count;
    uint32_t id;
    if (!result_read(reader, &pattern, &cursor, &type, &id) ||
        !operands_count(reader, pattern, cursor.left, &count)) {
        return false;
    }
    if (!type) {
        type = geo_ir_type_void(reader->module);
    }
    struct geo_ir_inst *inst =
        type ? inst_create(reader, type, count.operand_count, count.literal_count, 0) : NULL;
    return inst && operands_read(reader, inst, pattern, &cursor) &&
           spirv_make_right(reader, inst) && inst_finish(reader, inst, id);
}

/* ---- instructions that the grammar table cannot decode ---- */

static bool read_phi(struct spirv_reader *reader)
{
    uint32_t count = spirv_operand_count(reader);
    if (count < 2 || count % 2 != 0) {
        return spirv_error(reader, "its operands are not pairs");
    }
    const struct geo_ir_type *type = spirv_type(reader, reader->operands[0]);
    uint32_t pairs = count / 2 - 1;
    struct geo_ir_inst *inst = type ? inst_create(reader, type, pairs, 0, pairs) : NULL;
    if (!inst) {
        return false;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        const uint32_t *pair = reader->operands + 2 + 2 * i;
        struct geo_ir_block *from = spirv_block(reader, pair[1]);
        if (!from) {
            return false;
        }
        if (!spirv_phi_repeats(reader, pair[1], pair[0])) {
            inst->targets[kept] = from;
            if (!operand_set(reader, inst, &kept, pair[0])) {
                return false;
            }
        }
    }
    inst->operand_count = inst->target_count = kept;
    return inst_finish(reader, inst, reader->operands[1]);
}

static bool read_branch(struct spirv_reader *reader)
{
    bool conditional = reader->op == SpvOpBranchConditional;
    uint32_t targets = conditional ? 2 : 1;
    uint32_t operands = conditional ? 1 : 0;
    uint32_t operand = 0;
    if (!spirv_need(reader, operands + targets)) {
        return false;
    }
    struct geo_ir_inst *inst =
        inst_create(reader, geo_ir_type_void(reader->module), operands, 0, targets);
    if (!inst || (conditional && !operand_set(reader, inst, &operand, reader->operands[0]))) {
        return false;
    }
    for (uint32_t i = 0; i < targets; i++) {
        inst->targets[i] = spirv_block(reader, reader->operands[operands + i]);
        if (!inst->targets[i]) {
            return false;
        }
    }
    return inst_finish(reader, inst, 0);
}

static bool read_switch(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    struct geo_ir_value *selector = spirv_value(reader, reader->operands[0]);
    if (!selector) {
        return false;
    }
    if (selector->type->kind != GEO_TYPE_INT) {
        return spirv_error(reader, "its selector is not an integer");
    }
    uint32_t words = selector->type->width > 32 ? 2 : 1;
    uint32_t left = spirv_operand_count(reader) - 2;
    if (left % (words + 1) != 0) {
        return spirv_error(reader, "its cases are cut off");
    }
    uint32_t cases = left / (words + 1);
    struct geo_ir_inst *inst =
        inst_create(reader, geo_ir_type_void(reader->module), 1, 2 * cases, 1 + cases);
    if (!inst) {
        return false;
    }
    inst->operands[0] = selector;
    inst->targets[0] = spirv_block(reader, reader->operands[1]);
    for (uint32_t i = 0; i < cases; i++) {
        const uint32_t *item = reader->operands + 2 + i * (words + 1);
        uint32_t width = geo_ir_int_bits(selector->type);
        inst->literals[2 * i] = width < 32 ? item[0] & ((1u << width) - 1) : item[0];
        inst->literals[2 * i + 1] = words < 2     ? 0
                                    : width == 64 ? item[1]
                                                  : item[1] & ((1u << (width - 32)) - 1);
        inst->targets[1 + i] = spirv_block(reader, item[words]);
    }
    for (uint32_t i = 0; i <= cases; i++) {
        if (!inst->targets[i]) {
            return false;
        }
    }
    return inst_finish(reader, inst, 0);
}

static bool read_ext_inst(struct spirv_reader *reader)
{
    const uint32_t *operands = reader->operands;
    if (!spirv_need(reader, 4)) {
        return false;
    }
    const struct geo_ir_type *type = spirv_type(reader, operands[0]);
    const struct spirv_id *set = type ? spirv_id(reader, operands[2]) : NULL;
    if (!set) {
        return false;
    }
    if (set->kind != ID_EXT_OPENCL) {
        return spirv_error(reader, "id %u is not an instruction set", operands[2]);
    }
    uint32_t arguments = spirv_operand_count(reader) - 4;
    uint32_t literals = ext_literals(operands[3]);
    if (literals > arguments) {
        return spirv_error(reader, "operands are missing");
    }
    uint32_t values = arguments - literals;
    struct geo_ir_inst *inst = inst_create(reader, type, values, 2 + literals, 0);
    if (!inst) {
        return false;
    }
    inst->literals[0] = GEO_EXT_OPENCL_STD;
    inst->literals[1] = operands[3];
    uint32_t operand = 0;
    for (uint32_t i = 0; i < values; i++) {
        if (!operand_set(reader, inst, &operand, operands[4 + i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < literals; i++) {
        inst->literals[2 + i] = operands[4 + values + i];
    }
    return inst_finish(reader, inst, operands[1]);
}

static bool read_local_variable(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 3)) {
        return false;
    }
    const uint32_t *operands = reader->operands;
    const struct geo_ir_type *type = spirv_type(reader, operands[0]);
    if (!type) {
        return false;
    }
    if (type->kind != GEO_TYPE_POINTER || type->storage != operands[2] ||
        operands[2] != SpvStorageClassFunction || !type->element || type->element->size == 0) {
        return spirv_error(reader, "a variable of this type or storage class is not possible");
    }
    bool initialized = spirv_operand_count(reader) > 3;
    uint32_t operand = 0;
    struct geo_ir_inst *inst = inst_create(reader, type, initialized, 1, 0);
    if (!inst) {
        return false;
    }
    inst->literals[0] = operands[2];
    return (!initialized || operand_set(reader, inst, &operand, operands[3])) &&
           inst_finish(reader, inst, operands[1]);
}

static bool read_undef(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    const struct geo_ir_type *type = spirv_type(reader, reader->operands[0]);
    if (!type) {
        return false;
    }
    if (type->kind == GEO_TYPE_VOID || type->kind == GEO_TYPE_FUNCTION) {
        return spirv_error(reader, "its type has no values");
    }
    return spirv_define_value(reader, reader->operands[1],
                              geo_ir_const_undef(reader->module, type));
}

static bool read_merge(struct spirv_reader *reader)
{
    if (reader->op == SpvOpLoopMerge && spirv_operand_count(reader) >= 3) {
        reader->block->loop_control = reader->operands[2];
    } else if (reader->op == SpvOpLoopControlINTEL && spirv_operand_count(reader) >= 1) {
        reader->block->loop_control = reader->operands[0];
    }
    return true;
}

/* ---- dispatch ---- */

bool spirv_read_instruction(struct spirv_reader *reader)
{
    const char *draft = spirv_draft_resolve(reader);
    switch (reader->op) {
    case SpvOpPhi:
        return read_phi(reader);
    case SpvOpBranch:
    case SpvOpBranchConditional:
        return read_branch(reader);
    case SpvOpSwitch:
        return read_switch(reader);
    case SpvOpExtInst:
        return read_ext_inst(reader);
    case SpvOpVariable:
        return read_local_variable(reader);
    case SpvOpUndef:
    case GEO_SPV_POISON_KHR:
        return read_undef(reader);
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpLoopControlINTEL:
        return read_merge(reader);
    case GEO_SPV_COOPERATIVE_MATRIX_LENGTH_KHR:
        return spirv_read_matrix_length(reader);
    default:
        break;
    }
    const struct geo_grammar *grammar = geo_grammar_find(reader->op);
    if (!grammar) {
        return spirv_error(reader, "opcode %u is unknown", reader->op);
    }
    if (grammar->traits & (GEO_IS_ANNOTATION | GEO_IS_TYPE | GEO_IS_CONSTANT)) {
        return spirv_error(reader, "is not allowed inside of a function");
    }
    if (grammar->row == GEO_ROW_NONE) {
        return spirv_error(reader, "the instruction is not supported");
    }
    return read_generic(reader, draft ? draft : grammar->operands);
}
