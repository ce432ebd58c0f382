/* Analyses the functions of the model once for all widths: control flow, barriers, liveness, and
 * what they use. The use of sub-groups is propagated from callees to callers. module.c calls it
 * first; see code.h. */
#include "compiler/lower/state/code.h"

#include "base/assert.h"
#include "compiler/analysis/coalesce.h"
#include "compiler/analysis/dense.h"
#include "compiler/analysis/interleave.h"
#include "compiler/analysis/prints.h"
#include "compiler/ir/debug.h"
#include "compiler/ir/grammar.h"
#include "compiler/ir/group_op.h"
#include "compiler/lower/state/parts.h"

#include <stdlib.h>

uint64_t geo_state_code_service_slots(const struct geo_ir_inst *inst)
{
    bool print = geo_print_is(inst);
    uint64_t count = 0;
    if (!print && inst->op != (SpvOp)GEO_OP_ASSERT_FAIL) {
        return 0;
    }
    for (uint32_t i = print; i < inst->operand_count; i++) {
        count += geo_part_count(inst->operands[i]->type);
    }
    return count ? count : 1;
}

/* ---- one function ---- */

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
    } else if (geo_op_is(inst->op, GEO_IS_CALL)) {
        code->calls = true;
        code->indirect |= inst->op == SpvOpFunctionPointerCallINTEL;
    }
    uint64_t slots = geo_state_code_service_slots(inst);
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
    uint32_t counted = code->variable_count;
    code->variables = geo_arena_array(arena, code->variable_count + 1, sizeof(*code->variables));
    if (!code->variables) {
        return false;
    }
    note_insts(code, false);
    GEO_ASSERT(code->variable_count == counted);
    return true;
}

/* Marks the operands of `user` that another block defines. A phi uses its operand at the end of the
 * predecessor. */
static void note_crossing(struct geo_lower_code *code, const struct geo_ir_inst *user)
{
    for (uint32_t i = 0; i < user->operand_count; i++) {
        const struct geo_ir_inst *def = geo_ir_as_inst(user->operands[i]);
        const struct geo_ir_block *at = user->op == SpvOpPhi ? user->targets[i] : user->block;
        if (def && def->block != at) {
            GEO_ASSERT(def->value.index < code->function->value_count);
            code->crosses[def->value.index] = true;
        }
    }
}

/* Marks the values that debug records in front of an instruction name, as operands are. */
static void note_variables(struct geo_lower_code *code, const struct geo_ir_inst *inst)
{
    geo_ir_for_each_record(record, inst)
    {
        const struct geo_ir_inst *def = record->value ? geo_ir_as_inst(record->value) : NULL;
        if (def && def->block != inst->block) {
            GEO_ASSERT(def->value.index < code->function->value_count);
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
            if (code->function->module->keeps_variables) {
                note_variables(code, inst);
            }
        }
    }
    return true;
}

/* Returns whether all code of a kernel is in one function, and its groups do not meet at
 * barriers. */
static bool is_closed(const struct geo_lower_code *code)
{
    return code->function->is_kernel && code->canonical && !code->calls &&
           !code->barriers.any_device;
}

/* Returns whether additions may pend: nothing but returning ends a call of the kernel. */
static bool may_pend(const struct geo_lower_code *code)
{
    return is_closed(code) && !code->service_slots;
}

static bool code_make(struct geo_lower *lower, struct geo_ir_function *function,
                      struct geo_lower_code *code)
{
    struct geo_arena *arena = &lower->arena;
    code->function = function;
    geo_ir_function_number(function);
    if (!geo_barriers_find(function, arena, &code->barriers) ||
        !geo_cfg_build(function, arena, &code->cfg) || !geo_cfg_sort_phis(&code->cfg, arena) ||
        !geo_dominators_compute(&code->cfg, arena, &code->dominators) ||
        !geo_loops_compute(&code->dominators, arena, &code->loops) || !collect(code, arena) ||
        !find_crossing(code, arena) || !geo_coalesce_phis(&code->cfg, arena, &code->coalesced) ||
        !geo_interleave_mark(function, arena)) {
        return false;
    }
    GEO_ASSERT(code->cfg.reachable_count > 0 && code->loops.order[0] == function->first_block);
    code->canonical = geo_linear_is_canonical(&code->loops);
    if (!geo_dense_find(function, arena, code->barriers.count > 0, &code->dense)) {
        return false;
    }
    if (code->barriers.count && !geo_liveness_compute(&code->cfg, arena, &code->liveness)) {
        return false;
    }
    if (is_closed(code) && !geo_contended_find(&code->loops, arena, &code->contended)) {
        return false;
    }
    return !may_pend(code) || geo_pending_find(&code->loops, arena, &code->pending);
}

/* ---- all functions ---- */

static int code_compare(const void *a, const void *b)
{
    const struct geo_lower_code *x = *(struct geo_lower_code *const *)a;
    const struct geo_lower_code *y = *(struct geo_lower_code *const *)b;
    return (uintptr_t)x->function<(uintptr_t)y->function ? -1 : (uintptr_t)x->function>(uintptr_t)
        y->function;
}

struct geo_lower_code *geo_state_code_find(struct geo_lower *lower,
                                           const struct geo_ir_function *function)
{
    struct geo_lower_code key = {.function = (struct geo_ir_function *)function};
    struct geo_lower_code *wanted = &key;
    struct geo_lower_code **found =
        bsearch(&wanted, lower->codes, lower->code_count, sizeof(*lower->codes), code_compare);
    return found ? *found : NULL;
}

/* One call in the list of a callee's callers. */
struct caller {
    uint32_t code, next; /* index of the calling function; next item of the list or GEO_CFG_NONE */
};

