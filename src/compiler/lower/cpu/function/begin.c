/* Implements the state of one LLVM function: creation, shapes, end. */
#include "compiler/lower/cpu/function/begin.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/ambient.h"
#include "compiler/lower/cpu/frame/clip.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/instance/instance.h"
#include "compiler/lower/debug/debug.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/value/value.h"

bool geo_function_init(struct geo_lower_function *f, struct geo_lower *lower,
                       struct geo_lower_code *code, uint32_t lanes,
                       struct geo_lower_callees *callees, struct geo_arena *arena)
{
    GEO_ASSERT(lanes == 1 || code->canonical);
    geo_state_function_init(f, lower, code->function, lanes, arena);
    f->frame = geo_arena_new(arena, struct geo_lower_frame);
    f->values = geo_arena_new_array(arena, struct geo_lower_value, code->function->value_count + 1);
    if (!f->frame || !f->values) {
        f->no_memory = f->failed = true;
        return false;
    }
    f->frame->code = code;
    f->frame->callees = callees;
    f->llvm.builder = LLVMCreateBuilderInContext(lower->context);
    f->llvm.allocas = LLVMCreateBuilderInContext(lower->context);
    return true;
}

void geo_function_begin(struct geo_lower_function *f, LLVMValueRef llvm_function)
{
    GEO_ASSERT(!LLVMGetFirstBasicBlock(llvm_function)); /* each function is emitted once */
    f->llvm.function = llvm_function;
    LLVMBasicBlockRef entry = geo_emit_block_last(f, "entry");
    LLVMBasicBlockRef start = geo_emit_block_last(f, "start");
    LLVMPositionBuilderAtEnd(f->llvm.allocas, entry);
    LLVMPositionBuilderBefore(f->llvm.allocas, LLVMBuildBr(f->llvm.allocas, start));
    LLVMPositionBuilderAtEnd(f->llvm.builder, start);
    geo_debug_function(f);
}

static bool find_patterns(struct geo_lower_function *f)
{
    struct geo_patterns *aligned = geo_arena_new(f->arena, struct geo_patterns);
    f->body.patterns = geo_arena_new(f->arena, struct geo_patterns);
    f->body.aligned = aligned;
    if (!f->body.patterns || !aligned ||
        !geo_patterns_init(aligned, f->function, f->body.shapes, NULL, f->arena)) {
        return false;
    }
    aligned->aligns = true;
    return geo_patterns_init(f->body.patterns, f->function, f->body.shapes, NULL, f->arena);
}

bool geo_function_shapes(struct geo_lower_function *f, const struct geo_shapes *shapes)
{
    GEO_ASSERT(shapes->lanes == f->lanes && !f->frame->body.tile);
    f->body.shapes = shapes;
    f->body.mask = NULL;
    if (f->lanes > 1 &&
        (!find_patterns(f) || !geo_dense_choose(&f->frame->code->dense, &f->frame->code->loops,
                                                shapes, f->arena, &f->dense))) {
        geo_state_no_memory(f);
        return false;
    }
    if (!geo_linear_plan(&f->frame->code->loops, shapes, f->arena, &f->frame->body.plan)) {
        geo_state_no_memory(f);
        return false;
    }
    if (f->frame->body.plan.too_large) {
        char label[256];
        geo_state_error(
            f, NULL,
            "error: %s: the control flow is too complex: too many blocks wait for others "
            "at the same time. -ze-opt-disable may help: work-items run one at a time.",
            geo_state_label(&f->function->value, label, sizeof(label)));
        return false;
    }
    if (!geo_frame_ambient_find(f) || !geo_frame_layout_make(f, &f->frame->layout)) {
        return false;
    }
    if (f->frame->split.regions.count) {
        if (!geo_frame_cut_make(f)) {
            return false;
        }
        geo_frame_clips_find(f);
    }
    return true;
}

void geo_function_finish(struct geo_lower_function *f)
{
    if (f->llvm.builder) {
        LLVMDisposeBuilder(f->llvm.builder);
    }
    if (f->llvm.allocas) {
        LLVMDisposeBuilder(f->llvm.allocas);
    }
}
