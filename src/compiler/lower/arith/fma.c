/* Emits the fused multiply-add, correctly rounded on every machine.
 *
 * With FMA instructions for the type it is llvm.fma. Without them that would become a library call,
 * so:
 *
 *     half      the product is exact in float; the sum is rounded to odd, then to half
 *     float     the product is exact in double; the sum is rounded to odd, then to float
 *     double    an outlined function (geo.fma.f64) uses 128-bit integers, lane by lane
 *
 * All rounding modes are supported. */
#include "compiler/lower/arith/fma.h"

#include "compiler/lower/arith/half.h"
#include "compiler/lower/arith/mode.h"
#include "compiler/lower/arith/round.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/outline.h"

/* Returns p + c rounded to odd: the last bit is set if the sum is inexact. A second rounding to
 * fewer bits then gives the result for the exact sum. Exponents must be within half of the type's
 * range, or the operands infinite or NaN. */
static LLVMValueRef sum_to_odd(struct geo_lower_function *f, LLVMValueRef p, LLVMValueRef c)
{
    LLVMBuilderRef b = f->llvm.builder;
    /* the exact error of p + c */
    LLVMValueRef sum = LLVMBuildFAdd(b, p, c, "");
    LLVMValueRef c_part = LLVMBuildFSub(b, sum, p, "");
    LLVMValueRef p_part = LLVMBuildFSub(b, sum, c_part, "");
    LLVMValueRef error =
        LLVMBuildFAdd(b, LLVMBuildFSub(b, p, p_part, ""), LLVMBuildFSub(b, c, c_part, ""), "");
    LLVMValueRef zero = geo_emit_real_like(sum, 0.0);
    LLVMValueRef bits = geo_emit_to_bits(f, sum);
    LLVMValueRef even =
        geo_emit_icmp(f, LLVMIntEQ, LLVMBuildAnd(b, bits, geo_emit_const_like(bits, 1), ""),
                      geo_emit_zero_like(bits));
    LLVMValueRef inexact = geo_emit_fcmp(f, LLVMRealONE, error, zero);
    LLVMValueRef limit = geo_emit_real_like(sum, geo_type_bits(sum) == 64 ? 0x1p1000 : 0x1p100);
    LLVMValueRef finite = geo_emit_fcmp(f, LLVMRealOLT, geo_emit_abs(f, sum), limit);
    LLVMValueRef opposite = LLVMBuildXor(b, geo_emit_fcmp(f, LLVMRealOLT, error, zero),
                                         geo_emit_fcmp(f, LLVMRealOLT, sum, zero), "");
    LLVMValueRef step = geo_emit_select(f, opposite, geo_emit_const_like(bits, ~0ull),
                                        geo_emit_const_like(bits, 1));
    LLVMValueRef moves = LLVMBuildAnd(b, LLVMBuildAnd(b, even, inexact, ""), finite, "");
    step = geo_emit_select(f, moves, step, geo_emit_zero_like(bits));
    return geo_emit_from_bits(f, LLVMBuildAdd(b, bits, step, ""));
}

static LLVMValueRef half_fma_machine(struct geo_lower_function *f, LLVMValueRef *v)
{
    LLVMTypeRef halves = geo_type_like(v[0], LLVMHalfTypeInContext(f->llvm.context));
    LLVMValueRef x[3];
    for (uint32_t i = 0; i < 3; i++) {
        x[i] = LLVMBuildBitCast(f->llvm.builder, v[i], halves, "");
    }
    LLVMValueRef sum = geo_emit_intrinsic(f, "llvm.fma", x, 3);
    return LLVMBuildBitCast(f->llvm.builder, sum, LLVMTypeOf(v[0]), "");
}

/* In a directed mode the sum is rounded in that mode, because rounding twice in the same direction
 * equals rounding once. */
