/* Lowers operations that combine the components of vectors: dot products, any and all.
 *
 * Integer dot products (SPV_KHR_integer_dot_product) take components, or the four bytes of a 32-bit
 * integer. These are widened to the result's type, multiplied and summed, optionally with a
 * saturating accumulator. */
#include "compiler/lower/instruction/dot.h"

#include "base/assert.h"
#include "compiler/lower/arith/arith.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/instruction/dense.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

/* The variant of an integer dot product. */
struct dot {
    bool first_signed, second_signed, accumulates;
};

static struct dot dot_kind(SpvOp op)
{
    struct dot kind = {
        .first_signed = op != SpvOpUDot && op != SpvOpUDotAccSat,
        .second_signed = op == SpvOpSDot || op == SpvOpSDotAccSat,
        .accumulates = op >= SpvOpSDotAccSat,
    };
    return kind;
}

static LLVMValueRef widen(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits,
                          bool is_signed)
{
    return is_signed ? geo_emit_sext(f, value, bits) : geo_emit_zext(f, value, bits);
}

/* Returns component i of an operand, which is a part or a byte of a packed operand. */
static LLVMValueRef component(struct geo_lower_function *f, struct geo_ir_value *operand,
                              uint32_t i, bool packed, bool as_scalar)
{
    if (!packed) {
        return geo_value_operand(f, operand, i, as_scalar);
    }
    GEO_ASSERT(i < 4 && operand->type->kind == GEO_TYPE_INT && operand->type->width == 32);
    LLVMValueRef word = geo_value_operand(f, operand, 0, as_scalar);
    word = LLVMBuildLShr(f->llvm.builder, word, geo_emit_const_like(word, 8u * i), "");
    return geo_emit_zext(f, word, 8);
}

/* Emits a packed dot product by an instruction of the target. Returns NULL if the target has
 * none. */
static LLVMValueRef packed_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                               const struct dot *kind)
{
    const struct geo_lower_arch *arch = f->options->target.arch;
    return arch->dot ? arch->dot(f, geo_value_operand(f, inst->operands[0], 0, false),
                                 geo_value_operand(f, inst->operands[1], 0, false),
                                 kind->first_signed, kind->second_signed)
                     : NULL;
}

/* Emits a dot product component by component. */
static LLVMValueRef components_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                   const struct dot *kind, bool packed, bool as_scalar)
{
    uint32_t count = packed ? 4 : geo_part_count(inst->operands[0]->type);
    uint32_t bits = inst->value.type->width;
    LLVMValueRef sum = NULL;
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef a = component(f, inst->operands[0], i, packed, as_scalar);
        LLVMValueRef b = component(f, inst->operands[1], i, packed, as_scalar);
        LLVMValueRef product = LLVMBuildMul(f->llvm.builder, widen(f, a, bits, kind->first_signed),
                                            widen(f, b, bits, kind->second_signed), "");
        sum = sum ? LLVMBuildAdd(f->llvm.builder, sum, product, "") : product;
    }
    return sum;
}

bool geo_instruction_integer_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct dot kind = dot_kind(inst->op);
    if (inst->operand_count != 2u + kind.accumulates || inst->value.type->kind != GEO_TYPE_INT) {
        geo_state_error(f, inst,
                        "the number of operands is wrong, or the result is not an integer");
        return false;
    }
    const struct geo_ir_type *type = inst->operands[0]->type;
    bool packed = type->kind == GEO_TYPE_INT;
    if ((packed && type->width != 32) || geo_ir_scalar_of(type)->kind != GEO_TYPE_INT ||
        geo_part_count(inst->operands[1]->type) != geo_part_count(type)) {
        geo_state_error(
            f, inst, "the operands are not integer vectors of the same size, or 32-bit integers");
        return false;
    }
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    LLVMValueRef sum = NULL;
    if (packed && !as_scalar && f->lanes > 1 && inst->value.type->width == 32) {
        sum = packed_dot(f, inst, &kind);
    }
    if (!sum) {
        sum = components_dot(f, inst, &kind, packed, as_scalar);
    }
    if (kind.accumulates) {
        LLVMValueRef args[2] = {sum, geo_value_operand(f, inst->operands[2], 0, as_scalar)};
        sum = geo_emit_intrinsic(f, kind.first_signed ? "llvm.sadd.sat" : "llvm.uadd.sat", args, 2);
    }
    geo_value_set_wide(f, inst, 0, sum);
    return true;
}

/* Sums the products in order and rounds each product and each sum. */
bool geo_instruction_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    static const struct geo_operation multiply = {
        .flags = GEO_OPERATION_FLOAT, .operand_count = 2, .emit = geo_arith_emit};
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    uint32_t count = geo_part_count(inst->operands[0]->type);
    if (count != geo_part_count(inst->operands[1]->type)) {
        geo_state_error(f, inst, "the operands are vectors of different sizes");
        return false;
    }
    LLVMValueRef sum = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct geo_emit e = {.f = f, .inst = inst, .op = SpvOpFMul, .count = 2};
        e.flags = inst->value.flags;
        e.type = e.from = inst->value.type;
        e.v[0] = geo_value_operand(f, inst->operands[0], i, as_scalar);
        e.v[1] = geo_value_operand(f, inst->operands[1], i, as_scalar);
        LLVMValueRef product = geo_arith_operation_emit(&e, &multiply);
        if (sum) {
            e.op = SpvOpFAdd;
            e.type = e.from = inst->value.type;
            e.v[0] = sum;
            e.v[1] = product;
            product = geo_arith_operation_emit(&e, &multiply);
        }
        sum = product;
    }
    if (!sum) {
        geo_state_error(f, inst, "the operands are vectors without components");
        return false;
    }
    geo_value_set_wide(f, inst, 0, sum);
    return true;
}

bool geo_instruction_any_all(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (geo_instruction_dense_any_all(f, inst)) {
        return true;
    }
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    uint32_t count = geo_part_count(inst->operands[0]->type);
    LLVMValueRef result = geo_value_operand(f, inst->operands[0], 0, as_scalar);
    for (uint32_t i = 1; i < count; i++) {
        LLVMValueRef next = geo_value_operand(f, inst->operands[0], i, as_scalar);
        result = inst->op == SpvOpAny ? LLVMBuildOr(f->llvm.builder, result, next, "")
                                      : LLVMBuildAnd(f->llvm.builder, result, next, "");
    }
    geo_value_set_wide(f, inst, 0, result);
    return true;
}
