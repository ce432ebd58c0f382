/* Simplifies branches and blocks: constant branches become unconditional, a block with a single
 * predecessor is merged into it, empty blocks are bypassed. See simplify.h. */
#include "compiler/transform/simplify/simplify.h"

#include "compiler/ir/debug.h"

#include <stdlib.h>

/* ---- branches ---- */

/* Replaces a terminator by a branch to one of its targets. The phis of the other targets still name
 * the block. */
static bool branch_replace(struct geo_pass *pass, struct geo_ir_inst *inst,
                           struct geo_ir_block *target)
{
    struct geo_ir_inst *branch = geo_make(pass, inst, SpvOpBranch, pass->type_void, 0, 0, 1);
    if (!branch) {
        return false;
    }
    branch->targets[0] = target;
    geo_ir_inst_remove(inst);
    return true;
}

static bool only_unreachable(const struct geo_ir_block *block)
{
    return block->first->op == SpvOpUnreachable;
}

/* Returns the only target of a terminator that can be taken; NULL: there are several. */
static struct geo_ir_block *single_target(const struct geo_ir_inst *inst)
{
    uint64_t bits;
    if (inst->op == SpvOpBranchConditional) {
        if (inst->targets[0] == inst->targets[1]) {
            return inst->targets[0];
        }
        if (geo_ir_constant_bits(inst->operands[0], &bits)) {
            return inst->targets[bits ? 0 : 1];
        }
        if (only_unreachable(inst->targets[0])) {
            return inst->targets[1];
        }
        return only_unreachable(inst->targets[1]) ? inst->targets[0] : NULL;
    }
    if (inst->op != SpvOpSwitch) {
        return NULL;
    }
    if (geo_ir_constant_bits(inst->operands[0], &bits)) {
        for (uint32_t i = 1; i < inst->target_count; i++) {
            uint64_t value = inst->literals[2 * i - 2] | (uint64_t)inst->literals[2 * i - 1] << 32;
            if (value == bits) {
                return inst->targets[i];
            }
        }
        return inst->targets[0];
    }
    for (uint32_t i = 1; i < inst->target_count; i++) {
        if (inst->targets[i] != inst->targets[0]) {
            return NULL;
        }
    }
    return inst->targets[0];
}

/* Removes the cases of a switch that lead to its default target. */
static bool switch_drop_default(struct geo_ir_inst *inst)
{
    uint32_t kept = 1;
    for (uint32_t i = 1; i < inst->target_count; i++) {
        if (inst->targets[i] != inst->targets[0]) {
            inst->targets[kept] = inst->targets[i];
            inst->literals[2 * kept - 2] = inst->literals[2 * i - 2];
            inst->literals[2 * kept - 1] = inst->literals[2 * i - 1];
            kept++;
        }
    }
    bool changed = kept != inst->target_count;
    inst->target_count = kept;
    inst->literal_count = 2 * (kept - 1);
    return changed;
}

/* If the default cannot run, one of the cases becomes the default. */
static bool switch_trim(struct geo_ir_inst *inst)
{
    bool changed = switch_drop_default(inst);
    if (inst->target_count > 1 && only_unreachable(inst->targets[0])) {
        inst->targets[0] = inst->targets[inst->target_count - 1];
        switch_drop_default(inst);
        changed = true;
    }
    return changed;
}

static bool branches_fold(struct geo_pass *pass, struct geo_ir_function *function, bool *changed)
{
    bool replaced = false;
    geo_ir_for_each_block(block, function) {
        struct geo_ir_inst *last = block->last;
        struct geo_ir_block *target = single_target(last);
        if (target) {
            if (!branch_replace(pass, last, target)) {
                return false;
            }
            replaced = *changed = true;
        } else if (last->op == SpvOpSwitch) {
            *changed |= switch_trim(last);
        }
    }
    return !replaced || geo_phis_trim(pass, function);
}

/* ---- blocks ---- */

/* Merges blocks into their only predecessor, if they are its only successor. The predecessor
 * precedes the block in the order, so blocks that others were merged into remain. */
