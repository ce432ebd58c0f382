/* Functions that were not inlined.
 *
 *     {results} f(arguments part by part, offset x, y, z, work_dim)
 *
 * A pointer to a function is its address. Services of the host are not available yet. */
#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/simt/simt.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

#include <stdio.h>

static LLVMTypeRef result_type(struct geo_lower_function *f, const struct geo_ir_type *type)
{
    uint32_t count = geo_part_count(type);
    if (count == 0) {
        return LLVMVoidTypeInContext(f->llvm.context);
    }
    LLVMTypeRef *parts =
        count > GEO_PARTS_LIMIT ? NULL : geo_arena_new_array(f->arena, LLVMTypeRef, count);
    if (!parts) {
        geo_state_no_memory(f);
        return LLVMVoidTypeInContext(f->llvm.context);
    }
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = geo_type_of(f, geo_part_type(type, i));
    }
    return LLVMStructTypeInContext(f->llvm.context, parts, count, 0);
}

LLVMTypeRef geo_simt_call_signature(struct geo_lower_function *f, const struct geo_ir_type *result,
                                    const struct geo_ir_type *const *parameters, uint32_t count)
{
    uint64_t total = GEO_NVIDIA_PARAMETERS;
    for (uint32_t i = 0; i < count; i++) {
        total += geo_part_count(parameters[i]);
    }
    LLVMTypeRef *types =
        total > GEO_PARTS_LIMIT ? NULL : geo_arena_new_array(f->arena, LLVMTypeRef, total);
    uint32_t at = 0;
    if (!types) {
        geo_state_no_memory(f);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t part = 0; part < geo_part_count(parameters[i]); part++) {
            types[at++] = geo_type_of(f, geo_part_type(parameters[i], part));
        }
    }
    for (uint32_t i = 0; i < GEO_NVIDIA_PARAMETERS; i++) {
        types[at++] = i == GEO_NVIDIA_WORK_DIM ? geo_type_i32(f) : geo_type_i64(f);
    }
    return LLVMFunctionType(result_type(f, result), types, at, 0);
}

/* Returns the declaration of a function, and requests its body on the first call. */
static LLVMValueRef function_get(struct geo_lower_function *f, struct geo_lower_code *code)
{
    struct geo_lower_module_frame *module = f->lower->frame;
    const struct geo_ir_type *type = code->function->value.type;
    if (module->functions[code->index]) {
        return module->functions[code->index];
    }
    LLVMTypeRef signature =
        geo_simt_call_signature(f, type->element, type->members, (uint32_t)type->count);
    char name[32];
    snprintf(name, sizeof(name), "geoid.f%u", code->index);
    if (!signature) {
        return NULL;
    }
    LLVMValueRef function = LLVMAddFunction(f->llvm.module, name, signature);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    module->functions[code->index] = function;
    module->queue[module->queued++] = code;
    return function;
}

LLVMValueRef geo_simt_call_function_address(struct geo_lower_function *f,
                                            const struct geo_ir_function *function)
{
    struct geo_lower_code *code = geo_state_code_find(f->lower, function);
    LLVMValueRef found = code ? function_get(f, code) : NULL;
    if (!found && !f->failed) {
        geo_state_error(f, NULL, "error: the address of a function without a body is not known");
    }
    return found ? found : LLVMGetPoison(geo_type_ptr(f));
}

/* Emits a call with the operands of the instruction behind the callee. */
static bool call_emit(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                      LLVMTypeRef type, LLVMValueRef function)
{
    uint32_t count = LLVMCountParamTypes(type), at = 0;
    LLVMValueRef *arguments = geo_arena_new_array(f->arena, LLVMValueRef, count);
    if (!arguments) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        for (uint32_t part = 0; part < geo_part_count(inst->operands[i]->type); part++) {
            GEO_ASSERT(at < count);
            arguments[at++] = geo_value_scalar(f, inst->operands[i], part);
        }
    }
    for (uint32_t i = 0; i < GEO_NVIDIA_PARAMETERS; i++) {
        arguments[at++] = f->frame->launch[i];
    }
    GEO_ASSERT(at == count);
    LLVMValueRef call = LLVMBuildCall2(f->llvm.builder, type, function, arguments, count, "");
    for (uint32_t part = 0; part < geo_part_count(inst->value.type); part++) {
        geo_value_set(f, inst, part, LLVMBuildExtractValue(f->llvm.builder, call, part, ""));
    }
    return !f->failed;
}

bool geo_simt_call(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_function *function = geo_ir_as_function(inst->operands[0]);
    struct geo_lower_code *code = function ? geo_state_code_find(f->lower, function) : NULL;
    if (!code) {
        geo_state_error(f, inst, "call of a function without a body (%s)",
                        function && function->linkage_name ? function->linkage_name : "unnamed");
        return false;
    }
    LLVMValueRef callee = function_get(f, code);
    return callee && call_emit(f, inst, LLVMGlobalGetValueType(callee), callee);
}

bool geo_simt_call_pointer(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t count = inst->operand_count - 1;
    const struct geo_ir_type **types =
        geo_arena_new_array(f->arena, const struct geo_ir_type *, count + 1);
    if (!types) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        types[i] = inst->operands[i + 1]->type;
    }
    LLVMTypeRef type = geo_simt_call_signature(f, inst->value.type, types, count);
    return type && call_emit(f, inst, type, geo_value_scalar(f, inst->operands[0], 0));
}

bool geo_simt_call_print(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    geo_state_error(f, inst, "printf is not supported on this machine yet");
    return false;
}

bool geo_simt_call_assert_fail(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    geo_state_error(f, inst, "assert is not supported on this machine yet");
    return false;
}
