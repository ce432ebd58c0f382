/* Finding barriers and splitting blocks at them. Called by lower/prepare.c, once per kernel. */
#include "compiler/analysis/barriers.h"

bool geo_barrier_is_group_wide(const struct geo_ir_inst *inst)
{
    uint64_t scope;
    if (inst->op != SpvOpControlBarrier) {
        return false;
    }
    return !geo_ir_constant_bits(inst->operands[0], &scope) || scope <= SpvScopeWorkgroup;
}

static void phis_renamed(struct geo_ir_block *block, const struct geo_ir_block *from,
                         struct geo_ir_block *to)
{
    for (struct geo_ir_inst *phi = block->first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        for (uint32_t i = 0; i < phi->target_count; i++) {
            if (phi->targets[i] == from) {
                phi->targets[i] = to;
            }
        }
    }
}

/* Moves everything after `barrier` into a new block and branches to it. */
static bool block_split(struct geo_ir_inst *barrier)
{
    struct geo_ir_block *block = barrier->block;
    struct geo_ir_module *module = block->function->module;
    struct geo_ir_block *resume = geo_ir_block_create(block->function, block);
    struct geo_ir_inst *branch =
        geo_ir_inst_create(module, SpvOpBranch, geo_ir_type_void(module), 0, 0, 1);
    if (!resume || !branch) {
        return false;
    }
    for (struct geo_ir_inst *inst = barrier->next, *next; inst; inst = next) {
        next = inst->next;
        geo_ir_inst_remove(inst);
        geo_ir_inst_append(resume, inst);
    }
    for (uint32_t i = 0; i < resume->last->target_count; i++) {
        phis_renamed(resume->last->targets[i], block, resume);
    }
    branch->targets[0] = resume;
    branch->word_offset = barrier->word_offset;
    branch->line = barrier->line;
    geo_ir_inst_append(block, branch);
    return true;
}

bool geo_barriers_split(struct geo_ir_function *function, struct geo_arena *arena,
                        struct geo_barriers *out)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (geo_barrier_is_group_wide(inst)) {
                if (!block_split(inst)) {
                    return false;
                }
                count++;
                break; /* the rest is in the next block now */
            }
        }
    }
    out->count = 0;
    out->resume = geo_arena_new_array(arena, struct geo_ir_block *, count + 1);
    if (!out->resume) {
        return false;
    }
    geo_ir_for_each_block(block, function) {
        const struct geo_ir_inst *before = block->last ? block->last->prev : NULL;
        if (before && geo_barrier_is_group_wide(before)) {
            out->resume[out->count++] = block->last->targets[0];
        }
    }
    return true;
}

uint32_t geo_barrier_of(const struct geo_barriers *barriers, const struct geo_ir_block *block)
{
    const struct geo_ir_inst *before = block->last ? block->last->prev : NULL;
    if (!before || !geo_barrier_is_group_wide(before)) {
        return GEO_CFG_NONE;
    }
    for (uint32_t i = 0; i < barriers->count; i++) {
        if (barriers->resume[i] == block->last->targets[0]) {
            return i;
        }
    }
    return GEO_CFG_NONE;
}
