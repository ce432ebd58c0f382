/* Finds phis that can share a variable. See coalesce.h.
 *
 *     a = phi ...
 *     if (c)
 *         x = f(a)
 *     b = phi(a, x)
 *
 * The phi b continues the phi a if nothing behind the conditional reads a, except phis at its end.
 * Then the value of a is dead when b is set. The value of b is dead when a is set again, because
 * the block of a dominates that of b. */
#include "compiler/analysis/coalesce.h"

/* Returns whether the block is one side of a conditional: it has no phis, one predecessor and one
 * successor. */
static bool is_side(const struct geo_cfg *cfg, const struct geo_ir_block *block)
{
    return cfg->preds[block->index].count == 1 && cfg->succs[block->index].count == 1 &&
           block->first->op != SpvOpPhi;
}

/* Returns the block where a conditional with one side, at the end of `block`, ends, or NULL. */
static struct geo_ir_block *end_of(const struct geo_cfg *cfg, const struct geo_ir_block *block)
{
    const struct geo_cfg_edges *succs = &cfg->succs[block->index];
    for (uint32_t i = 0; i < 2 && succs->count == 2; i++) {
        struct geo_ir_block *side = succs->blocks[i], *end = succs->blocks[1 - i];
        if (is_side(cfg, side) && cfg->succs[side->index].blocks[0] == end && end != block &&
            cfg->preds[end->index].count == 2) {
            return end;
        }
    }
    return NULL;
}

/* Returns whether a use at `at` of a phi of `block` comes before the end of its conditional. */
static bool is_early(const struct geo_cfg *cfg, const struct geo_ir_block *block,
                     const struct geo_ir_block *at)
{
    const struct geo_cfg_edges *preds = &cfg->preds[at->index];
    return at == block || (is_side(cfg, at) && preds->blocks[0] == block);
}

/* Marks the phis that `user` reads behind the end of their conditional. A phi reads its operand at
 * the end of the predecessor. */
static void late_mark(const struct geo_cfg *cfg, const struct geo_ir_inst *user, bool *late)
{
    for (uint32_t i = 0; i < user->operand_count; i++) {
        const struct geo_ir_inst *phi = geo_ir_as_inst(user->operands[i]);
        const struct geo_ir_block *at = user->op == SpvOpPhi ? user->targets[i] : user->block;
        if (phi && phi->op == SpvOpPhi) {
            late[phi->value.index] |= !is_early(cfg, phi->block, at);
        }
    }
}

/* Lets a phi of `end` continue the first phi of `block` that it reads and no other phi continues. */
static void phi_continue(const struct geo_ir_block *block, const struct geo_ir_inst *phi,
                         bool *taken, const struct geo_ir_inst **first)
{
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        const struct geo_ir_inst *before = geo_ir_as_inst(phi->operands[i]);
        if (before && before->op == SpvOpPhi && before->block == block &&
            !taken[before->value.index]) {
            taken[before->value.index] = true;
            first[phi->value.index] =
                first[before->value.index] ? first[before->value.index] : before;
            return;
        }
    }
}

bool geo_coalesce_phis(const struct geo_cfg *cfg, struct geo_arena *arena,
                       const struct geo_ir_inst ***first)
{
    const uint32_t count = cfg->function->value_count + 1;
    /* set for phis that are read late, and for those that another phi continues */
    bool *taken = geo_arena_new_array(arena, bool, count);
    *first = geo_arena_new_array(arena, const struct geo_ir_inst *, count);
    if (!taken || !*first) {
        return false;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            late_mark(cfg, inst, taken);
        }
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        const struct geo_ir_block *end = end_of(cfg, cfg->order[i]);
        for (const struct geo_ir_inst *phi = end ? end->first : NULL; phi && phi->op == SpvOpPhi;
             phi = phi->next) {
            phi_continue(cfg->order[i], phi, taken, *first);
        }
    }
    return true;
}
