/* Finds branches at which the lanes of most chunks agree. See agreement.h. Called by
 * lower/cpu/function/versions.c. */
#include "compiler/analysis/agreement.h"

#include "compiler/analysis/index.h"
#include "compiler/ir/grammar.h"

#define DEPTH_LIMIT 8u /* of conditions, and of what is computed in a loop but does not change */

/* The search in one function. */
struct search {
    const struct geo_loops *loops;
    const struct geo_shapes *shapes;
    bool *effects;      /* by block index: an effect may have happened before the block's end */
    uint32_t first_end; /* position of the last block of the loop that ends first */
};

/* ---- effects ---- */

static bool is_private(const struct geo_ir_inst *inst)
{
    SpvStorageClass storage = inst->operands[0]->type->storage;
    return inst->op == SpvOpStore && !(inst->memory_flags & SpvMemoryAccessVolatileMask) &&
           (storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate);
}

static bool has_effect(const struct geo_ir_block *block)
{
    for (const struct geo_ir_inst *inst = block->first; inst != block->last; inst = inst->next) {
        if (inst->op != SpvOpVariable && inst->op != SpvOpPhi && geo_ir_has_effect(inst) &&
            !(inst->operand_count > 0 && is_private(inst))) {
            return true;
        }
    }
    return false;
}

/* Passes effects on to successors, until nothing changes. Each round covers one more level of
 * nested loops. */
static void effects_spread(struct search *s)
{
    const struct geo_cfg *cfg = s->loops->cfg;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        s->effects[s->loops->order[i]->index] = has_effect(s->loops->order[i]);
    }
    for (uint32_t round = 0; round <= s->loops->max_depth; round++) {
        for (uint32_t i = 0; i < cfg->reachable_count; i++) {
            const struct geo_ir_block *block = s->loops->order[i];
            const struct geo_cfg_edges *preds = &cfg->preds[block->index];
            for (uint32_t p = 0; p < preds->count; p++) {
                s->effects[block->index] |= s->effects[preds->blocks[p]->index];
            }
        }
    }
}

/* ---- conditions ---- */

static enum geo_shape_kind kind_of(const struct search *s, const struct geo_ir_value *value)
{
    return geo_shape_of(s->shapes, value).kind;
}

/* Returns whether a value is the same in all iterations of a loop (NULL: no loop). */
static bool is_invariant(const struct search *s, const struct geo_loop *loop,
                         const struct geo_ir_value *value, uint32_t depth)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    if (!loop || value->kind != GEO_VALUE_INST || !geo_loop_contains(s->loops, loop, inst->block)) {
        return true;
    }
    bool same = depth > 0 && inst->op != SpvOpPhi && geo_op_is(inst->op, GEO_IS_PURE);
    for (uint32_t i = 0; same && i < inst->operand_count; i++) {
        same = is_invariant(s, loop, inst->operands[i], depth - 1);
    }
    return same;
}

/* Returns whether a value moves evenly, unless it wraps at a narrower width before it is
 * extended. */
static bool is_even(const struct search *s, const struct geo_ir_value *value, uint32_t depth)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    if (kind_of(s, value) == GEO_SHAPE_STRIDED) {
        return true;
    }
    if (value->kind != GEO_VALUE_INST || depth == 0) {
        return false;
    }
    switch ((uint32_t)inst->op) {
    case SpvOpSConvert:
    case SpvOpUConvert:
        return is_even(s, inst->operands[0], depth - 1);
    case SpvOpIAdd:
    case SpvOpISub:
        return is_even(s, inst->operands[0], depth - 1) &&
               kind_of(s, inst->operands[1]) == GEO_SHAPE_UNIFORM;
    case SpvOpShiftRightArithmetic:
        return geo_index_log(inst) && is_even(s, inst->operands[0], depth - 1);
    default:
        return false;
    }
}

static bool is_comparison(const struct search *s, const struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpULessThan:
    case SpvOpULessThanEqual:
    case SpvOpUGreaterThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
        return (is_even(s, inst->operands[0], DEPTH_LIMIT) &&
                kind_of(s, inst->operands[1]) == GEO_SHAPE_UNIFORM) ||
               (is_even(s, inst->operands[1], DEPTH_LIMIT) &&
                kind_of(s, inst->operands[0]) == GEO_SHAPE_UNIFORM);
    default:
        return false;
    }
}

/* Returns whether a condition consists of uniform conditions, and of comparisons of even indexes
 * that do not change in the loop (NULL: no loop). */
