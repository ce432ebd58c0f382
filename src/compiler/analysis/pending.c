/* Finds pending additions. See pending.h. Called once for each kernel (lower/state/code.c).
 *
 * An addition is rejected if an obstacle may run after it: something that reads or writes its
 * memory, or tells others that it has happened. Obstacles depend on what the addition's pointer is
 * made of, because of restrict, so each such base has a search of its own. */
#include "compiler/analysis/pending.h"

#include "base/assert.h"
#include "compiler/analysis/uses.h"
#include "compiler/analysis/waiting.h"
#include "compiler/ir/grammar.h"

#define BASES_LIMIT   8u  /* bases that are searched; additions with further ones do not pend */
#define POINTER_STEPS 32u /* between a pointer and its base */

/* SPIR-V's memory semantics: the orders, and the memory that is ordered. */
#define ORDERS                                                                                     \
    (SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask |                               \
     SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsSequentiallyConsistentMask)
#define OUTSIDE_GROUP                                                                              \
    (SpvMemorySemanticsUniformMemoryMask | SpvMemorySemanticsSubgroupMemoryMask |                  \
     SpvMemorySemanticsCrossWorkgroupMemoryMask | SpvMemorySemanticsAtomicCounterMemoryMask |      \
     SpvMemorySemanticsImageMemoryMask | SpvMemorySemanticsOutputMemoryMask)

/* The search for additions to one base. */
struct search {
    const struct geo_loops *loops;
    struct geo_uses uses;
    const struct geo_ir_type *type; /* of the additions; NULL: no addition was found yet */
    const struct geo_ir_value *base;
    bool *passed; /* by block index: an obstacle may run behind the block's end */
    struct geo_ir_block **stack;
};

/* ---- instructions ---- */

static bool has_bits(const struct geo_ir_value *semantics, uint64_t mask)
{
    uint64_t bits;
    return !geo_ir_constant_bits(semantics, &bits) || (bits & mask);
}

/* Returns the parameter or variable that a pointer is computed from, or NULL. */
static const struct geo_ir_value *base_of(const struct geo_ir_value *pointer)
{
    for (uint32_t i = 0; i < POINTER_STEPS && pointer->kind == GEO_VALUE_INST; i++) {
        const struct geo_ir_inst *inst = (const struct geo_ir_inst *)pointer;
        if (!geo_op_is(inst->op, GEO_IS_POINTER_STEP)) {
            return NULL;
        }
        pointer = inst->operands[0];
    }
    return pointer->kind == GEO_VALUE_PARAMETER || pointer->kind == GEO_VALUE_VARIABLE ? pointer
                                                                                       : NULL;
}

static bool is_used(const struct search *s, const struct geo_ir_inst *inst)
{
    uint32_t count;
    geo_uses_of(&s->uses, &inst->value, &count);
    return count != 0;
}

/* Returns whether an instruction may pend, if no obstacle follows. */
static bool is_addition(const struct search *s, const struct geo_ir_inst *inst)
{
    if (inst->op != SpvOpAtomicIAdd && inst->op != SpvOpAtomicISub &&
        inst->op != SpvOpAtomicIIncrement && inst->op != SpvOpAtomicIDecrement) {
        return false;
    }
    const struct geo_ir_type *type = inst->value.type;
    uint64_t scope;
    return inst->operands[0]->type->storage == SpvStorageClassCrossWorkgroup &&
           type->kind == GEO_TYPE_INT && (type->width == 32 || type->width == 64) &&
           (!s->type || s->type == type) && geo_ir_constant_bits(inst->operands[1], &scope) &&
           scope != SpvScopeCrossDevice &&
           !has_bits(inst->operands[2], ORDERS | SpvMemorySemanticsVolatileMask) &&
           !is_used(s, inst);
}

/* Returns whether memory behind a pointer may be that of the additions. */
static bool may_alias(const struct search *s, const struct geo_ir_value *pointer)
{
    if (pointer->type->kind != GEO_TYPE_POINTER || geo_ir_is_of_group(pointer->type) ||
        pointer->type->storage == SpvStorageClassUniformConstant) {
        return false;
    }
    const struct geo_ir_value *base = base_of(pointer);
    return !base || base == s->base || !((base->flags | s->base->flags) & GEO_VALUE_NO_ALIAS);
}

