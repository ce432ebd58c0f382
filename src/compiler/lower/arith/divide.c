/* Emits integer division and remainder that never trap, and the exact float remainder.
 *
 * Results that SPIR-V leaves undefined are defined: a divisor of 0 gives quotient and remainder 0.
 * The smallest number divided by -1 is itself, with remainder 0. Inactive lanes may hold arbitrary
 * values or poison, so their divisor is replaced by 1. Constant divisors need no checks.
 *
 * x86 has no vector division of integers. Vectors of up to 32 bits use double, in which the
 * truncated quotient is exact: the rounding error is smaller than the distance to the next integer.
 * Wider elements are divided lane by lane. */
#include "compiler/lower/arith/divide.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/outline.h"

#include <stdio.h>

/* Returns whether a divisor is a constant, or a vector of equal constants, and stores it
 * sign-extended in *out. */
static bool divisor_constant(LLVMValueRef value, int64_t *out)
{
    if (!LLVMIsConstant(value)) {
        return false;
    }
    if (LLVMIsAConstantInt(value)) {
        *out = LLVMConstIntGetSExtValue(value);
        return true;
    }
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind || LLVMIsNull(value)) {
        return false;
    }
    LLVMValueRef first = LLVMGetAggregateElement(value, 0);
    for (uint32_t i = 1; i < geo_type_lanes(value); i++) {
        if (LLVMGetAggregateElement(value, i) != first) {
            return false;
        }
    }
    if (!first || !LLVMIsAConstantInt(first)) {
        return false;
    }
    *out = LLVMConstIntGetSExtValue(first);
    return true;
}

/* Returns y, or 1 where x / y is undefined. No lane may be poison. */
static LLVMValueRef divisor_safe(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y,
                                 bool is_signed)
{
    LLVMValueRef bad = geo_emit_icmp(f, LLVMIntEQ, y, geo_emit_zero_like(y));
    if (is_signed) {
        uint64_t least = 1ull << (geo_type_bits(x) - 1);
        LLVMValueRef wraps = LLVMBuildAnd(
            f->llvm.builder, geo_emit_icmp(f, LLVMIntEQ, y, geo_emit_const_like(y, ~0ull)),
            geo_emit_icmp(f, LLVMIntEQ, x, geo_emit_const_like(x, least)), "");
        bad = LLVMBuildOr(f->llvm.builder, bad, wraps, "");
    }
    return geo_emit_select(f, bad, geo_emit_const_like(y, 1), y);
}

/* Returns the quotient of vectors of up to 32 bits by division of floats. The divisor must be
 * safe. */
static LLVMValueRef quotient_by_double(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y,
                                       bool is_signed)
{
    LLVMBuilderRef b = f->llvm.builder;
    uint32_t bits = geo_type_bits(x), wide = bits < 32 ? 32 : 64;
    LLVMTypeRef real = geo_type_like(x, geo_type_float(f, wide));
    LLVMTypeRef whole = geo_type_like(x, geo_type_int(f, bits));
    LLVMValueRef quotient;
    if (is_signed) {
        quotient =
            LLVMBuildFDiv(b, LLVMBuildSIToFP(b, x, real, ""), LLVMBuildSIToFP(b, y, real, ""), "");
        return LLVMBuildFPToSI(b, quotient, whole, "");
    }
    quotient =
        LLVMBuildFDiv(b, LLVMBuildUIToFP(b, x, real, ""), LLVMBuildUIToFP(b, y, real, ""), "");
    return LLVMBuildFPToUI(b, quotient, whole, "");
}

static LLVMValueRef quotient(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y,
                             bool is_signed)
{
    if (geo_type_lanes(x) > 1 && geo_type_bits(x) <= 32) {
        return quotient_by_double(f, x, y, is_signed);
    }
    return is_signed ? LLVMBuildSDiv(f->llvm.builder, x, y, "")
                     : LLVMBuildUDiv(f->llvm.builder, x, y, "");
}

/* Returns the result of a division instruction. `safe` is the divisor, with 1 where x / y is
 * undefined; `whole` is the quotient by it. */
