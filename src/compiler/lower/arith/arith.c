/* Addition, subtraction, multiplication, float division, dot products, carries and wide products.
 *
 * No nsw, nuw, nnan, ninf or contract flag is ever set: nothing here makes poison, and all widths
 * agree. Reassociation, reciprocals and ignored zero signs come from decorations only. */
#include "compiler/lower/instruction/instruction.h"

LLVMValueRef geo_emit_float_op(struct geo_lower_function *f, uint32_t flags, LLVMOpcode opcode,
                               LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef result = LLVMBuildBinOp(f->builder, opcode, a, b, "");
    LLVMFastMathFlags fast = 0;
    if (flags & GEO_VALUE_FAST_NSZ) {
        fast |= LLVMFastMathNoSignedZeros;
    }
    if (flags & GEO_VALUE_FAST_ALLOW_RECIP) {
        fast |= LLVMFastMathAllowReciprocal;
    }
    if (flags & GEO_VALUE_FAST_REASSOC) {
        fast |= LLVMFastMathAllowReassoc;
    }
    if (fast && LLVMIsAInstruction(result)) {
        LLVMSetFastMathFlags(result, fast);
    }
    return result;
}

LLVMValueRef geo_emit_arith(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->builder;
    LLVMValueRef x = e->v[0], y = e->v[1];
    switch (e->op) {
    case SpvOpSNegate:
        return LLVMBuildSub(b, geo_emit_zero_like(x), x, "");
    case SpvOpFNegate:
        if (geo_type_is_half(e->type)) {
            return LLVMBuildXor(b, x, geo_emit_const_like(x, 0x8000), "");
        }
        return LLVMBuildFNeg(b, x, "");
    case SpvOpIAdd:
        return LLVMBuildAdd(b, x, y, "");
    case SpvOpISub:
        return LLVMBuildSub(b, x, y, "");
    case SpvOpIMul:
        return LLVMBuildMul(b, x, y, "");
    case SpvOpFAdd:
        return geo_emit_float_op(f, e->flags, LLVMFAdd, x, y);
    case SpvOpFSub:
        return geo_emit_float_op(f, e->flags, LLVMFSub, x, y);
    case SpvOpFMul:
    case SpvOpVectorTimesScalar:
        return geo_emit_float_op(f, e->flags, LLVMFMul, x, y);
    case SpvOpFDiv:
        return geo_emit_float_op(f, e->flags, LLVMFDiv, x, y);
    default:
        return NULL;
    }
}

/* Components in order, each product and each sum rounded. */
bool geo_lower_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    static const struct geo_entry multiply = {
        .flags = GEO_ENTRY_FLOAT, .operand_count = 2, .emit = geo_emit_arith};
    bool as_scalar = geo_lower_as_scalar(f, &inst->value);
    uint32_t count = geo_lower_part_count(inst->operands[0]->type);
    if (count != geo_lower_part_count(inst->operands[1]->type)) {
        geo_lower_error(f, inst, "vectors of different sizes");
        return false;
    }
    LLVMValueRef sum = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct geo_emit e = {.f = f, .inst = inst, .op = SpvOpFMul, .count = 2};
        e.flags = inst->value.flags;
        e.type = e.source = inst->value.type;
        e.v[0] = geo_lower_operand(f, inst->operands[0], i, as_scalar);
        e.v[1] = geo_lower_operand(f, inst->operands[1], i, as_scalar);
        LLVMValueRef product = geo_emit_part(&e, &multiply);
        if (sum) {
            e.op = SpvOpFAdd;
            e.type = e.source = inst->value.type;
            e.v[0] = sum;
            e.v[1] = product;
            product = geo_emit_part(&e, &multiply);
        }
        sum = product;
    }
    if (!sum) {
        geo_lower_error(f, inst, "vectors without components");
        return false;
    }
    geo_lower_set_wide(f, inst, 0, sum);
    return true;
}

/* The upper 32 bits of 32 x 32, 64 of 64 x 64 and so on. 64-bit vectors have no wide product on
 * x86: they are put together from 32-bit halves. */
