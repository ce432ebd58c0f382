/* Functions that were not inlined: f.wN, compiled once per width and kind of chunk, and calls.
 *
 *     {results} f.wN(launch, worker, memory, context, mask, arguments ...)
 *
 * Arguments and results are varying, part by part. `memory` is where the function's private
 * variables start, behind its caller's in the frame; `context` holds the chunk's place (i64[7]:
 * group, local, linear), from which the ids are computed again. The mask is an i64 with a bit for
 * each lane (LLVM 22.1.8 loses masks that are passed as <16 x i1> and used by gathers); at W = 1
 * there is none, and floats are returned as integers: x86-64's convention returns the third one of
 * a structure on the x87 stack, which quiets NaNs, and LLVM 22.1.8 reads them back with movss into
 * registers that movss cannot name. */
#include "compiler/lower/frame/frame.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

#define FIXED_PARAMETERS 4u /* launch, worker, memory, context */

/* ---- the type ---- */

static uint32_t mask_count(uint32_t lanes)
{
    return lanes > 1;
}

static LLVMTypeRef wide_type(struct geo_lower_function *f, const struct geo_ir_type *type,
                             uint32_t part, uint32_t lanes)
{
    LLVMTypeRef scalar = geo_lower_scalar_type(f, geo_lower_part_type(type, part));
    return lanes > 1 ? LLVMVectorType(scalar, lanes) : scalar;
}

static LLVMTypeRef result_part_type(struct geo_lower_function *f, const struct geo_ir_type *type,
                                    uint32_t part, uint32_t lanes)
{
    LLVMTypeRef wide = wide_type(f, type, part, lanes);
    switch (LLVMGetTypeKind(wide)) {
    case LLVMFloatTypeKind:
        return LLVMInt32TypeInContext(f->context);
    case LLVMDoubleTypeKind:
        return LLVMInt64TypeInContext(f->context);
    default:
        return wide;
    }
}

static LLVMTypeRef result_type(struct geo_lower_function *f, const struct geo_ir_type *type,
                               uint32_t lanes)
{
    uint32_t count = geo_lower_part_count(type);
    if (count == 0) {
        return LLVMVoidTypeInContext(f->context);
    }
    LLVMTypeRef *parts = geo_arena_new_array(f->arena, LLVMTypeRef, count);
    if (count > GEO_LOWER_PARTS_LIMIT || !parts) {
        geo_lower_no_memory(f);
        return LLVMVoidTypeInContext(f->context);
    }
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = result_part_type(f, type, i, lanes);
    }
    return LLVMStructTypeInContext(f->context, parts, count, 0);
}

LLVMTypeRef geo_lower_call_type(struct geo_lower_function *f, const struct geo_ir_type *result,
                                const struct geo_ir_type *const *parameters,
                                uint32_t parameter_count, uint32_t lanes)
{
    uint64_t count = FIXED_PARAMETERS + mask_count(lanes);
    for (uint32_t i = 0; i < parameter_count; i++) {
        count += geo_lower_part_count(parameters[i]);
    }
    LLVMTypeRef *types = geo_arena_new_array(f->arena, LLVMTypeRef, count);
    if (count > GEO_LOWER_PARTS_LIMIT || !types) {
        geo_lower_no_memory(f);
        return NULL;
    }
    uint32_t at = 0;
    while (at < FIXED_PARAMETERS) {
        types[at++] = geo_lower_ptr(f);
    }
    if (mask_count(lanes)) {
        types[at++] = geo_lower_i64(f);
    }
    for (uint32_t i = 0; i < parameter_count; i++) {
        for (uint32_t part = 0; part < geo_lower_part_count(parameters[i]); part++) {
            types[at++] = wide_type(f, parameters[i], part, lanes);
        }
    }
    return LLVMFunctionType(result_type(f, result, lanes), types, (unsigned)count, 0);
}

/* ---- instances ---- */