static bool blocks_merge(struct geo_pass *pass, const struct geo_cfg *cfg, bool *changed)
{
    struct geo_ir_block **joined =
        geo_arena_new_array(&pass->arena, struct geo_ir_block *, cfg->block_count);
    bool any = false;
    if (!joined) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        struct geo_ir_block *block = cfg->order[i];
        if (!block->last) {
            continue; /* merged into another block */
        }
        while (block->last->op == SpvOpBranch) {
            struct geo_ir_block *next = block->last->targets[0];
            if (next == block || cfg->preds[next->index].count != 1 ||
                next == block->function->first_block) {
                break;
            }
            for (struct geo_ir_inst *phi = next->first, *after; phi && phi->op == SpvOpPhi;
                 phi = after) {
                after = phi->next;
                phi->value.forward = phi->operands[0];
                geo_ir_inst_remove(phi);
            }
            geo_ir_inst_remove(block->last);
            geo_block_move_insts(next->first, block);
            geo_ir_block_remove(next);
            joined[next->index] = block;
            any = *changed = true;
        }
    }
    geo_ir_for_each_block(block, cfg->function) {
        if (any) {
            geo_phis_follow(block, joined);
        }
    }
    return true;
}

/* Successors sorted by index, one slice per block as in geo_cfg.succs. Look-ups need not walk over
 * the targets of a large switch. */
struct edges {
    uint32_t *start, *sorted;
};

static int index_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool edges_sort(const struct geo_cfg *cfg, struct geo_arena *arena, struct edges *out)
{
    size_t total = 0;
    out->start = geo_arena_new_array(arena, uint32_t, (size_t)cfg->block_count + 1);
    for (uint32_t b = 0; out->start && b < cfg->block_count; b++) {
        out->start[b] = (uint32_t)total;
        total += cfg->succs[b].count;
    }
    out->sorted = geo_arena_new_array(arena, uint32_t, total);
    if (!out->start || !out->sorted) {
        return false;
    }
    for (uint32_t b = 0; b < cfg->block_count; b++) {
        const struct geo_cfg_edges *succs = &cfg->succs[b];
        uint32_t *piece = out->sorted + out->start[b];
        for (uint32_t s = 0; s < succs->count; s++) {
            piece[s] = succs->blocks[s]->index;
        }
        qsort(piece, succs->count, sizeof(*piece), index_compare);
    }
    return true;
}

static bool edges_have(const struct edges *edges, const struct geo_cfg *cfg, uint32_t from,
                       uint32_t to)
{
    return bsearch(&to, edges->sorted + edges->start[from], cfg->succs[from].count, sizeof(to),
                   index_compare) != NULL;
}

static bool is_loop_header(const struct geo_cfg *cfg, const struct geo_ir_block *block)
{
    const struct geo_cfg_edges *preds = &cfg->preds[block->index];
    for (uint32_t p = 0; p < preds->count; p++) {
        uint32_t position = cfg->position[preds->blocks[p]->index];
        if (position != GEO_CFG_NONE && position >= cfg->position[block->index]) {
            return true;
        }
    }
    return false;
}

/* Returns whether edges through an empty block can go to its target directly. If the target has
 * phis, no predecessor of the block may already lead to it. Loop headers stay: the target may be
 * the header of another loop, and both would become one loop, whose lanes meet only at its end. */
static bool can_pass_by(const struct geo_cfg *cfg, const struct edges *edges,
                        const struct geo_ir_block *block, const struct geo_ir_block *target)
{
    const struct geo_cfg_edges *preds = &cfg->preds[block->index];
    if (target == block || block == block->function->first_block || preds->count == 0 ||
        block->first->op != SpvOpBranch || is_loop_header(cfg, block)) {
        return false;
    }
    if (target->first->op != SpvOpPhi) {
        return true;
    }
    /* Limited to few predecessors, since each phi is searched once per predecessor. */
    if (preds->count > 8) {
        return false;
    }
    for (uint32_t p = 0; p < preds->count; p++) {
        if (edges_have(edges, cfg, preds->blocks[p]->index, target->index)) {
            return false;
        }
    }
    return true;
}

