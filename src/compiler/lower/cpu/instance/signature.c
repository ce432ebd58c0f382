/* Builds the LLVM types of functions that were not inlined, and converts masks and results; see
 * signature.h. */
#include "compiler/lower/cpu/instance/signature.h"

#include "base/assert.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/state/parts.h"

static LLVMTypeRef wide_type(struct geo_lower_function *f, const struct geo_ir_type *type,
                             uint32_t part, uint32_t lanes)
{
    LLVMTypeRef scalar = geo_type_of(f, geo_part_type(type, part));
    return lanes > 1 ? LLVMVectorType(scalar, lanes) : scalar;
}

/* Returns the type in which a part of the result is passed. Floats are passed as integers
 * (llvm_faults.def, FLOATS_IN_RESULT). */
static LLVMTypeRef result_part_type(struct geo_lower_function *f, const struct geo_ir_type *type,
                                    uint32_t part, uint32_t lanes)
{
    LLVMTypeRef wide = wide_type(f, type, part, lanes);
    if (!(f->options->target.llvm_faults & GEO_LLVM_FLOATS_IN_RESULT)) {
        return wide;
    }
    switch (LLVMGetTypeKind(wide)) {
    case LLVMFloatTypeKind:
        return LLVMInt32TypeInContext(f->llvm.context);
    case LLVMDoubleTypeKind:
        return LLVMInt64TypeInContext(f->llvm.context);
    default:
        return wide;
    }
}

static LLVMTypeRef result_type(struct geo_lower_function *f, const struct geo_ir_type *type,
                               uint32_t lanes)
{
    uint32_t count = geo_part_count(type);
    if (count == 0) {
        return LLVMVoidTypeInContext(f->llvm.context);
    }
    LLVMTypeRef *parts = geo_arena_new_array(f->arena, LLVMTypeRef, count);
    if (count > GEO_PARTS_LIMIT || !parts) {
        geo_state_no_memory(f);
        return LLVMVoidTypeInContext(f->llvm.context);
    }
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = result_part_type(f, type, i, lanes);
    }
    return LLVMStructTypeInContext(f->llvm.context, parts, count, 0);
}

LLVMTypeRef geo_signature_type(struct geo_lower_function *f, const struct geo_ir_type *result,
                               const struct geo_ir_type *const *parameters,
                               uint32_t parameter_count, uint32_t lanes)
{
    uint64_t count = geo_signature_first_argument(lanes);
    for (uint32_t i = 0; i < parameter_count; i++) {
        count += geo_part_count(parameters[i]);
    }
    LLVMTypeRef *types = geo_arena_new_array(f->arena, LLVMTypeRef, count);
    if (count > GEO_PARTS_LIMIT || !types) {
        geo_state_no_memory(f);
        return NULL;
    }
    uint32_t at = 0;
    while (at < GEO_CALL_MASK) {
        types[at++] = geo_type_ptr(f);
    }
    if (lanes > 1) {
        types[at++] = geo_type_i64(f);
    }
    for (uint32_t i = 0; i < parameter_count; i++) {
        for (uint32_t part = 0; part < geo_part_count(parameters[i]); part++) {
            types[at++] = wide_type(f, parameters[i], part, lanes);
        }
    }
    GEO_ASSERT(at == count);
    return LLVMFunctionType(result_type(f, result, lanes), types, (unsigned)count, 0);
}

LLVMTypeRef geo_signature_type_of(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                  uint32_t lanes)
{
    GEO_ASSERT(inst->operand_count >= 1);
    uint32_t count = inst->operand_count - 1;
    const struct geo_ir_type **types =
        geo_arena_new_array(f->arena, const struct geo_ir_type *, count);
    if (!types) {
        geo_state_no_memory(f);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        types[i] = inst->operands[1 + i]->type;
    }
    return geo_signature_type(f, inst->value.type, types, count, lanes);
}

LLVMValueRef geo_signature_result(struct geo_lower_function *f, LLVMValueRef call, uint32_t part,
                                  LLVMTypeRef type)
{
    return LLVMBuildBitCast(f->llvm.builder, LLVMBuildExtractValue(f->llvm.builder, call, part, ""),
                            type, "");
}

LLVMValueRef geo_signature_mask(struct geo_lower_function *f)
{
    LLVMValueRef bits = geo_emit_mask_bits(f, geo_emit_mask_active(f));
    return LLVMBuildZExtOrBitCast(f->llvm.builder, bits, geo_type_i64(f), "");
}

LLVMValueRef geo_signature_mask_parameter(struct geo_lower_function *f)
{
    LLVMValueRef bits = LLVMGetParam(f->llvm.function, GEO_CALL_MASK);
    GEO_ASSERT(f->lanes > 1 && LLVMTypeOf(bits) == geo_type_i64(f));
    bits = LLVMBuildTruncOrBitCast(f->llvm.builder, bits,
                                   LLVMIntTypeInContext(f->llvm.context, f->lanes), "");
    return LLVMBuildBitCast(f->llvm.builder, bits, geo_type_mask(f), "mask");
}