static LLVMValueRef division(struct geo_lower_function *f, SpvOp op, LLVMValueRef x, LLVMValueRef y,
                             LLVMValueRef safe, LLVMValueRef whole)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef zero = geo_emit_zero_like(x);
    if (op == SpvOpUDiv || op == SpvOpSDiv) {
        /* the smallest number divided by -1 is itself, as the divisor became 1 */
        return safe == y ? whole
                         : geo_emit_select(f, geo_emit_icmp(f, LLVMIntEQ, y, zero), zero, whole);
    }
    LLVMValueRef rest = LLVMBuildSub(b, x, LLVMBuildMul(b, whole, safe, ""), "");
    if (op != SpvOpSMod) {
        return rest;
    }
    /* the result has the sign of the divisor: add the divisor if the signs differ */
    LLVMValueRef differs =
        LLVMBuildAnd(b, geo_emit_icmp(f, LLVMIntNE, rest, zero),
                     geo_emit_icmp(f, LLVMIntSLT, LLVMBuildXor(b, rest, safe, ""), zero), "");
    return LLVMBuildAdd(b, rest, geo_emit_select(f, differs, safe, zero), "");
}

static LLVMValueRef divide_any(struct geo_lower_function *f, SpvOp op, LLVMValueRef x,
                               LLVMValueRef y)
{
    bool is_signed = op == SpvOpSDiv || op == SpvOpSRem || op == SpvOpSMod;
    LLVMValueRef safe = divisor_safe(f, x, y, is_signed);
    return division(f, op, x, y, safe, quotient(f, x, safe, is_signed));
}

static LLVMValueRef divide_body(struct geo_lower_function *inner, LLVMValueRef *args, uint32_t op)
{
    return divide_any(inner, (SpvOp)op, args[0], args[1]);
}

/* Emits the division as an outlined function. It works lane by lane, and LLVM takes long to
 * schedule that inline where vectors have 128 bits. */
static LLVMValueRef divide_call(struct geo_lower_function *f, SpvOp op, LLVMValueRef x,
                                LLVMValueRef y)
{
    LLVMValueRef args[] = {x, y};
    char name[40];
    snprintf(name, sizeof(name), "geo.%s.i%u.w%u", geo_op_name(op), geo_type_bits(x),
             geo_type_lanes(x));
    return geo_outline_call(f, name, LLVMTypeOf(x), args, 2, divide_body, op);
}

LLVMValueRef geo_arith_divide(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef x = e->v[0], y = e->v[1];
    int64_t value;
    if (e->from->kind != GEO_TYPE_INT) {
        return NULL;
    }
    bool is_signed = e->op != SpvOpUDiv && e->op != SpvOpUMod;
    if (divisor_constant(y, &value) && value != 0 && (value != -1 || !is_signed)) {
        LLVMValueRef whole = is_signed ? LLVMBuildSDiv(f->llvm.builder, x, y, "")
                                       : LLVMBuildUDiv(f->llvm.builder, x, y, "");
        return division(f, e->op, x, y, y, whole);
    }
    if (geo_type_lanes(y) == 1) {
        return divide_any(f, e->op, x, y);
    }
    y = geo_emit_mask_active_select(f, y, geo_emit_const_like(y, 1));
    return geo_type_bits(x) > 32 && !f->options->target.has_fma ? divide_call(f, e->op, x, y)
                                                                : divide_any(f, e->op, x, y);
}

/* ---- float remainder ---- */

/* The bit layout of a float type. */
struct fmod_layout {
    uint32_t bits, mantissa, exponent_all_ones;
};

/* Splits |v| into the biased exponent and the mantissa with its leading bit at position `mantissa`.
 * Denormals are normalised, with exponents below 1. */
static void fmod_split(struct geo_lower_function *f, const struct fmod_layout *layout,
                       LLVMValueRef magnitude, LLVMValueRef *exponent, LLVMValueRef *mantissa)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef args[2] = {magnitude,
                            LLVMConstInt(LLVMInt1TypeInContext(f->llvm.context), 0, false)};
    LLVMValueRef zeros = geo_emit_intrinsic(f, "llvm.ctlz", args, 2);
    LLVMValueRef top = geo_emit_const_like(magnitude, layout->bits - 1 - layout->mantissa);
    LLVMValueRef plain =
        LLVMBuildLShr(b, magnitude, geo_emit_const_like(zeros, layout->mantissa), "");
    LLVMValueRef denormal = geo_emit_icmp(f, LLVMIntEQ, plain, geo_emit_zero_like(plain));
    LLVMValueRef shift = LLVMBuildSub(b, zeros, top, "");
    /* used for denormals only; the mask keeps the amount below the width */
    shift = LLVMBuildAnd(b, shift, geo_emit_const_like(shift, layout->bits - 1), "");
    uint64_t fraction = (1ull << layout->mantissa) - 1;
    LLVMValueRef normal =
        LLVMBuildOr(b, LLVMBuildAnd(b, magnitude, geo_emit_const_like(magnitude, fraction), ""),
                    geo_emit_const_like(magnitude, fraction + 1), "");
    *mantissa = geo_emit_select(f, denormal, LLVMBuildShl(b, magnitude, shift, ""), normal);
    *exponent = geo_emit_select(f, denormal,
                                LLVMBuildSub(b, geo_emit_const_like(plain, 1), shift, ""), plain);
}

