/* Emits addition, subtraction, multiplication, float division and wide products on one part, scalar
 * or <W x>.
 *
 * It never sets nsw, nuw or fast-math flags. So it creates no poison, and all widths have the same
 * results. transform/expand/fast_math.c applies fast-math rules to the model. */
#include "compiler/lower/arith/arith.h"

#include "base/assert.h"
#include "compiler/lower/arith/mode.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"

static LLVMValueRef float_op(struct geo_lower_function *f, uint32_t flags, LLVMOpcode opcode,
                             LLVMValueRef a, LLVMValueRef b)
{
    SpvFPRoundingMode mode = geo_arith_mode_rounding(flags, SpvFPRoundingModeRTE);
    if (mode != SpvFPRoundingModeRTE) {
        LLVMValueRef v[2] = {a, b};
        return geo_arith_mode_rounded(f, geo_arith_mode_rounded_of(opcode), mode, v);
    }
    return LLVMBuildBinOp(f->llvm.builder, opcode, a, b, "");
}

LLVMValueRef geo_arith_emit(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->llvm.builder;
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
        return float_op(f, e->flags, LLVMFAdd, x, y);
    case SpvOpFSub:
        return float_op(f, e->flags, LLVMFSub, x, y);
    case SpvOpFMul:
    case SpvOpVectorTimesScalar:
        return float_op(f, e->flags, LLVMFMul, x, y);
    case SpvOpFDiv:
        return float_op(f, e->flags, LLVMFDiv, x, y);
    default:
        return NULL;
    }
}

/* Returns the upper half of a product: bits 32 to 63 of 32 x 32 bits, and so on. Vectors of 64-bit
 * integers have no wide product on x86, so it is combined from 32-bit halves. */
LLVMValueRef geo_arith_mul_high(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                                bool is_signed)
{
    LLVMBuilderRef builder = f->llvm.builder;
    uint32_t bits = geo_type_bits(a);
    GEO_ASSERT(LLVMTypeOf(a) == LLVMTypeOf(b) && geo_type_is_integer(a) && bits <= 64);
    if (bits < 64 || geo_type_lanes(a) == 1) {
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
