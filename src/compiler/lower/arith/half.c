/* Converts half (16-bit float) to float and back, on its bits.
 *
 * LLVM's half type is avoided. LLVM would promote it without rounding between two operations, and
 * call __extendhfsf2 where the target has no instruction. Without conversion instructions, integer
 * arithmetic computes the same results in outlined functions. Inline, a few hundred conversions
 * would take LLVM half a minute. */
#include "compiler/lower/arith/half.h"

#include "base/assert.h"
#include "compiler/lower/arith/mode.h"
#include "compiler/lower/arith/round.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/outline.h"

#include <stdio.h>

/* ---- with conversion instructions ---- */

static LLVMValueRef to_float_machine(struct geo_lower_function *f, LLVMValueRef half)
{
    LLVMTypeRef halves = geo_type_like(half, LLVMHalfTypeInContext(f->llvm.context));
    LLVMTypeRef floats = geo_type_like(half, geo_type_float(f, 32));
    LLVMValueRef typed = LLVMBuildBitCast(f->llvm.builder, half, halves, "");
    return LLVMBuildFPExt(f->llvm.builder, typed, floats, "");
}

/* ---- with integer arithmetic ---- */

static LLVMValueRef to_float_bits(struct geo_lower_function *f, LLVMValueRef half)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef wide = geo_emit_zext(f, half, 32);
    LLVMValueRef sign =
        LLVMBuildShl(b, LLVMBuildAnd(b, wide, geo_emit_const_like(wide, 0x8000), ""),
                     geo_emit_const_like(wide, 16), "");
    LLVMValueRef magnitude = LLVMBuildAnd(b, wide, geo_emit_const_like(wide, 0x7fff), "");
    LLVMValueRef shifted = LLVMBuildShl(b, magnitude, geo_emit_const_like(wide, 13), "");
    LLVMValueRef normal = LLVMBuildAdd(b, shifted, geo_emit_const_like(wide, 112u << 23), "");
    LLVMValueRef special = LLVMBuildOr(b, shifted, geo_emit_const_like(wide, 0x7f800000), "");
    LLVMValueRef quiet = LLVMBuildOr(b, special, geo_emit_const_like(wide, 0x00400000), "");
    LLVMValueRef infinity = geo_emit_const_like(wide, 0x7c00);
    special = geo_emit_select(f, geo_emit_icmp(f, LLVMIntUGT, magnitude, infinity), quiet, special);
    /* a denormal is its mantissa times 2^-24, which is exact in float */
    LLVMTypeRef real = geo_type_like(wide, geo_type_float(f, 32));
    LLVMValueRef tiny =
        LLVMBuildFMul(b, LLVMBuildSIToFP(b, magnitude, real, ""), geo_emit_real(real, 0x1p-24), "");
    LLVMValueRef result = geo_emit_select(
        f, geo_emit_icmp(f, LLVMIntULT, magnitude, geo_emit_const_like(wide, 0x0400)),
        geo_emit_to_bits(f, tiny), normal);
    result = geo_emit_select(f, geo_emit_icmp(f, LLVMIntUGE, magnitude, infinity), special, result);
    return geo_emit_from_bits(f, LLVMBuildOr(b, result, sign, ""));
}