static struct geo_lower_instance *instance_create(struct geo_lower_function *f,
                                                  struct geo_lower_code *code, uint32_t lanes,
                                                  bool linear)
{
    struct geo_lower *lower = f->lower;
    struct geo_lower_instance *instance = geo_arena_new(&lower->arena, struct geo_lower_instance);
    const struct geo_ir_type *signature = code->function->value.type;
    LLVMTypeRef type = instance ? geo_lower_call_type(f, signature->element, signature->members,
                                                      (uint32_t)signature->count, lanes)
                                : NULL;
    if (!type || f->failed) {
        geo_lower_no_memory(f);
        return NULL;
    }
    char name[256];
    snprintf(name, sizeof(name), "%.200s.w%u%s",
             code->function->value.name ? code->function->value.name : "function", lanes,
             linear ? "l" : "");
    *instance = (struct geo_lower_instance){.code = code,
                                            .lanes = lanes,
                                            .linear = linear,
                                            .type = type,
                                            .next_of_code = code->instances,
                                            .next_queued = lower->queue,
                                            .next = lower->instances};
    instance->function = LLVMAddFunction(lower->llvm_module, name, type);
    LLVMSetLinkage(instance->function, LLVMInternalLinkage);
    code->instances = lower->queue = lower->instances = instance;
    return instance;
}

struct geo_lower_instance *geo_lower_instance_get(struct geo_lower_function *f,
                                                  struct geo_lower_code *code, uint32_t lanes,
                                                  bool linear)
{
    for (struct geo_lower_instance *i = code->instances; i; i = i->next_of_code) {
        if (i->lanes == lanes && i->linear == linear) {
            return i;
        }
    }
    return instance_create(f, code, lanes, linear);
}

/* ---- the caller's side ---- */

LLVMValueRef geo_lower_mask_argument(struct geo_lower_function *f)
{
    LLVMValueRef bits = geo_lower_mask_bits(f, geo_lower_mask_vector(f));
    return LLVMBuildZExtOrBitCast(f->builder, bits, geo_lower_i64(f), "");
}

static bool note_callee(struct geo_lower_function *f, struct geo_lower_instance *callee)
{
    struct geo_lower_callees *callees =
        f->frame->instance ? &f->frame->instance->callees : &f->frame->callees;
    for (size_t i = 0; i < callees->count; i++) {
        if (callees->items[i] == callee) {
            return true;
        }
    }
    if (!geo_array_reserve(callees, 1)) {
        geo_lower_no_memory(f);
        return false;
    }
    callees->items[callees->count++] = callee;
    return true;
}

LLVMValueRef geo_lower_call_result(struct geo_lower_function *f, LLVMValueRef call, uint32_t part,
                                   LLVMTypeRef type)
{
    return LLVMBuildBitCast(f->builder, LLVMBuildExtractValue(f->builder, call, part, ""), type,
                            "");
}

static void set_results(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                        LLVMValueRef call)
{
    for (uint32_t part = 0; part < geo_lower_part_count(inst->value.type); part++) {
        LLVMTypeRef type = wide_type(f, inst->value.type, part, f->lanes);
        geo_lower_set(f, inst, part, geo_lower_call_result(f, call, part, type));
    }
}

/* Its code is for one work-item only: one lane after the other. */
static bool call_irreducible(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                             struct geo_lower_code *code)
{
    struct geo_lower_lane_call call;
    if (code->subgroups) {
        geo_lower_error(f, inst, "ids of sub-groups in irreducible control flow");
        return false;
    }
    struct geo_lower_instance *callee = geo_lower_instance_get(f, code, 1, false);
    if (!callee || !note_callee(f, callee) || !geo_lower_lane_call_begin(f, inst, &call)) {
        return false;
    }
    call.code = callee->function;
    call.memory = f->frame->callee_memory;
    geo_lower_lane_call_emit(f, &call);
    geo_lower_lane_call_end(f, &call);
    return !f->failed;
}