static LLVMValueRef half_fma(struct geo_lower_function *f, LLVMValueRef *v, SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef wide = geo_type_like(v[0], geo_type_float(f, 64));
    LLVMValueRef x[3];
    if (mode == SpvFPRoundingModeRTE && f->options->target.computes_half) {
        return half_fma_machine(f, v);
    }
    for (uint32_t i = 0; i < 3; i++) {
        x[i] = geo_arith_half_to_float(f, v[i]);
    }
    LLVMValueRef product = LLVMBuildFMul(b, x[0], x[1], "");
    if (mode == SpvFPRoundingModeRTE) {
        return geo_arith_float_to_half(f, sum_to_odd(f, product, x[2]), mode);
    }
    LLVMValueRef terms[2] = {LLVMBuildFPExt(b, product, wide, ""),
                             LLVMBuildFPExt(b, x[2], wide, "")};
    LLVMValueRef sum = geo_arith_mode_rounded(f, GEO_ROUNDED_ADD, mode, terms);
    return geo_arith_float_to_half(f, sum, mode);
}

static LLVMValueRef float_fma(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y,
                              LLVMValueRef z, SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef wide = geo_type_like(x, geo_type_float(f, 64));
    LLVMValueRef p =
        LLVMBuildFMul(b, LLVMBuildFPExt(b, x, wide, ""), LLVMBuildFPExt(b, y, wide, ""), "");
    LLVMValueRef c = LLVMBuildFPExt(b, z, wide, "");
    LLVMValueRef odd = sum_to_odd(f, p, c);
    if (mode != SpvFPRoundingModeRTE) { /* the sign of an exact zero depends on the mode */
        LLVMValueRef terms[2] = {p, c};
        LLVMValueRef none = geo_emit_fcmp(f, LLVMRealOEQ, odd, geo_emit_real_like(odd, 0.0));
        odd =
            geo_emit_select(f, none, geo_arith_mode_rounded(f, GEO_ROUNDED_ADD, mode, terms), odd);
    }
    return geo_arith_round_to_float(f, odd, mode);
}

/* ---- double ---- */

/* A finite number: sign, exponent of its lowest bit, and normalised 53-bit mantissa. */
struct unpacked {
    LLVMValueRef negative, exponent, mantissa;
};

static LLVMValueRef word(LLVMValueRef like, uint64_t bits)
{
    return geo_emit_const_like(like, bits);
}

static LLVMValueRef leading_zeros(struct geo_lower_function *f, LLVMValueRef value)
{
    LLVMValueRef args[2] = {value, LLVMConstInt(LLVMInt1TypeInContext(f->llvm.context), 0, false)};
    return geo_emit_intrinsic(f, "llvm.ctlz", args, 2);
}

static struct unpacked unpack(struct geo_lower_function *f, LLVMValueRef number)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef bits = geo_emit_to_bits(f, number);
    LLVMValueRef magnitude = LLVMBuildAnd(b, bits, word(bits, ~0ull >> 1), "");
    LLVMValueRef biased = LLVMBuildLShr(b, magnitude, word(bits, 52), "");
    LLVMValueRef fraction = LLVMBuildAnd(b, magnitude, word(bits, (1ull << 52) - 1), "");
    LLVMValueRef full = LLVMBuildOr(b, fraction, word(bits, 1ull << 52), "");
    LLVMValueRef denormal = geo_emit_icmp(f, LLVMIntEQ, biased, word(bits, 0));
    LLVMValueRef shift = LLVMBuildAnd(
        b, LLVMBuildSub(b, leading_zeros(f, fraction), word(bits, 11), ""), word(bits, 63), "");
    struct unpacked out;
    out.negative = geo_emit_icmp(f, LLVMIntSLT, bits, word(bits, 0));
    out.mantissa = geo_emit_select(f, denormal, LLVMBuildShl(b, fraction, shift, ""), full);
    LLVMValueRef low = LLVMBuildSub(b, word(bits, (uint64_t)-1074), shift, "");
    LLVMValueRef normal = LLVMBuildSub(b, biased, word(bits, 1075), "");
    out.exponent = geo_emit_select(f, denormal, low, normal);
    return out;
}

