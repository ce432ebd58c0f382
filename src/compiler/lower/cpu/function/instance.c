/* Emits the LLVM function of an instance (cpu/instance/instance.h): parameters, the body for one
 * chunk, results. cpu/module.c calls it for every requested instance. */
#include "compiler/lower/cpu/function/instance.h"

#include "base/assert.h"
#include "compiler/lower/cpu/control/body.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/cpu/function/begin.h"
#include "compiler/lower/cpu/instance/signature.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

static void set_parameters(struct geo_lower_function *f, uint32_t first)
{
    for (uint32_t i = 0; i < f->function->parameter_count; i++) {
        const struct geo_ir_value *parameter = f->function->parameters[i];
        for (uint32_t part = 0; part < geo_part_count(parameter->type); part++) {
            geo_value_set_value(f, parameter, part, LLVMGetParam(f->llvm.function, first++));
        }
    }
    GEO_ASSERT(f->failed || first == LLVMCountParams(f->llvm.function));
}

static void emit_return(struct geo_lower_function *f, LLVMTypeRef type)
{
    if (!f->frame->results) {
        LLVMBuildRetVoid(f->llvm.builder);
        return;
    }
    LLVMValueRef result = LLVMGetPoison(type);
    for (uint32_t i = 0; i < LLVMCountStructElementTypes(type); i++) {
        LLVMValueRef part = LLVMBuildLoad2(f->llvm.builder, LLVMStructGetTypeAtIndex(type, i),
                                           f->frame->results[i], "");
        result = LLVMBuildInsertValue(f->llvm.builder, result, part, i, "");
    }
    LLVMBuildRet(f->llvm.builder, result);
}

static bool make_results(struct geo_lower_function *f, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind) {
        return true;
    }
    uint32_t count = LLVMCountStructElementTypes(type);
    f->frame->results = geo_arena_new_array(f->arena, LLVMValueRef, count);
    for (uint32_t i = 0; f->frame->results && i < count; i++) {
        LLVMTypeRef part = LLVMStructGetTypeAtIndex(type, i);
        f->frame->results[i] = geo_emit_alloca(f, part, "result");
        LLVMBuildStore(f->llvm.builder, LLVMGetPoison(part), f->frame->results[i]);
    }
    return f->frame->results != NULL;
}

static bool instance_body(struct geo_lower_function *f, struct geo_lower_instance *instance)
{
    struct geo_lower_frame *frame = f->frame;
    LLVMTypeRef type = LLVMGetReturnType(instance->type);
    f->frame->contract.launch = LLVMGetParam(f->llvm.function, GEO_CALL_LAUNCH);
    f->frame->contract.worker = LLVMGetParam(f->llvm.function, GEO_CALL_WORKER);
    frame->contract.memory = LLVMGetParam(f->llvm.function, GEO_CALL_MEMORY);
    frame->contract.context = LLVMGetParam(f->llvm.function, GEO_CALL_CONTEXT);
    frame->body.base_mask = f->lanes > 1 ? geo_signature_mask_parameter(f) : NULL;
    f->frame->contract.scratch = geo_frame_launch_scratch(f);
    frame->contract.callee_memory =
        geo_emit_offset_const(f, frame->contract.memory, frame->layout.frame_bytes);
    geo_frame_ids_launch(f, NULL);
    geo_frame_ids_context_load(f, frame->contract.context, &frame->ids);
    set_parameters(f, geo_signature_first_argument(f->lanes));
    if (!make_results(f, type)) {
        geo_state_no_memory(f);
        return false;
    }
    geo_control_body(f, NULL);
    if (!f->failed) {
        emit_return(f, type);
    }
    return !f->failed;
}

bool geo_function_instance_emit(struct geo_lower *lower, struct geo_lower_instance *instance)
{
    struct geo_lower_function f;
    struct geo_arena arena;
    struct geo_shapes shapes;
    GEO_ASSERT(!LLVMGetFirstBasicBlock(instance->function) && !instance->measured);
    const struct geo_shape_options options = {
        .lanes = instance->lanes, .linear = instance->linear, .parameters_varying = true};
    geo_arena_init(&arena, GEO_LOWER_ARENA_LIMIT);
    bool good =
        geo_function_init(&f, lower, instance->code, instance->lanes, &instance->callees, &arena) &&
        geo_shapes_compute(&instance->code->loops, &options, &arena, &shapes);
    if (good) {
        geo_function_begin(&f, instance->function);
        good = geo_function_shapes(&f, &shapes) && instance_body(&f, instance);
        instance->frame_bytes = f.frame->layout.frame_bytes;
    }
    lower->no_memory |= !good && (f.no_memory || !f.failed);
    geo_function_finish(&f);
    geo_arena_finish(&arena);
    return good;
}