bool geo_lower_call(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_function *function = geo_ir_as_function(inst->operands[0]);
    struct geo_lower_code *code = function ? geo_lower_code_find(f->lower, function) : NULL;
    if (!code) {
        geo_lower_error(f, inst, "call of a function without a body (%s)",
                        function && function->linkage_name ? function->linkage_name : "unnamed");
        return false;
    }
    if (code->barriers.count) {
        geo_lower_error(f, inst, "call of a function that must be inlined");
        return false;
    }
    if (f->lanes > 1 && !code->canonical) {
        return call_irreducible(f, inst, code);
    }
    struct geo_lower_instance *callee =
        geo_lower_instance_get(f, code, f->lanes, f->shapes->linear);
    if (!callee || !note_callee(f, callee)) {
        return false;
    }
    uint32_t count = LLVMCountParamTypes(callee->type), at = 0;
    LLVMValueRef *arguments = geo_arena_new_array(f->arena, LLVMValueRef, count);
    if (!arguments) {
        geo_lower_no_memory(f);
        return false;
    }
    arguments[at++] = f->frame->launch;
    arguments[at++] = f->frame->worker;
    arguments[at++] = f->frame->callee_memory;
    arguments[at++] = f->frame->context;
    if (mask_count(f->lanes)) {
        arguments[at++] = geo_lower_mask_argument(f);
    }
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        uint32_t parts = geo_lower_part_count(inst->operands[i]->type);
        for (uint32_t part = 0; part < parts && at < count; part++) {
            arguments[at++] = geo_lower_vector(f, inst->operands[i], part);
        }
    }
    LLVMValueRef call =
        LLVMBuildCall2(f->builder, callee->type, callee->function, arguments, count, "");
    set_results(f, inst, call);
    return !f->failed;
}

/* ---- the function's side ---- */

static void load_context(struct geo_lower_function *f)
{
    struct geo_lower_ids *ids = &f->frame->ids;
    for (uint32_t i = 0; i < GEO_LOWER_CONTEXT_FIELDS; i++) {
        LLVMValueRef address = geo_lower_offset(f, f->frame->context, 8 * (uint64_t)i);
        LLVMValueRef value = LLVMBuildLoad2(f->builder, geo_lower_i64(f), address, "");
        if (i < 3) {
            ids->group[i] = value;
        } else if (i < 6) {
            ids->local[i - 3] = value;
        } else {
            ids->linear = value;
        }
    }
}

static void set_parameters(struct geo_lower_function *f, uint32_t first)
{
    for (uint32_t i = 0; i < f->function->parameter_count; i++) {
        const struct geo_ir_value *parameter = f->function->parameters[i];
        for (uint32_t part = 0; part < geo_lower_part_count(parameter->type); part++) {
            geo_lower_set_value(f, parameter, part, LLVMGetParam(f->llvm_function, first++));
        }
    }
}

static void emit_return(struct geo_lower_function *f, LLVMTypeRef type)
{
    if (!f->frame->results) {
        LLVMBuildRetVoid(f->builder);
        return;
    }
    LLVMValueRef result = LLVMGetPoison(type);
    for (uint32_t i = 0; i < LLVMCountStructElementTypes(type); i++) {
        LLVMValueRef part =
            LLVMBuildLoad2(f->builder, LLVMStructGetTypeAtIndex(type, i), f->frame->results[i], "");
        result = LLVMBuildInsertValue(f->builder, result, part, i, "");
    }
    LLVMBuildRet(f->builder, result);
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
        f->frame->results[i] = geo_lower_alloca(f, part, "result");
        LLVMBuildStore(f->builder, LLVMGetPoison(part), f->frame->results[i]);
    }
    return f->frame->results != NULL;
}

