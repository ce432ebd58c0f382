/* Lowers casts between types of the same size, including pointers and handles. If the parts of
 * operand and result have different sizes, they are joined or split as integers. */
#include "compiler/lower/instruction/bitcast.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/instruction/dense.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

static uint32_t component_bits(const struct geo_ir_type *type)
{
    const struct geo_ir_type *component = geo_ir_scalar_of(type);
    if (component->kind == GEO_TYPE_POINTER || component->kind == GEO_TYPE_OPAQUE) {
        return 64;
    }
    return component->kind == GEO_TYPE_INT || component->kind == GEO_TYPE_FLOAT ? component->width
                                                                                : 0;
}

static LLVMValueRef part_as_bits(struct geo_lower_function *f, LLVMValueRef value)
{
    if (LLVMGetTypeKind(geo_type_element(value)) == LLVMPointerTypeKind) {
        return LLVMBuildPtrToInt(f->llvm.builder, value, geo_type_like(value, geo_type_int(f, 64)),
                                 "");
    }
    return geo_emit_to_bits(f, value);
}

static LLVMValueRef part_from_bits(struct geo_lower_function *f, LLVMValueRef bits,
                                   const struct geo_ir_type *type)
{
    LLVMTypeRef element = geo_type_of(f, geo_ir_scalar_of(type));
    LLVMTypeRef wide = geo_type_like(bits, element);
    switch (LLVMGetTypeKind(element)) {
    case LLVMPointerTypeKind:
        return LLVMBuildIntToPtr(f->llvm.builder, bits, wide, "");
    case LLVMIntegerTypeKind:
        return bits;
    default:
        return LLVMBuildBitCast(f->llvm.builder, bits, wide, "");
    }
}

LLVMValueRef geo_instruction_bitcast_join(struct geo_lower_function *f,
                                          struct geo_ir_value *operand, uint32_t first,
                                          uint32_t count, bool as_scalar)
{
    LLVMValueRef result = NULL;
    uint32_t bits = component_bits(operand->type);
    GEO_ASSERT(count >= 1 && bits * count <= 64);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef part = part_as_bits(f, geo_value_operand(f, operand, first + i, as_scalar));
        part = geo_emit_zext(f, part, bits * count);
        if (i > 0) {
            part = LLVMBuildShl(f->llvm.builder, part,
                                geo_emit_const_like(part, (uint64_t)bits * i), "");
            part = LLVMBuildOr(f->llvm.builder, result, part, "");
        }
        result = part;
    }
    return result;
}

bool geo_instruction_bitcast(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_ir_value *operand = inst->operands[0];
    const struct geo_ir_type *type = inst->value.type;
    uint32_t from = component_bits(operand->type), to = component_bits(type);
    uint32_t from_count = geo_part_count(operand->type);
    uint32_t to_count = geo_part_count(type);
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    bool resizes = inst->op != SpvOpBitcast && from_count == to_count;
    if (!from || !to || (!resizes && (uint64_t)from * from_count != (uint64_t)to * to_count)) {
        geo_state_error(f, inst, "operand and result have different sizes");
        return false;
    }
    if (geo_instruction_dense_bitcast(f, inst)) {
        return true;
    }
    LLVMTypeRef element = geo_type_of(f, geo_ir_scalar_of(type));
    for (uint32_t part = 0; part < to_count; part++) {
        LLVMValueRef bits;
        if (from == to && element == geo_type_of(f, geo_ir_scalar_of(operand->type))) {
            geo_value_set_wide(f, inst, part, geo_value_operand(f, operand, part, as_scalar));
            continue;
        }
        if (resizes || from == to) {
            bits = part_as_bits(f, geo_value_operand(f, operand, part, as_scalar));
            bits = geo_emit_zext(f, bits, to);
        } else if (from < to) {
            uint32_t count = to / from;
            bits = geo_instruction_bitcast_join(f, operand, part * count, count, as_scalar);
        } else {
            uint32_t count = from / to;
            bits = part_as_bits(f, geo_value_operand(f, operand, part / count, as_scalar));
            bits = LLVMBuildLShr(f->llvm.builder, bits,
                                 geo_emit_const_like(bits, (uint64_t)to * (part % count)), "");
            bits = geo_emit_zext(f, bits, to);
        }
        geo_value_set_wide(f, inst, part, part_from_bits(f, bits, type));
    }
    return true;
}
