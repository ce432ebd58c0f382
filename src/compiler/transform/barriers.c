/* Blocks end at barriers: a barrier is the last thing that its block does before it branches to a
 * block of its own, where the work-items go on (analysis/barriers.h). The last pass. */
#include "compiler/transform/internal.h"

#include "compiler/analysis/barriers.h"

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

static bool function_split(struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (geo_barrier_is_group_wide(inst)) {
                if (!block_split(inst)) {
                    return false;
                }
                break; /* the rest is in the next block now */
            }
        }
    }
    return true;
}

ze_result_t geo_transform_barriers(struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        if (!function_split(function)) {
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    return ZE_RESULT_SUCCESS;
}