/* Returns value >> by, with the lowest bit set if any removed bit was set. Any amount is
 * allowed. */
static LLVMValueRef shift_jam(struct geo_lower_function *f, LLVMValueRef value, LLVMValueRef by)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef wide = LLVMTypeOf(value);
    LLVMValueRef amount = geo_emit_minmax(f, "llvm.umin", by, word(by, 127));
    amount = LLVMBuildZExt(b, amount, wide, "");
    LLVMValueRef kept = LLVMBuildLShr(b, value, amount, "");
    LLVMValueRef back = LLVMBuildShl(b, kept, amount, "");
    LLVMValueRef lost = geo_emit_icmp(f, LLVMIntNE, back, value);
    return LLVMBuildOr(b, kept, LLVMBuildZExt(b, lost, wide, ""), "");
}

/* Returns the result for overflow: infinity, or the largest number if the mode rounds towards zero
 * for this sign. */
static LLVMValueRef overflowed(struct geo_lower_function *f, LLVMValueRef like,
                               LLVMValueRef negative, SpvFPRoundingMode mode)
{
    LLVMValueRef infinity = word(like, 0x7ffull << 52), largest = word(like, (0x7ffull << 52) - 1);
    switch (mode) {
    case SpvFPRoundingModeRTZ:
        return largest;
    case SpvFPRoundingModeRTP:
        return geo_emit_select(f, negative, largest, infinity);
    case SpvFPRoundingModeRTN:
        return geo_emit_select(f, negative, infinity, largest);
    default:
        return infinity;
    }
}

/* Rounds sum * 2^exponent (sum not 0) and returns its bits without the sign. */
static LLVMValueRef pack(struct geo_lower_function *f, LLVMValueRef sum, LLVMValueRef exponent,
                         LLVMValueRef negative, SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef narrow = LLVMTypeOf(exponent);
    LLVMValueRef zeros = leading_zeros(f, sum);
    LLVMValueRef high = LLVMBuildShl(b, sum, zeros, "");
    exponent = LLVMBuildSub(b, exponent, LLVMBuildTrunc(b, zeros, narrow, ""), "");
    LLVMValueRef biased = LLVMBuildAdd(b, exponent, word(exponent, 127 + 1023), "");
    /* keeps 55 bits: 53 of the result, one rounding bit, one sticky bit */
    LLVMValueRef one = word(biased, 1);
    LLVMValueRef below = geo_emit_icmp(f, LLVMIntSLT, biased, one);
    LLVMValueRef extra =
        geo_emit_select(f, below, LLVMBuildSub(b, one, biased, ""), word(biased, 0));
    extra = geo_emit_minmax(f, "llvm.umin", extra, word(biased, 54));
    LLVMValueRef by = LLVMBuildAdd(b, extra, word(biased, 73), "");
    LLVMValueRef kept = LLVMBuildTrunc(b, shift_jam(f, high, by), narrow, "");
    LLVMValueRef mantissa = LLVMBuildLShr(b, kept, word(kept, 2), "");
    LLVMValueRef rest = LLVMBuildAnd(b, kept, word(kept, 3), "");
    LLVMValueRef up = geo_arith_mode_rounds_up(f, mantissa, rest, word(rest, 2), negative, mode);
    LLVMValueRef field =
        geo_emit_select(f, below, word(biased, 0), LLVMBuildSub(b, biased, one, ""));
    LLVMValueRef result =
        LLVMBuildAdd(b, LLVMBuildShl(b, field, word(field, 52), ""), mantissa, "");
    result = LLVMBuildAdd(b, result, LLVMBuildZExt(b, up, narrow, ""), "");
    LLVMValueRef large = geo_emit_icmp(f, LLVMIntSGT, biased, word(biased, 2046));
    return geo_emit_select(f, large, overflowed(f, result, negative, mode), result);
}

