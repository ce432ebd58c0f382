/* One function of the model, made ready for lowering (blocks end at barriers, addresses
 * are computed where they are used) and analysed once for
 * all its widths. */
#include "compiler/ir/group_op.h"
#include "compiler/lower/frame/frame.h"

/* ---- what the function is made of ---- */

static bool is_subgroup_builtin(uint32_t builtin)
{
    return (builtin >= SpvBuiltInSubgroupSize && builtin <= SpvBuiltInSubgroupLocalInvocationId) ||
           (builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask);
}

static bool is_subgroup_operation(const struct geo_ir_inst *inst)
{
    const struct geo_group_op *group = geo_group_op_find((uint32_t)inst->op);
    uint64_t scope;
    if (inst->op == SpvOpControlBarrier) {
        return inst->operand_count && geo_ir_constant_bits(inst->operands[0], &scope) &&
               scope == SpvScopeSubgroup;
    }
    return group && geo_group_op_scope(group, inst) == SpvScopeSubgroup;
}

static void note_inst(struct geo_lower_code *code, struct geo_ir_inst *inst, bool count_only)
{
    if (inst->op == SpvOpVariable) {
        if (!count_only) {
            code->variables[code->variable_count] = inst;
        }
        code->variable_count++;
    } else if (inst->op == (SpvOp)GEO_OP_BUILTIN) {
        code->subgroups |= is_subgroup_builtin(inst->literals[0]);
    } else if (inst->op == SpvOpFunctionCall || inst->op == SpvOpFunctionPointerCallINTEL) {
        code->calls = true;
        code->indirect |= inst->op == SpvOpFunctionPointerCallINTEL;
    }
    uint64_t slots = geo_lower_service_slots(inst);
    code->service_slots = slots > code->service_slots ? slots : code->service_slots;
    code->subgroups |= is_subgroup_operation(inst);
}

static void note_insts(struct geo_lower_code *code, bool count_only)
{
    code->variable_count = 0;
    for (uint32_t i = 0; i < code->cfg.reachable_count; i++) {
        geo_ir_for_each_inst(inst, code->cfg.order[i]) {
            note_inst(code, inst, count_only);
        }
    }
}

static bool collect(struct geo_lower_code *code, struct geo_arena *arena)
{
    note_insts(code, true);
    code->variables = geo_arena_array(arena, code->variable_count + 1, sizeof(*code->variables));
    if (!code->variables) {
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
        geo_ir_for_each_inst(inst, code->cfg.order[i]) {
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
    if (!geo_lower_sink_addresses(function) ||
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