/* Builds a float from an exponent and a mantissa whose leading bit is at most at position
 * `mantissa`. */
static LLVMValueRef fmod_join(struct geo_lower_function *f, const struct fmod_layout *layout,
                              LLVMValueRef mantissa, LLVMValueRef exponent)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef args[2] = {mantissa,
                            LLVMConstInt(LLVMInt1TypeInContext(f->llvm.context), 0, false)};
    LLVMValueRef zeros = geo_emit_intrinsic(f, "llvm.ctlz", args, 2);
    LLVMValueRef shift =
        LLVMBuildSub(b, zeros, geo_emit_const_like(zeros, layout->bits - 1 - layout->mantissa), "");
    LLVMValueRef mask = geo_emit_const_like(shift, layout->bits - 1);
    shift = LLVMBuildAnd(b, shift, mask, "");
    LLVMValueRef high = LLVMBuildShl(b, mantissa, shift, "");
    LLVMValueRef power = LLVMBuildSub(b, exponent, shift, "");
    LLVMValueRef one = geo_emit_const_like(power, 1);
    uint64_t fraction = (1ull << layout->mantissa) - 1;
    LLVMValueRef normal =
        LLVMBuildOr(b, LLVMBuildAnd(b, high, geo_emit_const_like(high, fraction), ""),
                    LLVMBuildShl(b, power, geo_emit_const_like(power, layout->mantissa), ""), "");
    LLVMValueRef down = LLVMBuildAnd(b, LLVMBuildSub(b, one, power, ""), mask, "");
    LLVMValueRef denormal = LLVMBuildLShr(b, high, down, "");
    return geo_emit_select(f, geo_emit_icmp(f, LLVMIntSGE, power, one), normal, denormal);
}

/* Emits the long division of mantissas for all lanes together. Each iteration reduces the
 * difference of the exponents by one:
 *
 *     while any ex > ey:  if ex > ey: { if mx >= my: mx -= my;  mx <<= 1;  ex -= 1 } */
static LLVMValueRef fmod_loop(struct geo_lower_function *f, LLVMValueRef mx, LLVMValueRef ex,
                              LLVMValueRef my, LLVMValueRef ey)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef type = LLVMTypeOf(mx);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "fmod.done");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "fmod.step");
    LLVMBasicBlockRef head = geo_emit_block_next(f, "fmod.head");
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef m = LLVMBuildPhi(b, type, ""), x = LLVMBuildPhi(b, type, "");
    LLVMValueRef more = geo_emit_icmp(f, LLVMIntSGT, x, ey), any = more;
    if (geo_type_lanes(more) > 1) {
        any = geo_emit_intrinsic(f, "llvm.vector.reduce.or", &more, 1);
    }
    LLVMBuildCondBr(b, any, body, behind);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef less = LLVMBuildSub(b, m, my, "");
    LLVMValueRef fits = geo_emit_icmp(f, LLVMIntUGE, m, my);
    LLVMValueRef one = geo_emit_const_like(m, 1);
    LLVMValueRef stepped = LLVMBuildShl(b, geo_emit_select(f, fits, less, m), one, "");
    LLVMValueRef next_m = geo_emit_select(f, more, stepped, m);
    LLVMValueRef next_x = geo_emit_select(f, more, LLVMBuildSub(b, x, one, ""), x);
    LLVMBuildBr(b, head);
    LLVMBasicBlockRef from[2] = {before, body};
    LLVMAddIncoming(m, (LLVMValueRef[]){mx, next_m}, from, 2);
    LLVMAddIncoming(x, (LLVMValueRef[]){ex, next_x}, from, 2);
    LLVMPositionBuilderAtEnd(b, behind);
    LLVMValueRef last = LLVMBuildSub(b, m, my, "");
    return geo_emit_select(f, geo_emit_icmp(f, LLVMIntUGE, m, my), last, m);
}

