/* Splits blocks at barriers. Afterwards a barrier is the last instruction before its block's
 * terminator, a branch to a block of its own where work-items continue (analysis/barriers.h). Only
 * the pass that sinks addresses follows (memory/sink.c). */
#include "compiler/transform/pass/pass.h"

#include "compiler/analysis/barriers.h"

/* Moves everything after `barrier` into a new block, and branches to it. */
static struct geo_ir_block *block_split(struct geo_ir_inst *barrier)
{
    struct geo_ir_block *block = barrier->block;
    struct geo_ir_module *module = block->function->module;
    struct geo_ir_block *resume = geo_ir_block_create(block->function, block);
    struct geo_ir_inst *branch =
        geo_ir_inst_create(module, SpvOpBranch, geo_ir_type_void(module), 0, 0, 1);
    if (!resume || !branch) {
        return NULL;
    }
    geo_block_move_insts(barrier->next, resume);
    branch->targets[0] = resume;
    geo_ir_inst_from(branch, barrier);
    geo_ir_inst_append(block, branch);
    return resume;
}

/* Splits a block from its last barrier to its first, so that each instruction moves once. The first
 * split determines where the block's end goes. */
static bool block_cut(struct geo_ir_block *block, struct geo_ir_block **end)
{
    struct geo_ir_inst *previous;
    for (struct geo_ir_inst *inst = block->last; inst; inst = previous) {
        previous = inst->prev;
        if (!geo_barrier_is_group_wide(inst)) {
            continue;
        }
        struct geo_ir_block *resume = block_split(inst);
        if (!resume) {
            return false;
        }
        *end = *end ? *end : resume;
    }
    return true;
}

static bool function_split(struct geo_ir_function *function, struct geo_arena *arena)
{
    geo_ir_function_number(function);
    uint32_t count = function->block_count;
    struct geo_ir_block **ends = geo_arena_new_array(arena, struct geo_ir_block *, count);
    struct geo_ir_block *next;
    if (!ends) {
        return false;
    }
    for (struct geo_ir_block *block = function->first_block; block; block = next) {
        next = block->next;
        if (!block_cut(block, &ends[block->index])) {
            return false;
        }
    }
    geo_ir_for_each_block(block, function) {
        geo_phis_follow(block, ends);
    }
    return true;
}

ze_result_t geo_transform_barriers(struct geo_ir_module *module)
{
    struct geo_arena arena;
    bool good = true;
    geo_arena_init(&arena, 0);
    geo_ir_for_each_function(function, module) {
        good = good && function_split(function, &arena);
        geo_arena_reset(&arena);
    }
    geo_arena_finish(&arena);
    return good ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}