LLVMValueRef geo_emit_mul_high(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                               bool is_signed)
{
    LLVMBuilderRef builder = f->builder;
    uint32_t bits = geo_emit_bits(a);
    if (bits < 64 || geo_emit_lanes(a) == 1) {
        LLVMValueRef wide_a =
            is_signed ? geo_emit_sext(f, a, bits * 2) : geo_emit_zext(f, a, bits * 2);
        LLVMValueRef wide_b =
            is_signed ? geo_emit_sext(f, b, bits * 2) : geo_emit_zext(f, b, bits * 2);
        LLVMValueRef product = LLVMBuildMul(builder, wide_a, wide_b, "");
        LLVMValueRef high = LLVMBuildLShr(builder, product, geo_emit_const_like(product, bits), "");
        return geo_emit_zext(f, high, bits);
    }
    LLVMValueRef half = geo_emit_const_like(a, 32), low = geo_emit_const_like(a, 0xffffffff);
    LLVMValueRef a_low = LLVMBuildAnd(builder, a, low, "");
    LLVMValueRef b_low = LLVMBuildAnd(builder, b, low, "");
    LLVMValueRef a_high = LLVMBuildLShr(builder, a, half, "");
    LLVMValueRef b_high = LLVMBuildLShr(builder, b, half, "");
    LLVMValueRef ll = LLVMBuildMul(builder, a_low, b_low, "");
    LLVMValueRef lh = LLVMBuildMul(builder, a_low, b_high, "");
    LLVMValueRef hl = LLVMBuildMul(builder, a_high, b_low, "");
    LLVMValueRef hh = LLVMBuildMul(builder, a_high, b_high, "");
    LLVMValueRef middle = LLVMBuildAdd(builder, lh, LLVMBuildLShr(builder, ll, half, ""), "");
    LLVMValueRef cross = LLVMBuildAdd(builder, hl, LLVMBuildAnd(builder, middle, low, ""), "");
    LLVMValueRef high = LLVMBuildAdd(builder, hh, LLVMBuildLShr(builder, middle, half, ""), "");
    high = LLVMBuildAdd(builder, high, LLVMBuildLShr(builder, cross, half, ""), "");
    if (is_signed) {
        LLVMValueRef sign = geo_emit_const_like(a, 63);
        LLVMValueRef of_a = LLVMBuildAnd(builder, LLVMBuildAShr(builder, a, sign, ""), b, "");
        LLVMValueRef of_b = LLVMBuildAnd(builder, LLVMBuildAShr(builder, b, sign, ""), a, "");
        high = LLVMBuildSub(builder, LLVMBuildSub(builder, high, of_a, ""), of_b, "");
    }
    return high;
}

/* OpIAddCarry and relatives: a struct of two equal members, low part (or sum) first. */
bool geo_lower_extended(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMBuilderRef b = f->builder;
    uint32_t count = geo_lower_part_count(inst->operands[0]->type);
    if (inst->operand_count != 2 || geo_lower_part_count(inst->operands[1]->type) != count ||
        geo_lower_part_count(inst->value.type) != 2 * count) {
        geo_lower_error(f, inst, "result is not a struct of two members like the operands");
        return false;
    }
    bool as_scalar = geo_lower_as_scalar(f, &inst->value);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef x = geo_lower_operand(f, inst->operands[0], i, as_scalar);
        LLVMValueRef y = geo_lower_operand(f, inst->operands[1], i, as_scalar);
        LLVMValueRef low, high;
        uint32_t bits = geo_emit_bits(x);
        switch (inst->op) {
        case SpvOpIAddCarry:
            low = LLVMBuildAdd(b, x, y, "");
            high = geo_emit_zext(f, geo_emit_icmp(f, LLVMIntULT, low, x), bits);
            break;
        case SpvOpISubBorrow:
            low = LLVMBuildSub(b, x, y, "");
            high = geo_emit_zext(f, geo_emit_icmp(f, LLVMIntULT, x, y), bits);
            break;
        default:
            low = LLVMBuildMul(b, x, y, "");
            high = geo_emit_mul_high(f, x, y, inst->op == SpvOpSMulExtended);
        }
        geo_lower_set_wide(f, inst, i, low);
        geo_lower_set_wide(f, inst, count + i, high);
    }
    return true;
}
