/* Finds the barriers of a kernel. See barriers.h. */
#include "compiler/analysis/barriers.h"

#include "base/assert.h"

bool geo_barrier_is_group_wide(const struct geo_ir_inst *inst)
{
    uint64_t scope;
    if (inst->op != SpvOpControlBarrier) {
        return false;
    }
    return !geo_ir_constant_bits(inst->operands[0], &scope) || scope <= SpvScopeWorkgroup;
}

bool geo_barrier_is_device_wide(const struct geo_ir_inst *inst)
{
    uint64_t scope;
    return inst->op == SpvOpControlBarrier && geo_ir_constant_bits(inst->operands[0], &scope) &&
           scope == SpvScopeDevice;
}

bool geo_barrier_is_possible(const struct geo_ir_inst *inst)
{
    uint64_t scope;
    return geo_ir_constant_bits(inst->operands[0], &scope) && scope >= SpvScopeDevice &&
           scope <= SpvScopeInvocation;
}

static bool ends_at_barrier(const struct geo_ir_block *block)
{
    const struct geo_ir_inst *before = block->last ? block->last->prev : NULL;
    return before && geo_barrier_is_group_wide(before);
}

bool geo_barriers_find(const struct geo_ir_function *function, struct geo_arena *arena,
                       struct geo_barriers *out)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, function) {
        count += ends_at_barrier(block);
    }
    out->count = 0;
    out->resume = geo_arena_new_array(arena, struct geo_ir_block *, count + 1);
    out->device = geo_arena_new_array(arena, bool, count + 1);
    out->any_device = false;
    out->of = geo_arena_new_array(arena, uint32_t, function->block_count);
    if (!out->resume || !out->device || !out->of) {
        return false;
    }
    geo_ir_for_each_block(block, function) {
        out->of[block->index] = GEO_CFG_NONE;
        if (ends_at_barrier(block)) {
            out->of[block->index] = out->count;
            out->device[out->count] = geo_barrier_is_device_wide(block->last->prev);
            out->any_device |= out->device[out->count];
            GEO_ASSERT(block->last->op == SpvOpBranch); /* canonical form */
            out->resume[out->count++] = block->last->targets[0];
        }
    }
    return true;
}
