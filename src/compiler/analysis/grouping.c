/* Finds out whether a kernel depends on its work-group: by group ids and sizes, local memory,
 * barriers, values of other items, or narrow scopes. See grouping.h. */
#include "compiler/analysis/grouping.h"

#include "compiler/ir/grammar.h"

static bool is_of_the_grid(uint32_t builtin)
{
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
