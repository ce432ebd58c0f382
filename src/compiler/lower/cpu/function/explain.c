/* Remarks on the control flow of a kernel, as the version for small ids has it. See explain.h. */
#include "compiler/lower/cpu/function/explain.h"

#include "compiler/ir/remark.h"
#include "compiler/lower/cpu/frame/frame.h"

/* Remarks on the places where lanes part, and counts the blocks that run under masks. */
static void divergence_explain(const struct geo_lower_code *code, const struct geo_shapes *shapes)
{
    uint32_t masked = 0, blocks = code->cfg.reachable_count;
    for (uint32_t i = 0; i < blocks; i++) {
        const struct geo_ir_block *block = code->loops.order[i];
        masked += shapes->divergent_block[block->index];
        if (shapes->divergent_branch[block->index]) {
            geo_remark(code->function, block->last, "branch", NULL);
        }
    }
    for (uint32_t i = 0; i < code->loops.count; i++) {
        const struct geo_loop *loop = code->loops.loops[i];
        if (shapes->divergent_loop[loop->index]) {
            geo_remark(code->function, loop->header->last, "loop", NULL);
        }
    }
    geo_remark(code->function, NULL, "masks", "\"blocks\": %u, \"masked\": %u", blocks, masked);
}

static void barriers_explain(const struct geo_lower_code *code, const struct geo_lower_split *split)
{
    for (uint32_t i = 0; i < code->cfg.reachable_count; i++) {
        const struct geo_ir_block *block = code->loops.order[i];
        if (geo_barrier_of(&code->barriers, block) != GEO_CFG_NONE) {
            geo_remark(code->function, block->last->prev, "barrier", NULL);
        }
    }
    if (code->barriers.count) {
        geo_remark(code->function, NULL, "regions", "\"count\": %u, \"passed\": %s, \"device\": %s",
                   split->regions.count, split->passed ? "true" : "false",
                   code->barriers.any_device ? "true" : "false");
    }
}

static void calls_explain(const struct geo_lower_code *code)
{
    geo_ir_for_each_block(block, code->function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op != SpvOpFunctionCall && inst->op != SpvOpFunctionPointerCallINTEL) {
                continue;
            }
            const struct geo_ir_function *callee =
                inst->op == SpvOpFunctionCall ? geo_ir_as_function(inst->operands[0]) : NULL;
            const char *name = !callee                ? "(through a pointer)"
                               : callee->linkage_name ? callee->linkage_name
                                                      : callee->value.name;
            geo_remark_name(code->function, inst, "call", "callee", name);
        }
    }
}

void geo_function_explain(const struct geo_lower_groups *k)
{
    const struct geo_lower_frame *frame = k->f->frame;
    if (geo_remarks_wanted()) {
        divergence_explain(frame->code, &k->shapes_fit);
        barriers_explain(frame->code, &frame->split);
        calls_explain(frame->code);
    }
}
