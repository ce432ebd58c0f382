/* Implements the state of one LLVM function: creation, shapes, end. */
#include "compiler/lower/cpu/function/begin.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/ambient.h"
#include "compiler/lower/cpu/frame/clip.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/instance/instance.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/value/value.h"

bool geo_function_init(struct geo_lower_function *f, struct geo_lower *lower,
                       struct geo_lower_code *code, uint32_t lanes,
                       struct geo_lower_callees *callees, struct geo_arena *arena)
{
    GEO_ASSERT(lanes && (lanes & (lanes - 1)) == 0 && lanes <= GEO_LOWER_LANES_LIMIT);
    GEO_ASSERT(lanes == 1 || code->canonical);
    *f = (struct geo_lower_function){.lower = lower,
                                     .module = lower->module,
                                     .function = code->function,
                                     .options = lower->options,
                                     .context = lower->context,
                                     .llvm_module = lower->llvm_module,
                                     .lanes = lanes,
                                     .log = lower->log,
                                     .arena = arena};
    f->frame = geo_arena_new(arena, struct geo_lower_frame);
    f->values = geo_arena_new_array(arena, struct geo_lower_value, code->function->value_count + 1);
    if (!f->frame || !f->values) {
        f->no_memory = f->failed = true;
        return false;
    }
    f->frame->code = code;
    f->frame->callees = callees;
    f->builder = LLVMCreateBuilderInContext(lower->context);
    f->allocas = LLVMCreateBuilderInContext(lower->context);
    return true;
}

void geo_function_begin(struct geo_lower_function *f, LLVMValueRef llvm_function)
{
    GEO_ASSERT(!LLVMGetFirstBasicBlock(llvm_function)); /* each function is emitted once */
    f->llvm_function = llvm_function;
    LLVMBasicBlockRef entry = geo_emit_block_last(f, "entry");
    LLVMBasicBlockRef start = geo_emit_block_last(f, "start");
    LLVMPositionBuilderAtEnd(f->allocas, entry);
    LLVMPositionBuilderBefore(f->allocas, LLVMBuildBr(f->allocas, start));
    LLVMPositionBuilderAtEnd(f->builder, start);
}

static bool find_patterns(struct geo_lower_function *f)
{
    f->patterns = geo_arena_new(f->arena, struct geo_patterns);
    return f->patterns && geo_patterns_init(f->patterns, f->function, f->shapes, NULL, f->arena);
}

bool geo_function_shapes(struct geo_lower_function *f, const struct geo_shapes *shapes)
{
    GEO_ASSERT(shapes->lanes == f->lanes && !f->frame->tile);
    f->shapes = shapes;
    f->mask = NULL;
    if (f->lanes > 1 && !find_patterns(f)) {
        geo_state_no_memory(f);
        return false;
    }
    if (!geo_linear_plan(&f->frame->code->loops, shapes, f->arena, &f->frame->plan)) {
        geo_state_no_memory(f);
        return false;
    }
    if (f->frame->plan.too_large) {
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
    if (f->frame->regions.count) {
        if (!geo_frame_cut_make(f)) {
            return false;
        }
        geo_frame_clips_find(f);
    }
    return true;
}

void geo_function_finish(struct geo_lower_function *f)
{
    if (f->builder) {
        LLVMDisposeBuilder(f->builder);
    }
    if (f->allocas) {
        LLVMDisposeBuilder(f->allocas);
    }
}