static LLVMValueRef fmod_any(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = f->llvm.builder;
    struct fmod_layout layout = {.bits = geo_type_bits(x)};
    GEO_ASSERT(LLVMTypeOf(x) == LLVMTypeOf(y) && !geo_type_is_integer(x));
    layout.mantissa = layout.bits == 32 ? 23 : 52;
    layout.exponent_all_ones = layout.bits == 32 ? 0xff : 0x7ff;
    uint64_t sign_bit = 1ull << (layout.bits - 1);
    /* frozen because the loop branches on all lanes, and inactive lanes may be poison */
    x = LLVMBuildFreeze(b, x, "");
    y = LLVMBuildFreeze(b, y, "");
    LLVMValueRef bits_x = geo_emit_to_bits(f, x), bits_y = geo_emit_to_bits(f, y);
    LLVMValueRef absolute = geo_emit_const_like(bits_x, sign_bit - 1);
    LLVMValueRef sign = LLVMBuildAnd(b, bits_x, geo_emit_const_like(bits_x, sign_bit), "");
    LLVMValueRef ax = LLVMBuildAnd(b, bits_x, absolute, "");
    LLVMValueRef ay = LLVMBuildAnd(b, bits_y, absolute, "");
    /* The result is NaN if an operand is a NaN, x is infinite or y is zero. It is x if |x| < |y|,
     * including infinite y. Such lanes get equal exponents, so they do not prolong the loop. */
    LLVMValueRef infinity =
        geo_emit_const_like(ax, (uint64_t)layout.exponent_all_ones << layout.mantissa);
    LLVMValueRef invalid = LLVMBuildOr(b,
                                       LLVMBuildOr(b, geo_emit_icmp(f, LLVMIntUGE, ax, infinity),
                                                   geo_emit_icmp(f, LLVMIntUGT, ay, infinity), ""),
                                       geo_emit_icmp(f, LLVMIntEQ, ay, geo_emit_zero_like(ay)), "");
    LLVMValueRef smaller = geo_emit_icmp(f, LLVMIntULT, ax, ay);
    LLVMValueRef idle = LLVMBuildOr(b, invalid, smaller, "");
    LLVMValueRef mx, ex, my, ey;
    fmod_split(f, &layout, ax, &ex, &mx);
    fmod_split(f, &layout, ay, &ey, &my);
    ex = geo_emit_select(f, idle, ey, ex);
    LLVMValueRef rest = fmod_loop(f, mx, ex, my, ey);
    LLVMValueRef result = fmod_join(f, &layout, rest, ey);
    result = geo_emit_select(f, geo_emit_icmp(f, LLVMIntEQ, rest, geo_emit_zero_like(rest)),
                             geo_emit_zero_like(rest), result);
    result = geo_emit_select(f, smaller, ax, result);
    result = LLVMBuildOr(b, result, sign, "");
    uint64_t quiet =
        ((uint64_t)layout.exponent_all_ones << layout.mantissa) | (1ull << (layout.mantissa - 1));
    result = geo_emit_select(f, invalid, geo_emit_const_like(result, quiet), result);
    return geo_emit_from_bits(f, result);
}

static LLVMValueRef fmod_body(struct geo_lower_function *inner, LLVMValueRef *args, uint32_t choice)
{
    (void)choice;
    return fmod_any(inner, args[0], args[1]);
}

/* Emits fmod as a call of an outlined function, whose cost is small compared with the loop. */
static LLVMValueRef fmod_of(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[] = {x, y};
    char name[32];
    snprintf(name, sizeof(name), "geo.fmod.f%u.w%u", geo_type_bits(x), geo_type_lanes(x));
    return geo_outline_call(f, name, LLVMTypeOf(x), args, 2, fmod_body, 0);
}

LLVMValueRef geo_arith_divide_frem_part(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    if (e->from->kind != GEO_TYPE_FLOAT) {
        return NULL;
    }
    LLVMValueRef rest = fmod_of(f, e->v[0], e->v[1]);
    if (e->op != SpvOpFMod) {
        return rest;
    }
    LLVMValueRef bits =
        LLVMBuildXor(f->llvm.builder, geo_emit_to_bits(f, rest), geo_emit_to_bits(f, e->v[1]), "");
    LLVMValueRef differs =
        LLVMBuildAnd(f->llvm.builder, geo_emit_fcmp(f, LLVMRealONE, rest, geo_emit_zero_like(rest)),
                     geo_emit_icmp(f, LLVMIntSLT, bits, geo_emit_zero_like(bits)), "");
    LLVMValueRef sum = LLVMBuildFAdd(f->llvm.builder, rest, e->v[1], "");
    return geo_emit_select(f, differs, sum, rest);
}
