/* Builds the edge lists and the reverse postorder of a function. See cfg.h.
 *
 * Edges are stored in two shared arrays, one slice per block. The depth-first walk uses an explicit
 * stack, so that deep graphs cannot overflow the C stack. */
#include "compiler/analysis/cfg.h"

#include "base/assert.h"
#include "compiler/ir/grammar.h"

/* Calls `visit` once for each distinct edge. `seen[target]` holds 1 + the last source. */
static void edges_visit(struct geo_cfg *cfg, uint32_t *seen,
                        void (*visit)(struct geo_cfg *cfg, struct geo_ir_block *from,
                                      struct geo_ir_block *to))
{
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        seen[i] = 0;
    }
    geo_ir_for_each_block(block, cfg->function) {
        const struct geo_ir_inst *last = block->last;
        for (uint32_t i = 0; last && i < last->target_count; i++) {
            GEO_ASSERT(last->targets[i]->function == cfg->function &&
                       last->targets[i]->index < cfg->block_count);
            if (!geo_op_is(last->op, GEO_IS_TERMINATOR) ||
                seen[last->targets[i]->index] == block->index + 1) {
                continue;
            }
            seen[last->targets[i]->index] = block->index + 1;
            visit(cfg, block, last->targets[i]);
        }
    }
}

static void edge_count(struct geo_cfg *cfg, struct geo_ir_block *from, struct geo_ir_block *to)
{
    cfg->succs[from->index].count++;
    cfg->preds[to->index].count++;
}

static void edge_add(struct geo_cfg *cfg, struct geo_ir_block *from, struct geo_ir_block *to)
{
    struct geo_cfg_edges *succs = &cfg->succs[from->index];
    struct geo_cfg_edges *preds = &cfg->preds[to->index];
    succs->places[succs->count] = preds->count;
    succs->blocks[succs->count++] = to;
    preds->blocks[preds->count++] = from;
}

static bool edges_build(struct geo_cfg *cfg, struct geo_arena *arena)
{
    uint32_t *seen = geo_arena_new_array(arena, uint32_t, cfg->block_count);
    if (!seen) {
        return false;
    }
    edges_visit(cfg, seen, edge_count);
    size_t total = 0;
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        total += cfg->succs[i].count;
    }
    struct geo_ir_block **slots = geo_arena_new_array(arena, struct geo_ir_block *, 2 * total);
    uint32_t *places = geo_arena_new_array(arena, uint32_t, total);
    if (!slots || !places) {
        return false;
    }
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        cfg->succs[i].blocks = slots;
        slots += cfg->succs[i].count;
        cfg->succs[i].places = places;
        places += cfg->succs[i].count;
        cfg->preds[i].blocks = slots;
        slots += cfg->preds[i].count;
        cfg->succs[i].count = cfg->preds[i].count = 0;
    }
    edges_visit(cfg, seen, edge_add);
    return true;
}

static bool order_build(struct geo_cfg *cfg, struct geo_arena *arena)
{
    struct frame {
        uint32_t block, next;
    } *stack = geo_arena_new_array(arena, struct frame, cfg->block_count);
    struct geo_ir_block **postorder =
        geo_arena_new_array(arena, struct geo_ir_block *, cfg->block_count);
    if (!stack || !postorder) {
        return false;
    }
    const uint32_t visited = GEO_CFG_NONE - 1;
    uint32_t depth = 0, count = 0;
    stack[depth++] = (struct frame){cfg->function->first_block->index, 0};
    cfg->position[stack[0].block] = visited;
    while (depth > 0) {
        struct frame *top = &stack[depth - 1];
        const struct geo_cfg_edges *succs = &cfg->succs[top->block];
        if (top->next < succs->count) {
            /* Targets are visited in reverse, so that the reverse postorder has them in the
               terminator's order. */
            uint32_t target = succs->blocks[succs->count - 1 - top->next++]->index;
            if (cfg->position[target] == GEO_CFG_NONE) {
                cfg->position[target] = visited;
                GEO_ASSERT(depth < cfg->block_count);
                stack[depth++] = (struct frame){target, 0};
            }
            continue;
        }
        GEO_ASSERT(count < cfg->block_count);
        postorder[count++] = cfg->blocks[top->block];
        depth--;
    }
    GEO_ASSERT(count > 0 && postorder[count - 1] == cfg->function->first_block);
    cfg->reachable_count = count;
    cfg->order = postorder;
    for (uint32_t i = 0; i < count / 2; i++) {
        struct geo_ir_block *swapped = postorder[i];
        postorder[i] = postorder[count - 1 - i];
        postorder[count - 1 - i] = swapped;
    }
    for (uint32_t i = 0; i < count; i++) {
        cfg->position[cfg->order[i]->index] = i;
    }
    return true;
}

bool geo_cfg_build(struct geo_ir_function *function, struct geo_arena *arena, struct geo_cfg *out)
{
    struct geo_cfg cfg = {.function = function};
    if (!function->first_block) {
        *out = cfg;
        return true;
    }
    cfg.block_count = function->block_count;
    cfg.blocks = geo_arena_new_array(arena, struct geo_ir_block *, cfg.block_count);
    cfg.preds = geo_arena_new_array(arena, struct geo_cfg_edges, cfg.block_count);
    cfg.succs = geo_arena_new_array(arena, struct geo_cfg_edges, cfg.block_count);
    cfg.position = geo_arena_new_array(arena, uint32_t, cfg.block_count);
    if (!cfg.blocks || !cfg.preds || !cfg.succs || !cfg.position) {
        return false;
    }
    geo_ir_for_each_block(block, function) {
        GEO_ASSERT(block->index < cfg.block_count && !cfg.blocks[block->index]);
        cfg.blocks[block->index] = block;
        cfg.position[block->index] = GEO_CFG_NONE;
    }
    if (!edges_build(&cfg, arena) || !order_build(&cfg, arena)) {
        return false;
    }
    *out = cfg;
    return true;
}

static void phi_sort(const struct geo_ir_inst *phi, const struct geo_cfg_edges *preds,
                     const uint32_t *place, struct geo_ir_value **scratch)
{
    GEO_ASSERT(phi->operand_count == preds->count && phi->target_count == preds->count);
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        scratch[place[phi->targets[i]->index]] = phi->operands[i];
    }
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        GEO_ASSERT(scratch[i] && scratch[i]->type == phi->value.type);
        phi->operands[i] = scratch[i];
        phi->targets[i] = preds->blocks[i];
    }
}

bool geo_cfg_sort_phis(const struct geo_cfg *cfg, struct geo_arena *arena)
{
    uint32_t *place = geo_arena_new_array(arena, uint32_t, cfg->block_count);
    struct geo_ir_value **scratch =
        geo_arena_new_array(arena, struct geo_ir_value *, cfg->block_count);
    if (!place || !scratch) {
        return false;
    }
    for (uint32_t b = 0; b < cfg->block_count; b++) {
        const struct geo_cfg_edges *preds = &cfg->preds[b];
        const struct geo_ir_inst *phi = cfg->blocks[b]->first;
        for (uint32_t i = 0; phi && phi->op == SpvOpPhi && i < preds->count; i++) {
            place[preds->blocks[i]->index] = i;
        }
        for (; phi && phi->op == SpvOpPhi; phi = phi->next) {
            phi_sort(phi, preds, place, scratch);
        }
    }
    return true;
}
