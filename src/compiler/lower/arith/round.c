/* Rounds floats to integral values, and doubles to floats in any mode. With SSE4.1 the former is
 * one instruction. Without it LLVM would call libm, so exact sequences are used. */
#include "compiler/lower/arith/round.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"

#include <string.h>

/* Rounds to the nearest integer, ties to even, by adding and subtracting 2^23 (2^52). */
static LLVMValueRef nearest(struct geo_lower_function *f, LLVMValueRef magnitude, double limit)
{
    LLVMValueRef large = geo_emit_real_like(magnitude, limit);
    return LLVMBuildFSub(f->llvm.builder, LLVMBuildFAdd(f->llvm.builder, magnitude, large, ""),
                         large, "");
}

static LLVMValueRef round_baseline(struct geo_lower_function *f, const char *name, LLVMValueRef x)
{
    LLVMBuilderRef b = f->llvm.builder;
    double limit = geo_type_bits(x) == 32 ? 0x1p23 : 0x1p52;
    LLVMValueRef one = geo_emit_real_like(x, 1.0), magnitude = geo_emit_abs(f, x);
    LLVMValueRef whole = nearest(f, magnitude, limit);
    if (strcmp(name, "llvm.trunc") == 0) {
        LLVMValueRef above = geo_emit_fcmp(f, LLVMRealOGT, whole, magnitude);
        whole = geo_emit_select(f, above, LLVMBuildFSub(b, whole, one, ""), whole);
    }
    LLVMValueRef args[2] = {whole, x};
    whole = geo_emit_intrinsic(f, "llvm.copysign", args, 2);
    if (strcmp(name, "llvm.floor") == 0) {
        LLVMValueRef above = geo_emit_fcmp(f, LLVMRealOGT, whole, x);
        whole = geo_emit_select(f, above, LLVMBuildFSub(b, whole, one, ""), whole);
    } else if (strcmp(name, "llvm.ceil") == 0) {
        LLVMValueRef below = geo_emit_fcmp(f, LLVMRealOLT, whole, x);
        whole = geo_emit_select(f, below, LLVMBuildFAdd(b, whole, one, ""), whole);
    }
    /* the sign is that of x, also if the sum is zero (-1 + 1) */
    args[0] = whole;
    whole = geo_emit_intrinsic(f, "llvm.copysign", args, 2);
    /* large numbers are integral; infinities and NaNs are unchanged */
    LLVMValueRef has_fraction =
        geo_emit_fcmp(f, LLVMRealOLT, magnitude, geo_emit_real_like(x, limit));
    return geo_emit_select(f, has_fraction, whole, x);
}

LLVMValueRef geo_arith_round(struct geo_lower_function *f, const char *name, LLVMValueRef x)
{
    GEO_ASSERT(!geo_type_is_integer(x)); /* halves have been converted */
    return f->options->target.has_round ? geo_emit_intrinsic(f, name, &x, 1)
                                        : round_baseline(f, name, x);
}

LLVMValueRef geo_arith_round_to_float(struct geo_lower_function *f, LLVMValueRef value,
                                      SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    GEO_ASSERT(!geo_type_is_integer(value) && geo_type_bits(value) == 64);
    LLVMTypeRef single = geo_type_like(value, geo_type_float(f, 32));
    LLVMValueRef rounded = LLVMBuildFPTrunc(b, value, single, "");
    if (mode == SpvFPRoundingModeRTE) {
        return rounded;
    }
    /* Moves one step back if rounding to nearest went in the wrong direction. The bits of
     * magnitudes are ordered like the magnitudes. */
    LLVMValueRef back = LLVMBuildFPExt(b, rounded, LLVMTypeOf(value), "");
    LLVMValueRef bits = geo_emit_to_bits(f, rounded);
    LLVMValueRef negative = geo_emit_icmp(f, LLVMIntSLT, bits, geo_emit_zero_like(bits));
    LLVMValueRef wrong, outward;
    if (mode == SpvFPRoundingModeRTZ) {
        wrong = geo_emit_fcmp(f, LLVMRealOGT, geo_emit_abs(f, back), geo_emit_abs(f, value));
        outward = LLVMConstNull(LLVMTypeOf(wrong));
    } else if (mode == SpvFPRoundingModeRTP) {
        wrong = geo_emit_fcmp(f, LLVMRealOLT, back, value);
        outward = LLVMBuildNot(b, negative, "");
    } else {
        wrong = geo_emit_fcmp(f, LLVMRealOGT, back, value);
        outward = negative;
    }
    LLVMValueRef step =
        geo_emit_select(f, outward, geo_emit_const_like(bits, 1), geo_emit_const_like(bits, ~0ull));
    step = geo_emit_select(f, wrong, step, geo_emit_zero_like(bits));
    return geo_emit_from_bits(f, LLVMBuildAdd(b, bits, step, ""));
}