static LLVMValueRef mask_parameter(struct geo_lower_function *f)
{
    LLVMValueRef bits = LLVMGetParam(f->llvm_function, FIXED_PARAMETERS);
    bits =
        LLVMBuildTruncOrBitCast(f->builder, bits, LLVMIntTypeInContext(f->context, f->lanes), "");
    return LLVMBuildBitCast(f->builder, bits, geo_lower_mask_type(f), "mask");
}

static bool instance_body(struct geo_lower_function *f, struct geo_lower_instance *instance)
{
    struct geo_lower_frame *frame = f->frame;
    LLVMTypeRef type = LLVMGetReturnType(instance->type);
    frame->launch = LLVMGetParam(f->llvm_function, 0);
    frame->worker = LLVMGetParam(f->llvm_function, 1);
    frame->memory = LLVMGetParam(f->llvm_function, 2);
    frame->context = LLVMGetParam(f->llvm_function, 3);
    frame->base_mask = mask_count(f->lanes) ? mask_parameter(f) : NULL;
    frame->scratch = geo_lower_scratch(f);
    frame->callee_memory = geo_lower_offset(f, frame->memory, frame->layout.frame_bytes);
    geo_lower_ids_launch(f, NULL);
    load_context(f);
    set_parameters(f, FIXED_PARAMETERS + mask_count(f->lanes));
    if (!make_results(f, type)) {
        geo_lower_no_memory(f);
        return false;
    }
    geo_lower_body(f, NULL);
    if (!f->failed) {
        emit_return(f, type);
    }
    return !f->failed;
}

bool geo_lower_instance_emit(struct geo_lower *lower, struct geo_lower_instance *instance)
{
    struct geo_lower_function f;
    struct geo_arena arena;
    struct geo_shapes shapes;
    const struct geo_shape_options options = {
        .lanes = instance->lanes, .linear = instance->linear, .parameters_varying = true};
    geo_arena_init(&arena, GEO_LOWER_ARENA_LIMIT);
    bool good = geo_lower_function_init(&f, lower, instance->code, instance->lanes, &arena) &&
                geo_shapes_compute(&instance->code->loops, &options, &arena, &shapes);
    if (good) {
        f.frame->instance = instance;
        geo_lower_function_begin(&f, instance->function);
        good = geo_lower_function_shapes(&f, &shapes) && instance_body(&f, instance);
        instance->frame_bytes = f.frame->layout.frame_bytes;
    }
    lower->no_memory |= !good && (f.no_memory || !f.failed);
    geo_lower_function_finish(&f);
    geo_arena_finish(&arena);
    return good;
}

/* ---- private memory of call chains ---- */

/* Sums over the call graph, which has no cycles: an instance is measured after its callees. */
bool geo_lower_instance_measure(struct geo_lower_instance *root)
{
    size_t capacity = 0, depth = 0;
    struct geo_lower_instance **stack = NULL;
    if (!geo_array_grow((void **)&stack, &capacity, 1, sizeof(*stack))) {
        return false;
    }
    stack[depth++] = root;
    while (depth) {
        struct geo_lower_instance *at = stack[depth - 1];
        uint64_t deepest = 0;
        size_t unmeasured = 0;
        for (size_t i = 0; i < at->callees.count; i++) {
            struct geo_lower_instance *callee = at->callees.items[i];
            if (callee->measured) {
                deepest = callee->total_bytes > deepest ? callee->total_bytes : deepest;
                continue;
            }
            if (!geo_array_grow((void **)&stack, &capacity, depth + unmeasured + 1,
                                sizeof(*stack))) {
                free(stack);
                return false;
            }
            stack[depth + unmeasured++] = callee;
        }
        depth += unmeasured;
        if (!unmeasured) {
            at->total_bytes = at->frame_bytes + deepest;
            at->measured = true;
            depth--;
        }
    }
    free(stack);
    return true;
}

void geo_lower_instances_finish(struct geo_lower *lower)
{
    for (struct geo_lower_instance *i = lower->instances; i; i = i->next) {
        geo_array_finish(&i->callees);
    }
}
