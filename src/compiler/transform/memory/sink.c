/* Sinks the computation of an address into the block of the access.
 *
 * An access in the same block proves that a 32-bit index does not wrap between lanes. There, all
 * lanes that have the index use it (analysis/shape_rules.c). Optimisers hoist extensions out of
 * branches and loops. So each access gets a copy of the computation between the extension and the
 * address. If nothing is gained, LLVM merges the copies again.
 *
 * So does each comparison in a block that ends in a branch. Whether all lanes take the same way is
 * asked of the index before its extension (lower/instruction/all_lanes.c).
 *
 * Barriers have divided blocks before. So the copies behind a barrier are made of what lives across
 * it: often an id, which the chunk's record need not hold.
 *
 * This is the last pass. */
#include "compiler/transform/pass/pass.h"

#include "compiler/analysis/address.h"

/* Bounds on the instructions between an extension and an access, and on the copies in one block. */
#define CHAIN_LIMIT 6u
#define COPY_LIMIT  64u

/* The copies made in one block. */
struct sink {
    struct geo_ir_module *module;
    struct geo_ir_block *block;
    /* copies are inserted before it, in the order in which they are made */
    struct geo_ir_inst *before;
    struct geo_ir_inst *original[COPY_LIMIT], *copy[COPY_LIMIT];
    uint32_t count;
    bool no_memory;
};

static bool is_extension(const struct geo_ir_inst *inst)
{
    return (inst->op == SpvOpSConvert || inst->op == SpvOpUConvert ||
            inst->op == SpvOpShiftRightArithmetic || inst->op == SpvOpShiftRightLogical ||
            inst->op == SpvOpBitwiseAnd) &&
           inst->value.type->kind == GEO_TYPE_INT && inst->value.type->width == 64;
}

static bool leads_to_extension(const struct geo_ir_inst *inst, uint32_t depth)
{
    if (is_extension(inst)) {
        return true;
    }
    if (inst->op == SpvOpLoad) {
        return false;
    }
    uint32_t count = depth ? geo_address_operands(inst) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
        if (operand && operand->value.type->kind != GEO_TYPE_VECTOR &&
            leads_to_extension(operand, depth - 1)) {
            return true;
        }
    }
    return false;
}

static struct geo_ir_inst *copy_find(const struct sink *sink, const struct geo_ir_inst *original)
{
    for (uint32_t i = 0; i < sink->count; i++) {
        if (sink->original[i] == original) {
            return sink->copy[i];
        }
    }
    return NULL;
}

static bool is_copy(const struct sink *sink, const struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < sink->count; i++) {
        if (sink->copy[i] == inst) {
            return true;
        }
    }
    return false;
}

static struct geo_ir_inst *copy_make(struct sink *sink, struct geo_ir_inst *original)
{
    struct geo_ir_inst *copy =
        geo_ir_inst_create(sink->module, original->op, original->value.type,
                           original->operand_count, original->literal_count, 0);
    if (!copy) {
        sink->no_memory = true;
        return NULL;
    }
    copy->value.flags = original->value.flags;
    copy->value.align = original->value.align;
    copy->value.id = original->value.id;
    geo_ir_inst_from(copy, original);
    for (uint32_t i = 0; i < original->operand_count; i++) {
        copy->operands[i] = original->operands[i];
    }
    for (uint32_t i = 0; i < original->literal_count; i++) {
        copy->literals[i] = original->literals[i];
    }
    return copy;
}

static struct geo_ir_inst *copy_chain(struct sink *sink, struct geo_ir_inst *original,
                                      uint32_t depth);

static void localize(struct sink *sink, struct geo_ir_inst *user, uint32_t depth);

/* Makes an instruction of the block read one operand from the block. */
static void operand_localize(struct sink *sink, struct geo_ir_inst *user, uint32_t i,
                             uint32_t depth)
{
    struct geo_ir_inst *operand = geo_ir_as_inst(user->operands[i]);
    if (!operand || is_copy(sink, operand) || !leads_to_extension(operand, depth)) {
        return;
    }
    if (operand->block == sink->block) {
        localize(sink, operand, depth);
    } else {
        struct geo_ir_inst *copy = copy_chain(sink, operand, depth);
        user->operands[i] = copy ? &copy->value : user->operands[i];
    }
}

/* Makes `user`, an instruction of the block, read its address operands from the block. Copies made
 * for an earlier access stay as they are, although they may follow fewer steps: a new operand would
 * be behind them. */
static void localize(struct sink *sink, struct geo_ir_inst *user, uint32_t depth)
{
    uint32_t count = depth && !is_extension(user) ? geo_address_operands(user) : 0;
    for (uint32_t i = 0; i < count; i++) {
        operand_localize(sink, user, i, depth - 1);
    }
}

/* Copies an instruction, and before it the instructions that it reads. */
static struct geo_ir_inst *copy_chain(struct sink *sink, struct geo_ir_inst *original,
                                      uint32_t depth)
{
    struct geo_ir_inst *copy = copy_find(sink, original);
    if (copy || sink->count == COPY_LIMIT || sink->no_memory) {
        return copy;
    }
    copy = copy_make(sink, original);
    if (!copy) {
        return NULL;
    }
    sink->original[sink->count] = original;
    sink->copy[sink->count++] = copy;
    localize(sink, copy, depth);
    geo_ir_inst_insert_before(sink->before, copy);
    return copy;
}

static bool is_comparison(const struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpULessThan:
    case SpvOpULessThanEqual:
    case SpvOpUGreaterThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
        return inst->operands[0]->type->kind == GEO_TYPE_INT;
    default:
        return false;
    }
}

static bool block_sink(struct geo_ir_module *module, struct geo_ir_block *block)
{
    struct sink sink = {.module = module, .block = block, .before = block->first};
    while (sink.before->op == SpvOpPhi || sink.before->op == SpvOpVariable) {
        sink.before = sink.before->next;
    }
    geo_ir_for_each_inst(inst, block) {
        if (inst->op == SpvOpLoad || inst->op == SpvOpStore) {
            localize(&sink, inst, CHAIN_LIMIT);
        } else if (block->last->op == SpvOpBranchConditional && is_comparison(inst)) {
            operand_localize(&sink, inst, 0, CHAIN_LIMIT);
            operand_localize(&sink, inst, 1, CHAIN_LIMIT);
        }
    }
    return !sink.no_memory;
}

ze_result_t geo_transform_sink(struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            if (!block_sink(module, block)) {
                return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
            }
        }
    }
    return ZE_RESULT_SUCCESS;
}