static bool is_obstacle(const struct search *s, const struct geo_ir_inst *inst)
{
    if (geo_op_is(inst->op, GEO_IS_TERMINATOR | GEO_IS_PURE) || inst->op == SpvOpVariable ||
        inst->op == SpvOpPhi || is_addition(s, inst)) {
        return false;
    }
    if (inst->op == SpvOpControlBarrier || inst->op == SpvOpMemoryBarrier) {
        uint32_t semantics = inst->op == SpvOpControlBarrier ? 2 : 1;
        return has_bits(inst->operands[semantics], OUTSIDE_GROUP);
    }
    if (geo_op_is(inst->op, GEO_IS_ATOMIC) && has_bits(inst->operands[2], ORDERS)) {
        return true;
    }
    bool reaches = inst->memory_flags & SpvMemoryAccessVolatileMask;
    bool has_pointer = false;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        reaches |=
            may_alias(s, inst->operands[i]) || inst->operands[i]->type->kind == GEO_TYPE_OPAQUE;
        has_pointer |= inst->operands[i]->type->kind == GEO_TYPE_POINTER;
    }
    bool unknown =
        !has_pointer && geo_ir_has_effect(inst) && !geo_op_is(inst->op, GEO_IS_COLLECTIVE);
    return reaches || unknown;
}

/* ---- one base ---- */

/* Marks the blocks whose end leads to an obstacle. */
static void mark_passed(struct search *s)
{
    const struct geo_cfg *cfg = s->loops->cfg;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        s->passed[i] = false;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        bool found = false;
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            found |= is_obstacle(s, inst);
        }
        if (found) {
            s->stack[depth++] = cfg->order[i];
        }
    }
    while (depth > 0) {
        const struct geo_cfg_edges *preds = &cfg->preds[s->stack[--depth]->index];
        for (uint32_t i = 0; i < preds->count; i++) {
            struct geo_ir_block *pred = preds->blocks[i];
            if (geo_cfg_reachable(cfg, pred) && !s->passed[pred->index]) {
                s->passed[pred->index] = true;
                s->stack[depth++] = pred;
            }
        }
    }
}

/* Marks the additions to the base that no obstacle follows. Returns whether there are any. */
static bool mark_additions(const struct search *s, bool *is)
{
    const struct geo_cfg *cfg = s->loops->cfg;
    bool any = false;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        struct geo_ir_block *block = cfg->order[i];
        bool open = !s->passed[block->index];
        for (struct geo_ir_inst *inst = block->last; inst && open; inst = inst->prev) {
            if (is_addition(s, inst) && base_of(inst->operands[0]) == s->base) {
                is[inst->value.index] = true;
                any = true;
            }
            open = !is_obstacle(s, inst);
        }
    }
    return any;
}

/* ---- the kernel ---- */

/* Lists the bases of additions, and takes the type of the first one. Returns how many. */
static uint32_t bases_list(struct search *s, const struct geo_ir_value *bases[BASES_LIMIT])
{
    const struct geo_cfg *cfg = s->loops->cfg;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            const struct geo_ir_value *base =
                is_addition(s, inst) ? base_of(inst->operands[0]) : NULL;
            uint32_t at = 0;
            while (at < count && bases[at] != base) {
                at++;
            }
            if (base && at == count && count < BASES_LIMIT) {
                s->type = inst->value.type;
                bases[count++] = base;
            }
        }
    }
    return count;
}

bool geo_pending_find(const struct geo_loops *loops, struct geo_arena *arena,
                      struct geo_pending *out)
{
    const struct geo_ir_function *function = loops->cfg->function;
    const struct geo_ir_value *bases[BASES_LIMIT];
    struct search s = {.loops = loops};
    *out = (struct geo_pending){NULL, NULL};
    if (!geo_uses_build(function, arena, &s.uses)) {
        return false;
    }
    uint32_t count = bases_list(&s, bases);
    if (count == 0 || geo_waiting_is_possible(loops, &s.uses)) {
        return true;
    }
    bool *is = geo_arena_new_array(arena, bool, function->value_count + 1);
    s.passed = geo_arena_new_array(arena, bool, loops->cfg->block_count);
    /* a block is pushed for its obstacle and for what it leads to */
    s.stack = geo_arena_new_array(arena, struct geo_ir_block *, 2 * loops->cfg->block_count);
    if (!is || !s.passed || !s.stack) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        s.base = bases[i];
        mark_passed(&s);
        if (mark_additions(&s, is)) {
            *out = (struct geo_pending){is, s.type};
        }
    }
    return true;
}