/* Calls `visit` for each direct call in the module, with the indices of caller and callee. */
static void calls_visit(struct geo_lower *lower, void *data,
                        void (*visit)(void *data, uint32_t caller, uint32_t callee))
{
    for (uint32_t c = 0; c < lower->code_count; c++) {
        const struct geo_lower_code *code = lower->codes[c];
        for (uint32_t i = 0; code->calls && i < code->cfg.reachable_count; i++) {
            geo_ir_for_each_inst(inst, code->cfg.order[i]) {
                const struct geo_ir_function *function =
                    inst->op == SpvOpFunctionCall ? geo_ir_as_function(inst->operands[0]) : NULL;
                const struct geo_lower_code *callee =
                    function ? geo_state_code_find(lower, function) : NULL;
                if (callee) {
                    visit(data, c, callee->index);
                }
            }
        }
    }
}

/* The lists of callers of all functions. */
struct callers {
    uint32_t *first; /* by function: first item of its list */
    struct caller *items;
    size_t count;
};

static void caller_count(void *data, uint32_t caller, uint32_t callee)
{
    (void)caller, (void)callee;
    ((struct callers *)data)->count++;
}

static void caller_add(void *data, uint32_t caller, uint32_t callee)
{
    struct callers *callers = data;
    GEO_ASSERT(callers->first[callee] == GEO_CFG_NONE || callers->first[callee] < callers->count);
    callers->items[callers->count] = (struct caller){caller, callers->first[callee]};
    callers->first[callee] = (uint32_t)callers->count++;
}

static bool callers_list(struct geo_lower *lower, struct callers *callers)
{
    *callers = (struct callers){
        .first = geo_arena_new_array(&lower->arena, uint32_t, lower->code_count + 1)};
    calls_visit(lower, callers, caller_count);
    callers->items = geo_arena_new_array(&lower->arena, struct caller, callers->count);
    if (!callers->first || !callers->items) {
        return false;
    }
    for (uint32_t c = 0; c < lower->code_count; c++) {
        callers->first[c] = GEO_CFG_NONE;
    }
    callers->count = 0;
    calls_visit(lower, callers, caller_add);
    return true;
}

/* Marks the direct and indirect callers of functions that use sub-groups, because a kernel's width
 * and kind of chunk depend on what it calls. Sub-group operations are always inlined, but built-ins
 * may be in functions. */
static bool subgroups_spread(struct geo_lower *lower)
{
    struct callers callers;
    uint32_t *stack = geo_arena_new_array(&lower->arena, uint32_t, lower->code_count), depth = 0;
    if (!stack) {
        return false;
    }
    for (uint32_t c = 0; c < lower->code_count; c++) {
        const struct geo_lower_code *code = lower->codes[c];
        if (code->subgroups && !code->function->is_kernel) {
            stack[depth++] = c;
        }
    }
    if (depth && !callers_list(lower, &callers)) {
        return false;
    }
    while (depth > 0) {
        uint32_t at = callers.first[stack[--depth]];
        for (; at != GEO_CFG_NONE; at = callers.items[at].next) {
            struct geo_lower_code *code = lower->codes[callers.items[at].code];
            if (!code->subgroups) {
                GEO_ASSERT(depth < lower->code_count);
                code->subgroups = true;
                stack[depth++] = code->index;
            }
        }
    }
    return true;
}

static bool behind_pointers(const struct geo_lower *lower, const struct geo_ir_value *value)
{
    const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
    if (value->kind != GEO_VALUE_CONSTANT || constant->op != SpvOpConstantFunctionPointerINTEL) {
        return false;
    }
    const struct geo_ir_function *function = geo_ir_as_function(constant->operands[0]);
    const struct geo_lower_code *code =
        function ? geo_state_code_find((struct geo_lower *)lower, function) : NULL;
    return code && code->subgroups;
}

/* Marks callers if some function calls through pointers and a function behind a pointer uses
 * sub-groups. A call through a pointer may reach it, so these callers must run at W = S. */
static void subgroups_behind_pointers(struct geo_lower *lower)
{
    bool indirect = false, subgroups = false;
    for (uint32_t i = 0; i < lower->code_count; i++) {
        indirect |= lower->codes[i]->indirect;
        subgroups |= lower->codes[i]->function->indirect && lower->codes[i]->subgroups;
    }
    for (size_t i = 0; indirect && i < lower->module->constants.count; i++) {
        subgroups |= behind_pointers(lower, lower->module->constants.items[i]);
    }
    for (uint32_t i = 0; indirect && subgroups && i < lower->code_count; i++) {
        lower->codes[i]->subgroups |= lower->codes[i]->calls;
    }
}

bool geo_state_codes_make(struct geo_lower *lower)
{
    uint32_t count = 0;
    geo_ir_for_each_function(function, lower->module) {
        count += function->first_block != NULL;
    }
    lower->codes = geo_arena_array(&lower->arena, count + 1, sizeof(*lower->codes));
    if (!lower->codes) {
        return false;
    }
    geo_ir_for_each_function(function, lower->module) {
        if (!function->first_block) {
            continue;
        }
        struct geo_lower_code *code = geo_arena_new(&lower->arena, struct geo_lower_code);
        if (!code || !code_make(lower, function, code)) {
            return false;
        }
        lower->codes[lower->code_count++] = code;
    }
    qsort(lower->codes, lower->code_count, sizeof(*lower->codes), code_compare);
    for (uint32_t i = 0; i < lower->code_count; i++) {
        GEO_ASSERT(i == 0 || code_compare(&lower->codes[i - 1], &lower->codes[i]) < 0);
        lower->codes[i]->index = i;
    }
    if (!subgroups_spread(lower)) {
        return false;
    }
    subgroups_behind_pointers(lower);
    return true;
}