static LLVMValueRef to_half_bits(struct geo_lower_function *f, LLVMValueRef value,
                                 SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef bits = geo_emit_to_bits(f, value);
#define C(number) geo_emit_const_like(bits, number)
    LLVMValueRef negative = geo_emit_icmp(f, LLVMIntSLT, bits, C(0));
    LLVMValueRef magnitude = LLVMBuildAnd(b, bits, C(0x7fffffff), "");
    LLVMValueRef exponent = LLVMBuildLShr(b, magnitude, C(23), "");
    LLVMValueRef fraction = LLVMBuildAnd(b, magnitude, C(0x7fffff), "");
    /* The mantissa is shifted right by 13, or more if the result is denormal. From 25 on, only the
     * inexactness remains. Denormal floats have exponent 0 and no leading bit. */
    LLVMValueRef down = LLVMBuildSub(b, C(126), exponent, "");
    LLVMValueRef is_small = geo_emit_icmp(f, LLVMIntULT, exponent, C(113));
    LLVMValueRef limit = geo_emit_icmp(f, LLVMIntSGT, down, C(25));
    LLVMValueRef shift =
        geo_emit_select(f, is_small, geo_emit_select(f, limit, C(25), down), C(13));
    LLVMValueRef leading =
        geo_emit_select(f, geo_emit_icmp(f, LLVMIntEQ, exponent, C(0)), C(0), C(0x800000));
    LLVMValueRef full = LLVMBuildOr(b, fraction, leading, "");
    LLVMValueRef kept = LLVMBuildLShr(b, full, shift, "");
    LLVMValueRef one = LLVMBuildShl(b, C(1), shift, "");
    LLVMValueRef cut = LLVMBuildAnd(b, full, LLVMBuildSub(b, one, C(1), ""), "");
    LLVMValueRef half_way = LLVMBuildLShr(b, one, C(1), "");
    LLVMValueRef up = geo_arith_mode_rounds_up(f, kept, cut, half_way, negative, mode);
    /* for normal results the leading bit (1 << 10) adds one to exponent - 113 */
    LLVMValueRef base = LLVMBuildShl(b, LLVMBuildSub(b, exponent, C(113), ""), C(10), "");
    base = geo_emit_select(f, is_small, C(0), base);
    LLVMValueRef result =
        LLVMBuildAdd(b, LLVMBuildAdd(b, base, kept, ""), geo_emit_zext(f, up, 32), "");
    /* overflow: infinity, or the largest number if the mode rounds towards zero for this sign */
    LLVMValueRef largest = C(0x7bff), infinity = C(0x7c00), overflow;
    if (mode == SpvFPRoundingModeRTE) {
        overflow = infinity;
    } else if (mode == SpvFPRoundingModeRTZ) {
        overflow = largest;
    } else {
        bool up_mode = mode == SpvFPRoundingModeRTP;
        overflow = geo_emit_select(f, negative, up_mode ? largest : infinity,
                                   up_mode ? infinity : largest);
    }
    result = geo_emit_select(f, geo_emit_icmp(f, LLVMIntUGE, exponent, C(143)), overflow, result);
    LLVMValueRef nan = LLVMBuildOr(b, C(0x7e00), LLVMBuildLShr(b, fraction, C(13), ""), "");
    LLVMValueRef special =
        geo_emit_select(f, geo_emit_icmp(f, LLVMIntEQ, fraction, C(0)), infinity, nan);
    result = geo_emit_select(f, geo_emit_icmp(f, LLVMIntEQ, exponent, C(255)), special, result);
    result = LLVMBuildOr(b, result,
                         LLVMBuildAnd(b, LLVMBuildLShr(b, bits, C(16), ""), C(0x8000), ""), "");
#undef C
    return geo_emit_zext(f, result, 16);
}

static LLVMValueRef to_float_body(struct geo_lower_function *inner, LLVMValueRef *args,
                                  uint32_t choice)
{
    (void)choice;
    return to_float_bits(inner, args[0]);
}

static LLVMValueRef to_float_call(struct geo_lower_function *f, LLVMValueRef half)
{
    char name[32];
    snprintf(name, sizeof(name), "geo.half.w%u", geo_type_lanes(half));
    return geo_outline_call(f, name, geo_type_like(half, geo_type_float(f, 32)), &half, 1,
                            to_float_body, 0);
}

static LLVMValueRef to_half_body(struct geo_lower_function *inner, LLVMValueRef *args,
                                 uint32_t mode)
{
    return to_half_bits(inner, args[0], (SpvFPRoundingMode)mode);
}

static LLVMValueRef to_half_call(struct geo_lower_function *f, LLVMValueRef value,
                                 SpvFPRoundingMode mode)
{
    char name[32];
    snprintf(name, sizeof(name), "geo.to.half.%u.w%u", (unsigned)mode, geo_type_lanes(value));
    return geo_outline_call(f, name, geo_type_like(value, geo_type_int(f, 16)), &value, 1,
                            to_half_body, mode);
}

/* ---- choosing the conversion ---- */

LLVMValueRef geo_arith_half_to_float(struct geo_lower_function *f, LLVMValueRef half)
{
    GEO_ASSERT(geo_type_is_integer(half) && geo_type_bits(half) == 16);
    return f->options->target.has_half ? to_float_machine(f, half) : to_float_call(f, half);
}

/* Rounds a double to a float, to odd: the last bit is set if the result is inexact. The later
 * rounding to half then equals a single rounding. */
static LLVMValueRef double_to_odd_float(struct geo_lower_function *f, LLVMValueRef value)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef single = geo_type_like(value, geo_type_float(f, 32));
    LLVMValueRef rounded = geo_arith_round_to_float(f, value, SpvFPRoundingModeRTZ);
    LLVMValueRef back = LLVMBuildFPExt(b, rounded, LLVMTypeOf(value), "");
    LLVMValueRef inexact = geo_emit_fcmp(f, LLVMRealONE, back, value);
    LLVMValueRef bits = geo_emit_to_bits(f, rounded);
    bits = LLVMBuildOr(b, bits, geo_emit_zext(f, inexact, 32), "");
    return LLVMBuildBitCast(b, bits, single, "");
}

LLVMValueRef geo_arith_float_to_half(struct geo_lower_function *f, LLVMValueRef value,
                                     SpvFPRoundingMode mode)
{
    GEO_ASSERT(!geo_type_is_integer(value) && geo_type_bits(value) >= 32);
    if (geo_type_bits(value) == 64) {
        value = double_to_odd_float(f, value);
    }
    LLVMValueRef halves =
        f->options->target.has_half ? f->options->target.arch->to_half(f, value, mode) : NULL;
    return halves ? halves : to_half_call(f, value, mode);
}
