/* Lowers operations that combine the components of vectors: dot products, any and all.
 *
 * Integer dot products (SPV_KHR_integer_dot_product) take components, or the four bytes of a 32-bit
 * integer. These are widened to the result's type, multiplied and summed, optionally with a
 * saturating accumulator. Vectors whose lanes are held as 32-bit words (emit/dense.h), and packed
 * bytes, use the target's instructions. */
#include "compiler/lower/instruction/dot.h"

#include "base/assert.h"
#include "compiler/ir/dot.h"
#include "compiler/lower/arith/arith.h"
#include "compiler/lower/emit/dense.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/instruction/bitcast.h"
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

/* Returns small integer i of `bits` bits in each 32-bit element. */
static LLVMValueRef word_component(struct geo_lower_function *f, LLVMValueRef word, uint32_t i,
                                   uint32_t bits)
{
    GEO_ASSERT(bits * i < 32);
    word = LLVMBuildLShr(f->llvm.builder, word, geo_emit_const_like(word, bits * i), "");
    return geo_emit_zext(f, word, bits);
}

/* Adds a product of two components to a sum, which may be NULL. */
static LLVMValueRef multiply_add(struct geo_lower_function *f, LLVMValueRef sum, LLVMValueRef a,
                                 LLVMValueRef b, uint32_t bits, const struct dot *kind)
{
    LLVMValueRef product = LLVMBuildMul(f->llvm.builder, widen(f, a, bits, kind->first_signed),
                                        widen(f, b, bits, kind->second_signed), "");
    return sum ? LLVMBuildAdd(f->llvm.builder, sum, product, "") : product;
}

/* ---- word by word ---- */

/* Returns the words of 32 bits that an operand consists of. */
static uint32_t word_count(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT ? 1 : (uint32_t)type->count * type->element->width / 32;
}

/* Returns one word of all lanes of an operand. */
static LLVMValueRef operand_word(struct geo_lower_function *f, struct geo_ir_value *operand,
                                 uint32_t word)
{
    if (operand->type->kind == GEO_TYPE_INT) {
        return geo_value_operand(f, operand, 0, false);
    }
    uint32_t count = word_count(operand->type), each = (uint32_t)operand->type->count / count;
    if (!geo_value_is_dense(f, operand)) {
        bool uniform = geo_value_is_uniform(f, operand);
        LLVMValueRef bits = geo_instruction_bitcast_join(f, operand, word * each, each, uniform);
        return uniform ? geo_lanes_splat(f, bits) : bits;
    }
    LLVMTypeRef type = geo_type_wide(geo_type_i32(f), f->lanes * count);
    LLVMValueRef words = LLVMBuildBitCast(f->llvm.builder, geo_value_dense(f, operand), type, "");
    return count == 1 ? words : geo_emit_dense_part(f, words, count, word);
}

/* Returns whether to compute a dot product of vectors word by word: an operand is held as words. */
static bool has_words(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    return geo_dot_has_words(inst->op, inst->operands[0]->type, inst->value.type->width) &&
           (geo_value_is_dense(f, inst->operands[0]) || geo_value_is_dense(f, inst->operands[1]));
}

LLVMValueRef geo_instruction_word_dot(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                                      uint32_t bits, bool a_signed, bool b_signed)
{
    const struct geo_lower_arch *arch = f->options->target.arch;
    const struct dot kind = {.first_signed = a_signed, .second_signed = b_signed};
    LLVMValueRef sum = arch->dot ? arch->dot(f, a, b, bits, a_signed, b_signed) : NULL;
    for (uint32_t i = 0, count = sum ? 0 : 32 / bits; i < count; i++) {
        sum = multiply_add(f, sum, word_component(f, a, i, bits), word_component(f, b, i, bits), 32,
                           &kind);
    }
    return sum;
}

/* Returns whether the sum of an operand's components (arch.h) can be shared. That of a constant is
 * a constant. The rows of a tile most often share the operand that varies between lanes. */
static bool sum_pays(struct geo_lower_function *f, const struct geo_ir_value *operand)
{
    return operand->kind == GEO_VALUE_CONSTANT || !geo_value_is_uniform(f, operand);
}

