/* Emits shifts, bitwise logic, bit fields, reversal and counting.
 *
 * Shift amounts are taken modulo the width, as in OpenCL C, so every amount is defined. */
#include "compiler/lower/arith/bits.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"

/* Converts a shift amount or bit-field operand to the type of `like`, modulo its width. */
static LLVMValueRef amount(struct geo_lower_function *f, LLVMValueRef value, LLVMValueRef like)
{
    uint32_t bits = geo_type_bits(like);
    GEO_ASSERT((bits & (bits - 1)) == 0); /* the mask below is a remainder */
    return LLVMBuildAnd(f->llvm.builder, geo_emit_zext(f, value, bits),
                        geo_emit_const_like(like, bits - 1), "");
}

/* Returns `count` ones from bit 0 on. Counts above the width give all ones. */
static LLVMValueRef ones(struct geo_lower_function *f, LLVMValueRef count, LLVMValueRef like)
{
    uint32_t bits = geo_type_bits(like);
    LLVMValueRef one = geo_emit_const_like(like, 1), all = geo_emit_const_like(like, ~0ull);
    LLVMValueRef some = LLVMBuildSub(
        f->llvm.builder, LLVMBuildShl(f->llvm.builder, one, amount(f, count, like), ""), one, "");
    LLVMValueRef full = geo_emit_icmp(f, LLVMIntUGE, count, geo_emit_const_like(count, bits));
    return geo_emit_select(f, full, all, some);
}

/* Emits the insertion or extraction of a bit field. */
static LLVMValueRef field(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef base = e->v[0];
    if (e->op == SpvOpBitFieldInsert) {
        LLVMValueRef offset = amount(f, e->v[2], base);
        LLVMValueRef mask = LLVMBuildShl(b, ones(f, e->v[3], base), offset, "");
        LLVMValueRef bits = LLVMBuildAnd(b, LLVMBuildShl(b, e->v[1], offset, ""), mask, "");
        return LLVMBuildOr(b, LLVMBuildAnd(b, base, LLVMBuildNot(b, mask, ""), ""), bits, "");
    }
    LLVMValueRef mask = ones(f, e->v[2], base);
    LLVMValueRef bits =
        LLVMBuildAnd(b, LLVMBuildLShr(b, base, amount(f, e->v[1], base), ""), mask, "");
    if (e->op == SpvOpBitFieldUExtract) {
        return bits;
    }
    /* sign extension by xor and subtraction of the top bit (0 for an empty field) */
    LLVMValueRef top =
        LLVMBuildXor(b, mask, LLVMBuildLShr(b, mask, geo_emit_const_like(mask, 1), ""), "");
    return LLVMBuildSub(b, LLVMBuildXor(b, bits, top, ""), top, "");
}

LLVMValueRef geo_arith_bit_op(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef x = e->v[0], y = e->v[1];
    if (e->from->kind != GEO_TYPE_INT) {
        return NULL;
    }
    switch (e->op) {
    case SpvOpShiftRightLogical:
        return LLVMBuildLShr(b, x, amount(f, y, x), "");
    case SpvOpShiftRightArithmetic:
        return LLVMBuildAShr(b, x, amount(f, y, x), "");
    case SpvOpShiftLeftLogical:
        return LLVMBuildShl(b, x, amount(f, y, x), "");
    case SpvOpBitwiseOr:
        return LLVMBuildOr(b, x, y, "");
    case SpvOpBitwiseXor:
        return LLVMBuildXor(b, x, y, "");
    case SpvOpBitwiseAnd:
        return LLVMBuildAnd(b, x, y, "");
    case SpvOpNot:
        return LLVMBuildNot(b, x, "");
    case SpvOpBitReverse:
        return geo_emit_intrinsic(f, "llvm.bitreverse", &x, 1);
    case SpvOpBitCount:
        return geo_emit_zext(f, geo_emit_intrinsic(f, "llvm.ctpop", &x, 1), e->type->width);
    default:
        return field(e);
    }
}
