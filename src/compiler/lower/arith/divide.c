/* Integer division and remainder that never trap, and the exact float remainder.
 *
 * Defined results where SPIR-V has none: a divisor of 0 gives quotient and remainder 0, and the
 * smallest number divided by -1 is itself with remainder 0. Dead lanes hold anything, poison
 * included, so their divisor is 1; constant divisors need nothing.
 *
 * x86 has no vector division of integers: vectors of up to 32 bits go through double, where the
 * truncated quotient is exact (the error of a rounded quotient is below its distance to the next
 * integer). Wider ones are divided lane by lane. */
#include "compiler/lower/arith/divide.h"

#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/outline.h"

#include <stdio.h>

/* True for a scalar or splat constant divisor; its value is sign-extended. */
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
    for (uint32_t i = 1; i < geo_emit_lanes(value); i++) {
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

/* y, or 1 where x / y has no result; no lane is poison. */
static LLVMValueRef divisor_safe(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y,
                                 bool is_signed)
{
    LLVMValueRef bad = geo_emit_icmp(f, LLVMIntEQ, y, geo_emit_zero_like(y));
    if (is_signed) {
        uint64_t least = 1ull << (geo_emit_bits(x) - 1);
        LLVMValueRef wraps =
            LLVMBuildAnd(f->builder, geo_emit_icmp(f, LLVMIntEQ, y, geo_emit_const_like(y, ~0ull)),
                         geo_emit_icmp(f, LLVMIntEQ, x, geo_emit_const_like(x, least)), "");
        bad = LLVMBuildOr(f->builder, bad, wraps, "");
    }
    return geo_emit_select(f, bad, geo_emit_const_like(y, 1), y);
}

/* Quotient of vectors of at most 32 bits through double; the divisor is safe. */
static LLVMValueRef quotient_by_double(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y,
                                       bool is_signed)
{
    LLVMBuilderRef b = f->builder;
    uint32_t bits = geo_emit_bits(x), wide = bits < 32 ? 32 : 64;
    LLVMTypeRef real = geo_emit_like(x, geo_emit_float_type(f, wide));
    LLVMTypeRef whole = geo_emit_like(x, geo_emit_int_type(f, bits));
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
    if (geo_emit_lanes(x) > 1 && geo_emit_bits(x) <= 32) {
        return quotient_by_double(f, x, y, is_signed);
    }
    return is_signed ? LLVMBuildSDiv(f->builder, x, y, "") : LLVMBuildUDiv(f->builder, x, y, "");
}

/* The result of an instruction whose divisor is `safe`, which is 1 where y is not. */
static LLVMValueRef division(struct geo_lower_function *f, SpvOp op, LLVMValueRef x, LLVMValueRef y,
                             LLVMValueRef safe, LLVMValueRef whole)
{
    LLVMBuilderRef b = f->builder;
    LLVMValueRef zero = geo_emit_zero_like(x);
    if (op == SpvOpUDiv || op == SpvOpSDiv) {
        /* The smallest / -1 is the smallest: the divisor became 1. */
        return safe == y ? whole
                         : geo_emit_select(f, geo_emit_icmp(f, LLVMIntEQ, y, zero), zero, whole);
    }
    LLVMValueRef rest = LLVMBuildSub(b, x, LLVMBuildMul(b, whole, safe, ""), "");
    if (op != SpvOpSMod) {
        return rest;
    }
    /* The sign of the divisor: add it when the remainder's sign differs. */
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

/* In a function: lane by lane, and where vectors have 128 bits LLVM takes long to order that. */
static LLVMValueRef divide_call(struct geo_lower_function *f, SpvOp op, LLVMValueRef x,
                                LLVMValueRef y)
{
    LLVMValueRef args[] = {x, y};
    char name[40];
    snprintf(name, sizeof(name), "geo.%s.i%u.w%u", geo_ir_op_name(op), geo_emit_bits(x),
             geo_emit_lanes(x));
    return geo_outline_call(f, name, LLVMTypeOf(x), args, 2, divide_body, op);
}

LLVMValueRef geo_emit_divide(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef x = e->v[0], y = e->v[1];
    int64_t value;
    if (e->from->kind != GEO_TYPE_INT) {
        return NULL;
    }
    bool is_signed = e->op != SpvOpUDiv && e->op != SpvOpUMod;
    if (divisor_constant(y, &value) && value != 0 && (value != -1 || !is_signed)) {
        LLVMValueRef whole =
            is_signed ? LLVMBuildSDiv(f->builder, x, y, "") : LLVMBuildUDiv(f->builder, x, y, "");
        return division(f, e->op, x, y, y, whole);
    }
    if (geo_emit_lanes(y) == 1) {
        return divide_any(f, e->op, x, y);
    }
    y = geo_emit_active_select(f, y, geo_emit_const_like(y, 1));
    return geo_emit_bits(x) > 32 && !f->options->target.has_fma ? divide_call(f, e->op, x, y)
                                                                : divide_any(f, e->op, x, y);
}

/* ---- float remainder ---- */

struct fmod_layout {
    uint32_t bits, mantissa, exponent_all_ones;
};

/* |v| as {biased exponent, mantissa with its leading bit at position `mantissa`}, v's denormals
 * included: their exponent goes below 1. */
static void fmod_split(struct geo_lower_function *f, const struct fmod_layout *layout,
                       LLVMValueRef magnitude, LLVMValueRef *exponent, LLVMValueRef *mantissa)
{
    LLVMBuilderRef b = f->builder;
    LLVMValueRef args[2] = {magnitude, LLVMConstInt(LLVMInt1TypeInContext(f->context), 0, false)};
    LLVMValueRef zeros = geo_emit_intrinsic(f, "llvm.ctlz", args, 2);
    LLVMValueRef top = geo_emit_const_like(magnitude, layout->bits - 1 - layout->mantissa);
    LLVMValueRef plain =
        LLVMBuildLShr(b, magnitude, geo_emit_const_like(zeros, layout->mantissa), "");
    LLVMValueRef denormal = geo_emit_icmp(f, LLVMIntEQ, plain, geo_emit_zero_like(plain));
    LLVMValueRef shift = LLVMBuildSub(b, zeros, top, "");
    /* Only where denormal; masked so that no amount reaches the width. */
    shift = LLVMBuildAnd(b, shift, geo_emit_const_like(shift, layout->bits - 1), "");
    uint64_t fraction = (1ull << layout->mantissa) - 1;
    LLVMValueRef normal =
        LLVMBuildOr(b, LLVMBuildAnd(b, magnitude, geo_emit_const_like(magnitude, fraction), ""),
                    geo_emit_const_like(magnitude, fraction + 1), "");
    *mantissa = geo_emit_select(f, denormal, LLVMBuildShl(b, magnitude, shift, ""), normal);
    *exponent = geo_emit_select(f, denormal,
                                LLVMBuildSub(b, geo_emit_const_like(plain, 1), shift, ""), plain);
}

/* Builds the float of mantissa (leading bit anywhere up to `mantissa`) and exponent. */
static LLVMValueRef fmod_join(struct geo_lower_function *f, const struct fmod_layout *layout,
                              LLVMValueRef mantissa, LLVMValueRef exponent)
{
    LLVMBuilderRef b = f->builder;
    LLVMValueRef args[2] = {mantissa, LLVMConstInt(LLVMInt1TypeInContext(f->context), 0, false)};
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

/* Long division of mantissas, one bit of the exponents' difference a round, all lanes together:
 *
 *     while any ex > ey:  if ex > ey: { if mx >= my: mx -= my;  mx <<= 1;  ex -= 1 } */
static LLVMValueRef fmod_loop(struct geo_lower_function *f, LLVMValueRef mx, LLVMValueRef ex,
                              LLVMValueRef my, LLVMValueRef ey)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef type = LLVMTypeOf(mx);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "fmod.done");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "fmod.step");
    LLVMBasicBlockRef head = geo_emit_block_next(f, "fmod.head");
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef m = LLVMBuildPhi(b, type, ""), x = LLVMBuildPhi(b, type, "");
    LLVMValueRef more = geo_emit_icmp(f, LLVMIntSGT, x, ey), any = more;
    if (geo_emit_lanes(more) > 1) {
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
    LLVMBuilderRef b = f->builder;
    struct fmod_layout layout = {.bits = geo_emit_bits(x)};
    layout.mantissa = layout.bits == 32 ? 23 : 52;
    layout.exponent_all_ones = layout.bits == 32 ? 0xff : 0x7ff;
    uint64_t sign_bit = 1ull << (layout.bits - 1);
    /* The loop branches on them: dead lanes must not be poison. */
    x = LLVMBuildFreeze(b, x, "");
    y = LLVMBuildFreeze(b, y, "");
    LLVMValueRef bits_x = geo_emit_to_bits(f, x), bits_y = geo_emit_to_bits(f, y);
    LLVMValueRef absolute = geo_emit_const_like(bits_x, sign_bit - 1);
    LLVMValueRef sign = LLVMBuildAnd(b, bits_x, geo_emit_const_like(bits_x, sign_bit), "");
    LLVMValueRef ax = LLVMBuildAnd(b, bits_x, absolute, "");
    LLVMValueRef ay = LLVMBuildAnd(b, bits_y, absolute, "");
    /* NaN, x infinite, y zero: NaN. |x| < |y| (y infinite too): x. Such lanes get equal exponents
     * in the loop so that they never keep it going. */
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

/* A loop and much around it: a call costs nothing beside it. */
static LLVMValueRef fmod_of(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[] = {x, y};
    char name[32];
    snprintf(name, sizeof(name), "geo.fmod.f%u.w%u", geo_emit_bits(x), geo_emit_lanes(x));
    return geo_outline_call(f, name, LLVMTypeOf(x), args, 2, fmod_body, 0);
}

LLVMValueRef geo_emit_frem_part(struct geo_emit *e)
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
        LLVMBuildXor(f->builder, geo_emit_to_bits(f, rest), geo_emit_to_bits(f, e->v[1]), "");
    LLVMValueRef differs =
        LLVMBuildAnd(f->builder, geo_emit_fcmp(f, LLVMRealONE, rest, geo_emit_zero_like(rest)),
                     geo_emit_icmp(f, LLVMIntSLT, bits, geo_emit_zero_like(bits)), "");
    LLVMValueRef sum = LLVMBuildFAdd(f->builder, rest, e->v[1], "");
    return geo_emit_select(f, differs, sum, rest);
}