static LLVMValueRef words_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                              const struct dot *kind)
{
    const struct geo_ir_type *type = inst->operands[0]->type;
    uint32_t bits = type->kind == GEO_TYPE_INT ? 8 : type->element->width;
    bool swaps = kind->first_signed == kind->second_signed && sum_pays(f, inst->operands[1]) &&
                 !sum_pays(f, inst->operands[0]);
    LLVMValueRef sum = NULL;
    for (uint32_t i = 0; i < word_count(type); i++) {
        LLVMValueRef a = operand_word(f, inst->operands[swaps], i);
        LLVMValueRef b = operand_word(f, inst->operands[!swaps], i);
        LLVMValueRef dot =
            geo_instruction_word_dot(f, a, b, bits, kind->first_signed, kind->second_signed);
        sum = sum ? LLVMBuildAdd(f->llvm.builder, sum, dot, "") : dot;
    }
    return sum;
}

/* ---- component by component ---- */

/* Returns component i of an operand, which is a part or a byte of a packed operand. */
static LLVMValueRef component(struct geo_lower_function *f, struct geo_ir_value *operand,
                              uint32_t i, bool packed, bool as_scalar)
{
    GEO_ASSERT(!packed || operand->type->width == 32);
    return packed ? word_component(f, geo_value_operand(f, operand, 0, as_scalar), i, 8)
                  : geo_value_operand(f, operand, i, as_scalar);
}

static LLVMValueRef components_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                   const struct dot *kind, bool packed, bool as_scalar)
{
    uint32_t count = packed ? 4 : geo_part_count(inst->operands[0]->type);
    LLVMValueRef sum = NULL;
    for (uint32_t i = 0; i < count; i++) {
        sum = multiply_add(f, sum, component(f, inst->operands[0], i, packed, as_scalar),
                           component(f, inst->operands[1], i, packed, as_scalar),
                           inst->value.type->width, kind);
    }
    return sum;
}

/* ---- all dot products ---- */

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
    bool by_word = packed ? inst->value.type->width == 32 : has_words(f, inst);
    LLVMValueRef sum = by_word && !as_scalar && f->lanes > 1
                           ? words_dot(f, inst, &kind)
                           : components_dot(f, inst, &kind, packed, as_scalar);
    if (kind.accumulates) {
        LLVMValueRef args[2] = {sum, geo_value_operand(f, inst->operands[2], 0, as_scalar)};
        sum = geo_emit_intrinsic(f, kind.first_signed ? "llvm.sadd.sat" : "llvm.uadd.sat", args, 2);
    }
    geo_value_set_wide(f, inst, 0, sum);
    return true;
}

/* ---- dot products of floats ---- */

/* Returns the sum or the product of two operands, which may be dense vectors. */
static LLVMValueRef float_operation(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                    SpvOp op, LLVMValueRef a, LLVMValueRef b)
{
    static const struct geo_operation operation = {
        .flags = GEO_OPERATION_FLOAT, .operand_count = 2, .emit = geo_arith_emit};
    struct geo_emit e = {.f = f, .inst = inst, .op = op, .count = 2, .v = {a, b}};
    e.flags = inst->value.flags;
    e.type = e.from = inst->value.type;
    return geo_arith_operation_emit(&e, &operation);
}

/* Computes the products of all components as they lie in memory, and takes the result apart once
 * instead of both operands. */
static bool dense_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t count = geo_part_count(inst->operands[0]->type);
    if (!geo_value_is_dense(f, inst->operands[0]) || !geo_value_is_dense(f, inst->operands[1]) ||
        geo_value_as_scalar(f, &inst->value)) {
        return false;
    }
    LLVMValueRef products =
        float_operation(f, inst, SpvOpFMul, geo_value_dense(f, inst->operands[0]),
                        geo_value_dense(f, inst->operands[1]));
    LLVMValueRef parts[GEO_EMIT_DENSE_COMPONENTS], sum;
    bool ordered = geo_emit_dense_parts(f, products, count, parts);
    sum = parts[0];
    for (uint32_t i = 1; i < count; i++) {
        sum = float_operation(f, inst, SpvOpFAdd, sum, parts[i]);
    }
    geo_value_set(f, inst, 0, ordered ? sum : geo_emit_dense_order(f, sum, count));
    return true;
}

/* Sums the products in order and rounds each product and each sum. */
bool geo_instruction_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    uint32_t count = geo_part_count(inst->operands[0]->type);
    if (count != geo_part_count(inst->operands[1]->type)) {
        geo_state_error(f, inst, "the operands are vectors of different sizes");
        return false;
    }
    if (dense_dot(f, inst)) {
        return true;
    }
    LLVMValueRef sum = NULL;
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef product = float_operation(
            f, inst, SpvOpFMul, geo_value_operand(f, inst->operands[0], i, as_scalar),
            geo_value_operand(f, inst->operands[1], i, as_scalar));
        sum = sum ? float_operation(f, inst, SpvOpFAdd, sum, product) : product;
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
