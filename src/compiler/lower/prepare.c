/* One function of the model, made ready for lowering and analysed once for all its widths.
 *
 * Two last changes to the model, both of them independent of lanes: blocks end at barriers, and a
 * structure passed by value that the function writes to (or that escapes) is copied into a private
 * variable first, because lanes share the argument. */
#include "compiler/lower/frame.h"

#include "compiler/analysis/uses.h"

#include <spirv/unified1/OpenCL.std.h>

/* ---- structures passed by value ---- */

static bool passes_address_on(const struct geo_use *use)
{
    if (use->operand != 0) {
        return false;
    }
    switch ((uint32_t)use->user->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpPtrCastToGeneric:
    case GEO_OP_PTR_ADD:
        return true;
    default:
        return false;
    }
}

static bool only_reads(const struct geo_use *use)
{
    return use->user->op == SpvOpLoad ||
           ((use->user->op == SpvOpCopyMemory || use->user->op == SpvOpCopyMemorySized) &&
            use->operand != 0);
}

/* Whether memory behind the parameter is read only; *known is false when memory ran out. */
static bool is_only_read(const struct geo_ir_function *function, const struct geo_uses *uses,
                         struct geo_arena *arena, const struct geo_ir_value *parameter, bool *known)
{
    const struct geo_ir_value **stack =
        geo_arena_array(arena, function->value_count + 1, sizeof(*stack));
    bool *seen = geo_arena_new_array(arena, bool, function->value_count + 1);
    uint32_t depth = 0;
    *known = stack && seen;
    if (*known) {
        stack[depth++] = parameter;
    }
    while (depth) {
        uint32_t count;
        const struct geo_use *list = geo_uses_of(uses, stack[--depth], &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct geo_ir_value *user = &list[i].user->value;
            if (passes_address_on(&list[i])) {
                if (!seen[user->index]) {
                    seen[user->index] = true;
                    stack[depth++] = user;
                }
            } else if (!only_reads(&list[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool copy_parameter(struct geo_ir_function *function, struct geo_ir_value *parameter)
{
    struct geo_ir_module *module = function->module;
    struct geo_ir_inst *variable =
        geo_ir_inst_create(module, SpvOpVariable, parameter->type, 0, 1, 0);
    struct geo_ir_inst *copy =
        geo_ir_inst_create(module, SpvOpCopyMemory, geo_ir_type_void(module), 2, 0, 0);
    if (!variable || !copy) {
        return false;
    }
    variable->literals[0] = SpvStorageClassFunction;
    geo_ir_for_each_block(block, function)
    {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                if (inst->operands[i] == parameter) {
                    inst->operands[i] = &variable->value;
                }
            }
        }
    }
    copy->operands[0] = &variable->value;
    copy->operands[1] = parameter;
    geo_ir_inst_insert_before(function->first_block->first, variable);
    geo_ir_inst_insert_before(variable->next, copy);
    return true;
}

static bool copy_parameters(struct geo_ir_function *function, struct geo_arena *arena)
{
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        struct geo_ir_value *parameter = function->parameters[i];
        bool by_value =
            parameter->type->kind == GEO_TYPE_POINTER &&
            (parameter->flags & GEO_VALUE_BY_VAL ||
             (function->is_kernel && parameter->type->storage == SpvStorageClassFunction));
        if (!by_value) {
            continue;
        }
        struct geo_uses uses;
        bool known;
        geo_ir_function_number(function);
        if (!geo_uses_build(function, arena, &uses)) {
            return false;
        }
        bool read = is_only_read(function, &uses, arena, parameter, &known);
        if (!known || (!read && !copy_parameter(function, parameter))) {
            return false;
        }
    }
    return true;
}

/* ---- what the function is made of ---- */

static bool is_subgroup_builtin(uint32_t builtin)
{
    return (builtin >= SpvBuiltInSubgroupSize && builtin <= SpvBuiltInSubgroupLocalInvocationId) ||
           (builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask);
}

/* Group operations name their scope in the first operand. */
static bool is_subgroup_operation(const struct geo_ir_inst *inst)
{
    uint64_t scope;
    if ((inst->op >= SpvOpSubgroupShuffleINTEL && inst->op <= SpvOpSubgroupImageBlockWriteINTEL) ||
        (inst->op >= SpvOpGroupNonUniformElect && inst->op <= SpvOpGroupNonUniformQuadSwap)) {
        return true;
    }
    return inst->op >= SpvOpGroupAll && inst->op <= SpvOpGroupSMax && inst->operand_count &&
           geo_ir_constant_bits(inst->operands[0], &scope) && scope == SpvScopeSubgroup;
}

static void note_inst(struct geo_lower_code *code, struct geo_ir_inst *inst, bool count_only)
{
    if (inst->op == SpvOpVariable) {
        if (!count_only) {
            code->variables[code->variable_count] = inst;
        }
        code->variable_count++;
    } else if (inst->op == (SpvOp)GEO_OP_BUILTIN) {
        if (!count_only) {
            code->builtins[code->builtin_count] = inst;
        }
        code->builtin_count++;
        code->subgroups |= is_subgroup_builtin(inst->literals[0]);
    } else if (inst->op == SpvOpFunctionCall) {
        code->calls = true;
    } else if (inst->op == SpvOpExtInst && inst->literals[0] == GEO_EXT_OPENCL_STD &&
               inst->literals[1] == OpenCLstd_Printf) {
        code->prints = true;
    }
    code->subgroups |= is_subgroup_operation(inst);
}

static void note_insts(struct geo_lower_code *code, bool count_only)
{
    code->variable_count = code->builtin_count = 0;
    for (uint32_t i = 0; i < code->cfg.reachable_count; i++) {
        geo_ir_for_each_inst(inst, code->cfg.order[i])
        {
            note_inst(code, inst, count_only);
        }
    }
}

static bool collect(struct geo_lower_code *code, struct geo_arena *arena)
{
    note_insts(code, true);
    code->variables = geo_arena_array(arena, code->variable_count + 1, sizeof(*code->variables));
    code->builtins = geo_arena_array(arena, code->builtin_count + 1, sizeof(*code->builtins));
    if (!code->variables || !code->builtins) {
        return false;
    }
    note_insts(code, false);
    return true;
}

/* A phi's operand is used at the end of the block it comes from. */
static void note_crossing(struct geo_lower_code *code, const struct geo_ir_inst *user)
{
    for (uint32_t i = 0; i < user->operand_count; i++) {
        const struct geo_ir_inst *def = geo_ir_as_inst(user->operands[i]);
        const struct geo_ir_block *at = user->op == SpvOpPhi ? user->targets[i] : user->block;
        if (def && def->block != at) {
            code->crosses[def->value.index] = true;
        }
    }
}

static bool find_crossing(struct geo_lower_code *code, struct geo_arena *arena)
{
    code->crosses = geo_arena_new_array(arena, bool, code->function->value_count + 1);
    if (!code->crosses) {
        return false;
    }
    for (uint32_t i = 0; i < code->cfg.reachable_count; i++) {
        geo_ir_for_each_inst(inst, code->cfg.order[i])
        {
            note_crossing(code, inst);
        }
    }
    return true;
}

bool geo_lower_prepare(struct geo_lower *lower, struct geo_ir_function *function,
                       struct geo_lower_code *code)
{
    struct geo_arena *arena = &lower->arena;
    code->function = function;
    if (!copy_parameters(function, arena) ||
        !geo_barriers_split(function, arena, &code->barriers)) {
        return false;
    }
    geo_ir_function_number(function);
    if (!geo_cfg_build(function, arena, &code->cfg) ||
        !geo_dominators_compute(&code->cfg, arena, &code->dominators) ||
        !geo_loops_compute(&code->dominators, arena, &code->loops) || !collect(code, arena) ||
        !find_crossing(code, arena)) {
        return false;
    }
    code->canonical = geo_linear_is_canonical(&code->loops);
    return !code->barriers.count || geo_liveness_compute(&code->cfg, arena, &code->liveness);
}
