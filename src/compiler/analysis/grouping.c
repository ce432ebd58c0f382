/* Finds out whether a kernel depends on its work-group: by group ids and sizes, local memory,
 * barriers, values of other items, or narrow scopes. See grouping.h. */
#include "compiler/analysis/grouping.h"

#include "compiler/ir/grammar.h"

#define ROW_STEP    4u   /* elements from item to item in a row */
#define DEPTH_LIMIT 16u  /* of what an address is computed from */
#define STEPS_LIMIT 256u /* values that are looked at for one address */

static bool is_of_the_grid(uint32_t builtin)
{
    if (builtin == GEO_BUILTIN_ZEROS || builtin == GEO_BUILTIN_SINK) {
        return true;
    }
    switch ((SpvBuiltIn)builtin) {
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInGlobalLinearId:
    case SpvBuiltInGlobalSize:
    case SpvBuiltInGlobalOffset:
    case SpvBuiltInWorkDim:
        return true;
    default:
        return false;
    }
}

/* Returns whether a memory scope is wider than the work-group, or just the item itself. */
static bool is_beyond_group(const struct geo_ir_value *scope)
{
    uint64_t bits;
    return geo_ir_constant_bits(scope, &bits) &&
           (bits == SpvScopeCrossDevice || bits == SpvScopeDevice || bits == SpvScopeInvocation);
}

static bool is_local(const struct geo_ir_value *value)
{
    return value->type && value->type->kind == GEO_TYPE_POINTER &&
           value->type->storage == SpvStorageClassWorkgroup;
}

static bool knows_group(const struct geo_ir_inst *inst)
{
    if (inst->op == (SpvOp)GEO_OP_BUILTIN) {
        return !is_of_the_grid(inst->literals[0]);
    }
    if (geo_op_is(inst->op, GEO_IS_ATOMIC)) {
        return is_local(inst->operands[0]) || !is_beyond_group(inst->operands[1]);
    }
    if (inst->op == SpvOpMemoryBarrier) {
        return !is_beyond_group(inst->operands[0]);
    }
    bool local = is_local(&inst->value);
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        local |= inst->operands[i] && is_local(inst->operands[i]);
    }
    return local || geo_op_is(inst->op, GEO_IS_COLLECTIVE);
}

bool geo_grouping_is_free(const struct geo_ir_function *kernel)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        if (is_local(kernel->parameters[i])) {
            return false;
        }
    }
    geo_ir_for_each_block(block, kernel) {
        geo_ir_for_each_inst(inst, block) {
            if (knows_group(inst)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- rows ---- */

/* Returns whether a value is computed from an id along y or z. At most *steps values are looked
 * at. */
static bool depends_on_row(const struct geo_ir_value *value, uint32_t depth, uint32_t *steps)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    if (value->kind != GEO_VALUE_INST || depth == 0 || *steps == 0) {
        return false;
    }
    (*steps)--;
    if (inst->op == (SpvOp)GEO_OP_BUILTIN) {
        return inst->literals[1] > 0;
    }
    for (uint32_t i = 0; i < inst->operand_count && inst->op != SpvOpLoad; i++) {
        if (depends_on_row(inst->operands[i], depth - 1, steps)) {
            return true;
        }
    }
    return false;
}

/* The accesses of a kernel, by the shapes of their addresses. */
struct access_counts {
    uint32_t rows, scattered;
    bool other; /* far apart along x, or shared along y */
};

static void access_count(const struct geo_loops *loops, const struct geo_shapes *shapes,
                         const struct geo_ir_inst *inst, struct access_counts *counts)
{
    const struct geo_ir_value *value = inst->op == SpvOpLoad ? &inst->value : inst->operands[1];
    struct geo_shape shape = geo_shape_of(shapes, inst->operands[0]);
    uint64_t step = shape.stride < 0 ? -(uint64_t)shape.stride : (uint64_t)shape.stride;
    uint32_t steps = STEPS_LIMIT;
    if (shape.kind == GEO_SHAPE_STRIDED) {
        counts->rows++;
        counts->other |= step > ROW_STEP * value->type->size ||
                         (loops->of[inst->block->index] &&
                          !depends_on_row(inst->operands[0], DEPTH_LIMIT, &steps));
    }
    counts->scattered += shape.kind == GEO_SHAPE_VARYING;
}

bool geo_grouping_is_in_rows(const struct geo_loops *loops, const struct geo_shapes *shapes)
{
    struct access_counts counts = {0};
    for (uint32_t i = 0; i < loops->cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, loops->cfg->order[i]) {
            if (geo_op_is(inst->op, GEO_IS_ATOMIC | GEO_IS_CALL)) {
                return false;
            }
            if ((inst->op == SpvOpLoad || inst->op == SpvOpStore) &&
                inst->operands[0]->type->storage != SpvStorageClassFunction) {
                access_count(loops, shapes, inst, &counts);
            }
        }
    }
    return counts.rows > counts.scattered && !counts.other;
}