/* Returns x * y + z for finite x, y, z, where x and y are not zero. */
static LLVMValueRef finite_fma(struct geo_lower_function *f, LLVMValueRef *v,
                               SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef wide = LLVMIntTypeInContext(f->llvm.context, 128);
    struct unpacked x = unpack(f, v[0]), y = unpack(f, v[1]), z = unpack(f, v[2]);
    /* aligns product and addend: leading bits at 125 or 124 */
    LLVMValueRef product = LLVMBuildMul(b, LLVMBuildZExt(b, x.mantissa, wide, ""),
                                        LLVMBuildZExt(b, y.mantissa, wide, ""), "");
    product = LLVMBuildShl(b, product, word(product, 20), "");
    LLVMValueRef addend = LLVMBuildZExt(b, z.mantissa, wide, "");
    addend = LLVMBuildShl(b, addend, word(addend, 72), "");
    LLVMValueRef ep = LLVMBuildAdd(b, x.exponent, y.exponent, "");
    ep = LLVMBuildSub(b, ep, word(ep, 20), "");
    LLVMValueRef ez = LLVMBuildSub(b, z.exponent, word(ep, 72), "");
    LLVMValueRef above = geo_emit_icmp(f, LLVMIntSGE, ep, ez), zero = word(ep, 0);
    LLVMValueRef down_z = geo_emit_select(f, above, LLVMBuildSub(b, ep, ez, ""), zero);
    LLVMValueRef down_p = geo_emit_select(f, above, zero, LLVMBuildSub(b, ez, ep, ""));
    addend = shift_jam(f, addend, down_z);
    product = shift_jam(f, product, down_p);
    LLVMValueRef exponent = geo_emit_select(f, above, ep, ez);
    LLVMValueRef negative = LLVMBuildXor(b, x.negative, y.negative, "");
    LLVMValueRef differs = LLVMBuildXor(b, negative, z.negative, "");
    LLVMValueRef difference = LLVMBuildSub(b, product, addend, "");
    LLVMValueRef flips = geo_emit_icmp(f, LLVMIntULT, product, addend);
    LLVMValueRef reversed = LLVMBuildSub(b, addend, product, "");
    difference = geo_emit_select(f, flips, reversed, difference);
    LLVMValueRef sum =
        geo_emit_select(f, differs, difference, LLVMBuildAdd(b, product, addend, ""));
    negative = LLVMBuildXor(b, negative, LLVMBuildAnd(b, differs, flips, ""), "");
    LLVMValueRef bits = pack(f, sum, exponent, negative, mode);
    LLVMValueRef sign = geo_emit_select(f, negative, word(bits, 1ull << 63), word(bits, 0));
    bits = LLVMBuildOr(b, bits, sign, "");
    LLVMValueRef none = geo_emit_icmp(f, LLVMIntEQ, sum, LLVMConstNull(wide));
    LLVMValueRef cancelled = word(bits, mode == SpvFPRoundingModeRTN ? 1ull << 63 : 0);
    return geo_emit_from_bits(f, geo_emit_select(f, none, cancelled, bits));
}

static LLVMValueRef is_finite(struct geo_lower_function *f, LLVMValueRef number)
{
    LLVMValueRef bits = geo_emit_to_bits(f, number);
    bits = LLVMBuildAnd(f->llvm.builder, bits, word(bits, ~0ull >> 1), "");
    return geo_emit_icmp(f, LLVMIntULT, bits, word(bits, 0x7ffull << 52));
}

/* Emits the body of the double fma. If both factors are finite and not zero, an infinite or NaN
 * addend is the result, and finite addends (including zero) go to finite_fma. Plain arithmetic
 * handles all other cases. */
