/* Checks the structure of the model: blocks, phis, dominance. `rules.c` checks the operands of each
 * opcode.
 *
 * The reader's result is checked here before anything else uses it, so later code relies on these
 * properties. */
#include "compiler/validate/validate.h"

#include "compiler/analysis/dominators.h"
#include "compiler/ir/budget.h"
#include "compiler/ir/grammar.h"
#include "compiler/validate/rules.h"

#include <stdarg.h>

/* The check of one module, function by function. */
struct validator {
    const char *pass;
    struct geo_strbuf *log;
    const struct geo_ir_function *function;
    struct geo_cfg cfg;
    struct geo_dominators dominators;
    struct geo_arena arena;
    /* by block: `epoch`: a predecessor of the current phi; `epoch` + 1: already named by it */
    uint64_t *marks;
    uint64_t epoch;
    bool no_memory;
};

static bool broken(struct validator *v, const struct geo_ir_inst *inst, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool broken(struct validator *v, const struct geo_ir_inst *inst, const char *format, ...)
{
    va_list args;
    geo_strbuf_printf(v->log, "error: after %s: ", v->pass);
    if (inst) {
        geo_strbuf_printf(v->log, "%s %%%u at word %u: ", geo_op_name(inst->op), inst->value.id,
                          inst->word_offset);
    }
    va_start(args, format);
    geo_strbuf_vprintf(v->log, format, args);
    va_end(args);
    geo_strbuf_printf(v->log, "\n");
    return false;
}

/* ---- blocks and phis ---- */

/* Checks a phi: it names each predecessor exactly once, unreachable ones too, and no other
 * block. */
static bool phi_check(struct validator *v, const struct geo_ir_inst *phi)
{
    const struct geo_cfg_edges *preds = &v->cfg.preds[phi->block->index];
    if (phi->operand_count != phi->target_count) {
        return broken(v, phi, "operands and blocks do not pair up");
    }
    v->epoch += 2;
    for (uint32_t i = 0; i < preds->count; i++) {
        v->marks[preds->blocks[i]->index] = v->epoch;
    }
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        const struct geo_ir_block *from = phi->targets[i];
        if (from->index >= v->cfg.block_count || v->cfg.blocks[from->index] != from) {
            return broken(v, phi, "names a block that was removed");
        }
        uint64_t *mark = &v->marks[from->index];
        if (phi->operands[i]->type != phi->value.type) {
            return broken(v, phi, "operand %u has another type", i);
        }
        if (*mark == v->epoch + 1) {
            return broken(v, phi, "names a block twice");
        }
        if (*mark != v->epoch) {
            return broken(v, phi, "names a block that does not lead here");
        }
        *mark = v->epoch + 1;
    }
    if (phi->operand_count != preds->count) {
        return broken(v, phi, "names %u of %u predecessors", phi->operand_count, preds->count);
    }
    return true;
}

static bool block_check(struct validator *v, struct geo_ir_block *block)
{
    if (!block->last || !geo_op_is(block->last->op, GEO_IS_TERMINATOR)) {
        return broken(v, block->last, "block %u has no terminator", block->id);
    }
    bool phis_over = false;
    geo_ir_for_each_inst(inst, block) {
        if (inst->block != block) {
            return broken(v, inst, "is linked into the wrong block");
        }
        if (inst != block->last && geo_op_is(inst->op, GEO_IS_TERMINATOR)) {
            return broken(v, inst, "ends a block before its last instruction");
        }
        if (inst->op == SpvOpPhi && phis_over) {
            return broken(v, inst, "is a phi behind other instructions");
        }
        phis_over |= inst->op != SpvOpPhi;
    }
    return true;
}

/* ---- operands ---- */

static bool value_belongs(const struct validator *v, const struct geo_ir_value *value)
{
    if (value->kind == GEO_VALUE_PARAMETER) {
        return value->index < v->function->parameter_count &&
               v->function->parameters[value->index] == value;
    }
    return value->kind != GEO_VALUE_INST ||
           (((const struct geo_ir_inst *)value)->block &&
            ((const struct geo_ir_inst *)value)->block->function == v->function);
}

static bool dominates_use(const struct validator *v, const struct geo_ir_inst *definition,
                          const struct geo_ir_inst *use, uint32_t operand)
{
    const struct geo_ir_block *at = use->op == SpvOpPhi ? use->targets[operand] : use->block;
    if (!geo_cfg_reachable(&v->cfg, at)) {
        return true;
    }
    if (definition->block == at && use->op != SpvOpPhi) {
        return definition->value.index < use->value.index;
    }
    return geo_block_dominates(&v->dominators, definition->block, at);
}

static bool operands_check(struct validator *v, const struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_value *value = inst->operands[i];
        if (!value) {
            return broken(v, inst, "operand %u is missing", i);
        }
        if (!value_belongs(v, value)) {
            return broken(v, inst, "operand %u (%%%u) belongs to another function", i, value->id);
        }
        if (value->type->kind == GEO_TYPE_VOID) {
            return broken(v, inst, "operand %u (%%%u) has no value", i, value->id);
        }
        if (value->kind == GEO_VALUE_INST &&
            !dominates_use(v, (const struct geo_ir_inst *)value, inst, i)) {
            return broken(v, inst, "operand %u (%%%u) is not defined on every path to it", i,
                          value->id);
        }
    }
    for (uint32_t i = 0; i < inst->target_count; i++) {
        if (!inst->targets[i] || inst->targets[i]->function != v->function) {
            return broken(v, inst, "leads out of its function");
        }
        if (inst->op != SpvOpPhi && inst->targets[i] == v->function->first_block) {
            return broken(v, inst, "branches to the entry block");
        }
    }
    return true;
}

static bool inst_check(struct validator *v, const struct geo_ir_inst *inst)
{
    const char *reason;
    if (!operands_check(v, inst)) {
        return false;
    }
    if (inst->op == SpvOpPhi) {
        return phi_check(v, inst);
    }
    if (!geo_rules_check(inst, &reason)) {
        return broken(v, inst, "%s", reason);
    }
    return true;
}

/* ---- functions ---- */

static bool function_analyse(struct validator *v, struct geo_ir_function *function)
{
    v->function = function;
    geo_ir_function_number(function);
    v->marks = geo_arena_new_array(&v->arena, uint64_t, function->block_count);
    return v->marks && geo_cfg_build(function, &v->arena, &v->cfg) &&
           geo_dominators_compute(&v->cfg, &v->arena, &v->dominators);
}

static bool function_check(struct validator *v, struct geo_ir_function *function)
{
    if (!function->first_block) {
        return true;
    }
    geo_ir_for_each_block(block, function) {
        if (!block_check(v, block)) {
            return false;
        }
    }
    if (!function_analyse(v, function)) {
        v->no_memory = true;
        return false;
    }
    if (!geo_budget_spend((uint64_t)function->value_count + function->block_count)) {
        /* reported as exhausted memory; the facade replaces it by the real reason */
        v->no_memory = true;
        return false;
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (!inst_check(v, inst)) {
                return false;
            }
        }
    }
    return true;
}

ze_result_t geo_validate(struct geo_ir_module *module, const char *pass, struct geo_strbuf *log)
{
    struct validator v = {.pass = pass, .log = log};
    bool good = true;
    geo_arena_init(&v.arena, 0);
    geo_ir_for_each_function(function, module) {
        good = function_check(&v, function);
        geo_arena_reset(&v.arena);
        if (!good) {
            break;
        }
    }
    geo_arena_finish(&v.arena);
    return good          ? ZE_RESULT_SUCCESS
           : v.no_memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                         : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}