/* Moves the phi's value of an empty block to that block's predecessors. */
static bool phi_pass_by(struct geo_pass *pass, struct geo_ir_inst *phi,
                        const struct geo_cfg_edges *preds, const struct geo_ir_block *block)
{
    struct geo_ir_value *value = phi->operands[geo_phi_find(phi, block)];
    struct geo_ir_inst *wider =
        geo_make(pass, phi, SpvOpPhi, phi->value.type, phi->operand_count + preds->count - 1, 0,
                 phi->operand_count + preds->count - 1);
    if (!wider) {
        return false;
    }
    wider->operand_count = wider->target_count = 0;
    wider->value.name = phi->value.name;
    wider->value.id = phi->value.id;
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        if (phi->targets[i] != block) {
            geo_phi_add(wider, phi->operands[i], phi->targets[i]);
        }
    }
    for (uint32_t i = 0; i < preds->count; i++) {
        geo_phi_add(wider, value, preds->blocks[i]);
    }
    phi->value.forward = &wider->value;
    geo_ir_inst_remove(phi);
    return true;
}

/* Moves the debug records of an empty block to its target. If the target has other predecessors,
 * the records do not hold there, so the variables are unknown. Later records of the target, such as
 * those of phis, say more. */
static void records_pass_by(const struct geo_cfg *cfg, struct geo_ir_block *block,
                            struct geo_ir_block *target)
{
    struct geo_ir_inst *behind = target->first;
    while (behind->op == SpvOpPhi) {
        behind = behind->next;
    }
    if (cfg->preds[target->index].count > 1) {
        geo_ir_for_each_record(record, block->first)
        {
            geo_ir_record_lose(record);
        }
    }
    geo_ir_records_move(block->first, behind);
}

static bool block_pass_by(struct geo_pass *pass, const struct geo_cfg *cfg,
                          struct geo_ir_block *block, struct geo_ir_block *target)
{
    const struct geo_cfg_edges *preds = &cfg->preds[block->index];
    for (struct geo_ir_inst *phi = target->first, *next; phi && phi->op == SpvOpPhi; phi = next) {
        next = phi->next;
        if (!phi_pass_by(pass, phi, preds, block)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < preds->count; i++) {
        struct geo_ir_inst *last = preds->blocks[i]->last;
        for (uint32_t t = 0; t < last->target_count; t++) {
            if (last->targets[t] == block) {
                last->targets[t] = target;
            }
        }
    }
    records_pass_by(cfg, block, target);
    geo_ir_block_remove(block);
    return true;
}

/* Removes empty blocks that are not adjacent to each other, since the graph is not updated within a
 * round. */
static bool empty_blocks_remove(struct geo_pass *pass, struct geo_ir_function *function,
                                bool *changed)
{
    struct geo_cfg cfg;
    geo_ir_function_number(function);
    struct edges edges;
    bool *touched = geo_arena_new_array(&pass->arena, bool, function->block_count);
    if (!touched || !geo_cfg_build(function, &pass->arena, &cfg) ||
        !edges_sort(&cfg, &pass->arena, &edges)) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 0; i < cfg.reachable_count; i++) {
        struct geo_ir_block *block = cfg.order[i];
        struct geo_ir_block *target =
            block->last->op == SpvOpBranch ? block->last->targets[0] : NULL;
        if (!target || touched[block->index] || touched[target->index] ||
            !can_pass_by(&cfg, &edges, block, target)) {
            continue;
        }
        const struct geo_cfg_edges *preds = &cfg.preds[block->index];
        bool free = true;
        for (uint32_t p = 0; p < preds->count; p++) {
            free &= !touched[preds->blocks[p]->index];
        }
        if (!free) {
            continue;
        }
        if (!block_pass_by(pass, &cfg, block, target)) {
            return false;
        }
        touched[block->index] = touched[target->index] = true;
        for (uint32_t p = 0; p < preds->count; p++) {
            touched[preds->blocks[p]->index] = true;
        }
        *changed = true;
    }
    return true;
}

bool geo_simplify_cfg(struct geo_pass *pass, struct geo_ir_function *function, bool *changed)
{
    struct geo_cfg cfg;
    if (!branches_fold(pass, function, changed) || !geo_remove_unreachable(pass, function)) {
        return false;
    }
    if (pass->optimize && !empty_blocks_remove(pass, function, changed)) {
        return false;
    }
    geo_ir_function_number(function);
    if (!geo_cfg_build(function, &pass->arena, &cfg)) {
        return geo_pass_no_memory(pass);
    }
    if (!blocks_merge(pass, &cfg, changed)) {
        return false;
    }
    geo_ir_function_resolve(function);
    geo_ir_function_number(function);
    return true;
}