static bool is_border(const struct search *s, const struct geo_loop *loop,
                      const struct geo_ir_value *value, uint32_t depth)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    if (kind_of(s, value) == GEO_SHAPE_UNIFORM) {
        return true;
    }
    if (value->kind != GEO_VALUE_INST || depth == 0 || value->type->kind != GEO_TYPE_BOOL) {
        return false;
    }
    bool joins = inst->op == SpvOpLogicalAnd || inst->op == SpvOpLogicalOr ||
                 inst->op == SpvOpLogicalNot || inst->op == SpvOpSelect;
    for (uint32_t i = 0; joins && i < inst->operand_count; i++) {
        joins = is_border(s, loop, inst->operands[i], depth - 1);
    }
    return joins || (is_comparison(s, inst) && is_invariant(s, loop, value, DEPTH_LIMIT));
}

/* ---- two cases of a load ---- */

static bool asks_all_lanes(const struct geo_ir_value *value, uint32_t depth)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    if (value->kind != GEO_VALUE_INST || depth == 0) {
        return false;
    }
    bool asks = inst->op == (SpvOp)GEO_OP_ALL_LANES;
    for (uint32_t i = 0; !asks && inst->op == SpvOpLogicalAnd && i < inst->operand_count; i++) {
        asks = asks_all_lanes(inst->operands[i], depth - 1);
    }
    return asks;
}

bool geo_agreement_asks(const struct geo_ir_inst *branch)
{
    return branch->op == SpvOpBranchConditional && asks_all_lanes(branch->operands[0], DEPTH_LIMIT);
}

/* Returns the block that a block always leads to, if it is entered from one place; NULL: none. */
static const struct geo_ir_block *behind(const struct search *s, const struct geo_ir_block *block)
{
    const struct geo_cfg *cfg = s->loops->cfg;
    bool single = cfg->preds[block->index].count == 1 && cfg->succs[block->index].count == 1;
    return single ? cfg->succs[block->index].blocks[0] : NULL;
}

/* Returns whether a branch leads to two cases of a load. */
static bool has_cases(const struct search *s, const struct geo_ir_inst *branch)
{
    const struct geo_ir_block *rest = behind(s, branch->targets[0]);
    return geo_agreement_asks(branch) && rest && rest == behind(s, branch->targets[1]) &&
           !has_effect(branch->targets[1]) && kind_of(s, branch->operands[0]) == GEO_SHAPE_UNIFORM;
}

/* ---- branches ---- */

static bool is_agreed(const struct search *s, const struct geo_ir_block *block)
{
    const struct geo_cfg_edges *succs = &s->loops->cfg->succs[block->index];
    const struct geo_loop *inner = s->loops->of[block->index], *outer = inner;
    if (s->effects[block->index] || block->last->op != SpvOpBranchConditional ||
        succs->count != 2 || s->loops->position[block->index] > s->first_end ||
        (!s->shapes->divergent_branch[block->index] && !has_cases(s, block->last))) {
        return false;
    }
    for (uint32_t i = 0; inner && i < succs->count; i++) {
        if (!geo_loop_contains(s->loops, inner, succs->blocks[i]) ||
            succs->blocks[i] == inner->header) {
            return false;
        }
    }
    while (outer && outer->parent) {
        outer = outer->parent;
    }
    return s->shapes->divergent_branch[block->index]
               ? is_border(s, outer, block->last->operands[0], DEPTH_LIMIT)
               : is_invariant(s, outer, block->last->operands[0], DEPTH_LIMIT);
}

bool geo_agreement_find(const struct geo_loops *loops, const struct geo_shapes *shapes,
                        struct geo_arena *arena, bool **agreed)
{
    struct search s = {.loops = loops, .shapes = shapes, .first_end = UINT32_MAX};
    uint32_t blocks = loops->cfg->block_count, count = 0;
    bool *found = geo_arena_new_array(arena, bool, blocks + 1);
    s.effects = geo_arena_new_array(arena, bool, blocks + 1);
    *agreed = NULL;
    if (!found || !s.effects) {
        return false;
    }
    for (uint32_t i = 0; i < loops->count; i++) {
        const struct geo_loop *loop = loops->loops[i];
        uint32_t end = loops->position[loop->header->index] + loop->block_count - 1;
        s.first_end = end < s.first_end ? end : s.first_end;
    }
    effects_spread(&s);
    for (uint32_t i = 0; i < loops->cfg->reachable_count; i++) {
        const struct geo_ir_block *block = loops->order[i];
        found[block->index] = is_agreed(&s, block);
        count += found[block->index];
    }
    *agreed = count ? found : NULL;
    return true;
}