static void double_fma_body(struct geo_lower_function *f, LLVMValueRef *v, SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef product = LLVMBuildFMul(b, v[0], v[1], "");
    LLVMValueRef terms[2] = {product, v[2]};
    LLVMValueRef plain = geo_arith_mode_rounded(f, GEO_ROUNDED_ADD, mode, terms);
    LLVMValueRef zero = geo_emit_real_like(product, 0.0);
    LLVMValueRef factors =
        LLVMBuildAnd(b, is_finite(f, v[0]), is_finite(f, v[1]), "finite.factors");
    LLVMValueRef zeros = LLVMBuildOr(b, geo_emit_fcmp(f, LLVMRealOEQ, v[0], zero),
                                     geo_emit_fcmp(f, LLVMRealOEQ, v[1], zero), "zero.factor");
    LLVMValueRef exact = geo_emit_select(f, is_finite(f, v[2]), finite_fma(f, v, mode), v[2]);
    LLVMValueRef integers = LLVMBuildAnd(b, factors, LLVMBuildNot(b, zeros, ""), "");
    LLVMBuildRet(b, geo_emit_select(f, integers, exact, plain));
}

static LLVMValueRef double_fma_function(struct geo_lower_function *f, LLVMTypeRef *type,
                                        SpvFPRoundingMode mode)
{
    static const char *const names[] = {"geo.fma.f64", "geo.fma.f64.rtz", "geo.fma.f64.rtp",
                                        "geo.fma.f64.rtn"};
    const char *name = names[mode];
    LLVMTypeRef number = LLVMDoubleTypeInContext(f->llvm.context);
    LLVMTypeRef parameters[3] = {number, number, number};
    *type = LLVMFunctionType(number, parameters, 3, false);
    struct geo_lower_function inner;
    LLVMValueRef function;
    if (geo_outline_begin(f, name, *type, &inner, &function)) {
        LLVMValueRef v[3];
        LLVMGetParams(function, v);
        double_fma_body(&inner, v, mode);
        geo_outline_end(&inner);
    }
    return function;
}

static LLVMValueRef double_fma(struct geo_lower_function *f, LLVMValueRef *v,
                               SpvFPRoundingMode mode)
{
    LLVMTypeRef type;
    LLVMValueRef function = double_fma_function(f, &type, mode);
    uint32_t lanes = geo_type_lanes(v[0]);
    if (lanes == 1) {
        return LLVMBuildCall2(f->llvm.builder, type, function, v, 3, "");
    }
    LLVMValueRef result = LLVMConstNull(LLVMTypeOf(v[0]));
    for (uint32_t lane = 0; lane < lanes; lane++) {
        LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(f->llvm.context), lane, false);
        LLVMValueRef args[3];
        for (uint32_t i = 0; i < 3; i++) {
            args[i] = LLVMBuildExtractElement(f->llvm.builder, v[i], number, "");
        }
        LLVMValueRef one = LLVMBuildCall2(f->llvm.builder, type, function, args, 3, "");
        result = LLVMBuildInsertElement(f->llvm.builder, result, one, number, "");
    }
    return result;
}

static LLVMValueRef fma_rounded(struct geo_lower_function *f, LLVMValueRef *v,
                                SpvFPRoundingMode mode)
{
    if (f->options->target.has_fma) {
        return geo_arith_mode_rounded(f, GEO_ROUNDED_FMA, mode, v);
    }
    return geo_type_bits(v[0]) == 64 ? double_fma(f, v, mode)
                                     : float_fma(f, v[0], v[1], v[2], mode);
}

LLVMValueRef geo_arith_fma(struct geo_emit *e)
{
    if (e->type->kind != GEO_TYPE_FLOAT || e->from->kind != GEO_TYPE_FLOAT) {
        return NULL;
    }
    SpvFPRoundingMode mode = geo_arith_mode_rounding(e->flags, SpvFPRoundingModeRTE);
    return e->type->width == 16 ? half_fma(e->f, e->v, mode) : fma_rounded(e->f, e->v, mode);
}
