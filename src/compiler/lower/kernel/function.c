/* The state of one LLVM function while it is emitted: made, given shapes, finished. */
#include "compiler/lower/frame/frame.h"

#include <stdlib.h>

bool geo_lower_function_init(struct geo_lower_function *f, struct geo_lower *lower,
                             struct geo_lower_code *code, uint32_t lanes, struct geo_arena *arena)
{
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
    f->builder = LLVMCreateBuilderInContext(lower->context);
    f->frame->allocas = LLVMCreateBuilderInContext(lower->context);
    return true;
}

void geo_lower_function_begin(struct geo_lower_function *f, LLVMValueRef llvm_function)
{
    f->llvm_function = llvm_function;
    LLVMBasicBlockRef entry = geo_lower_block(f, "entry");
    LLVMBasicBlockRef start = geo_lower_block(f, "start");
    LLVMPositionBuilderAtEnd(f->frame->allocas, entry);
    LLVMPositionBuilderBefore(f->frame->allocas, LLVMBuildBr(f->frame->allocas, start));
    LLVMPositionBuilderAtEnd(f->builder, start);
}

bool geo_lower_function_shapes(struct geo_lower_function *f, const struct geo_shapes *shapes)
{
    f->shapes = shapes;
    f->mask = NULL;
    if (!geo_linear_plan(&f->frame->code->loops, shapes, f->arena, &f->frame->plan)) {
        geo_lower_no_memory(f);
        return false;
    }
    return geo_lower_ambient_find(f) && geo_lower_layout_make(f, &f->frame->layout);
}

void geo_lower_function_finish(struct geo_lower_function *f)
{
    if (!f->frame) {
        return;
    }
    if (f->builder) {
        LLVMDisposeBuilder(f->builder);
    }
    if (f->frame->allocas) {
        LLVMDisposeBuilder(f->frame->allocas);
    }
    free(f->frame->callees.items);
}

LLVMValueRef geo_lower_worker(struct geo_lower_function *f)
{
    return f->frame->worker;
}

LLVMValueRef geo_lower_launch(struct geo_lower_function *f)
{
    return f->frame->launch;
}

LLVMValueRef geo_lower_scratch(struct geo_lower_function *f)
{
    LLVMValueRef address =
        geo_lower_offset(f, f->frame->worker, offsetof(struct geo_worker, scratch));
    return LLVMBuildLoad2(f->builder, geo_lower_ptr(f), address, "scratch");
}
