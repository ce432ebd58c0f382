/* Emits OpenCL.std instructions on floats that have a short exact sequence, and those that select
 * bits. */
#include "compiler/lower/ext/float.h"

#include "compiler/lower/arith/compare.h"
#include "compiler/lower/arith/divide.h"
#include "compiler/lower/arith/mode.h"
#include "compiler/lower/arith/round.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/ext/rows.h"

static LLVMValueRef one_of(struct geo_emit *e, const char *name)
{
    return geo_emit_intrinsic(e->f, name, e->v, 1);
}

static LLVMValueRef times(struct geo_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFMul(e->f->llvm.builder, a, b, "");
}

static LLVMValueRef plus(struct geo_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFAdd(e->f->llvm.builder, a, b, "");
}

static LLVMValueRef minus(struct geo_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFSub(e->f->llvm.builder, a, b, "");
}

static LLVMValueRef copysign_of(struct geo_lower_function *f, LLVMValueRef magnitude,
                                LLVMValueRef sign)
{
    LLVMValueRef args[2] = {magnitude, sign};
    return geo_emit_intrinsic(f, "llvm.copysign", args, 2);
}

/* Rounds to nearest, halfway cases away from zero. The fraction that trunc removes is exact. */
static LLVMValueRef round_away(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef x = e->v[0], whole = geo_arith_round(e->f, "llvm.trunc", e->v[0]);
    LLVMValueRef cut = geo_emit_abs(f, minus(e, x, whole));
    LLVMValueRef up = geo_emit_fcmp(f, LLVMRealOGE, cut, geo_emit_real_like(x, 0.5));
    LLVMValueRef step = copysign_of(f, geo_emit_real_like(x, 1.0), x);
    LLVMValueRef result = geo_emit_select(f, up, plus(e, whole, step), whole);
    return copysign_of(f, result, x);
}

/* Returns the operand of larger (is_min: smaller) magnitude, or fmax (fmin) if magnitudes are
 * equal. */
static LLVMValueRef by_magnitude(struct geo_emit *e, bool is_min)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef x = e->v[0], y = e->v[1];
    LLVMValueRef ax = geo_emit_abs(f, x), ay = geo_emit_abs(f, y);
    LLVMRealPredicate wins = is_min ? LLVMRealOLT : LLVMRealOGT;
    LLVMValueRef result =
        geo_emit_select(f, geo_emit_fcmp(f, wins, ay, ax), y, geo_arith_fminmax(f, x, y, is_min));
    return geo_emit_select(f, geo_emit_fcmp(f, wins, ax, ay), x, result);
}

/* Return the larger or smaller operand. They return the first one if both are equal or one is a
 * NaN, which is one instruction. */
static LLVMValueRef larger(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y)
{
    return geo_emit_select(f, geo_emit_fcmp(f, LLVMRealOLT, x, y), y, x);
}

static LLVMValueRef smaller(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y)
{
    return geo_emit_select(f, geo_emit_fcmp(f, LLVMRealOLT, y, x), y, x);
}

static LLVMValueRef clamp(struct geo_emit *e, LLVMValueRef x, LLVMValueRef low, LLVMValueRef high)
{
    return geo_arith_fminmax(e->f, geo_arith_fminmax(e->f, x, low, false), high, true);
}

static LLVMValueRef smoothstep(struct geo_emit *e)
{
    LLVMValueRef x = e->v[2], zero = geo_emit_real_like(x, 0.0), one = geo_emit_real_like(x, 1.0);
    LLVMValueRef t =
        LLVMBuildFDiv(e->f->llvm.builder, minus(e, x, e->v[0]), minus(e, e->v[1], e->v[0]), "");
    t = clamp(e, t, zero, one);
    LLVMValueRef slope =
        minus(e, geo_emit_real_like(x, 3.0), times(e, geo_emit_real_like(x, 2.0), t));
    return times(e, times(e, t, t), slope);
}

static LLVMValueRef sign_of(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef x = e->v[0], zero = geo_emit_real_like(x, 0.0);
    LLVMValueRef one = copysign_of(f, geo_emit_real_like(x, 1.0), x);
    LLVMValueRef result = geo_emit_select(f, geo_emit_fcmp(f, LLVMRealOEQ, x, zero), x, one);
    return geo_emit_select(f, geo_emit_fcmp(f, LLVMRealUNO, x, x), zero, result);
}

static LLVMValueRef positive_difference(struct geo_emit *e)
{
    LLVMValueRef x = e->v[0], y = e->v[1];
    return geo_emit_select(e->f, geo_emit_fcmp(e->f, LLVMRealOLE, x, y), geo_emit_real_like(x, 0.0),
                           minus(e, x, y));
}

/* ---- ldexp ---- */

/* Returns 2^k as a double, for k in the normal range. */
static LLVMValueRef power_of_two(struct geo_lower_function *f, LLVMValueRef k)
{
    LLVMValueRef wide = geo_emit_sext(f, k, 64);
    wide = LLVMBuildAdd(f->llvm.builder, wide, geo_emit_const_like(wide, 1023), "");
    wide = LLVMBuildShl(f->llvm.builder, wide, geo_emit_const_like(wide, 52), "");
    return geo_emit_from_bits(f, wide);
}

static LLVMValueRef clamp_int(struct geo_lower_function *f, LLVMValueRef k, int64_t limit)
{
    k = geo_emit_minmax(f, "llvm.smin", k, geo_emit_const_like(k, (uint64_t)limit));
    return geo_emit_minmax(f, "llvm.smax", k, geo_emit_const_like(k, (uint64_t)-limit));
}

/* Computes ldexp of doubles in up to three multiplications. All but the last keep the value normal,
 * so only the last one rounds. The 53 spare bits prevent double rounding of denormals. */
static LLVMValueRef ldexp_of(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef x = e->v[0], k = e->v[1];
    if (e->type->width != 64) {
        return NULL;
    }
    k = clamp_int(f, k, 4000);
    for (int round = 0; round < 2; round++) {
        LLVMValueRef high = geo_emit_icmp(f, LLVMIntSGT, k, geo_emit_const_like(k, 1023));
        LLVMValueRef low = geo_emit_icmp(f, LLVMIntSLT, k, geo_emit_const_like(k, (uint64_t)-1022));
        LLVMValueRef factor = geo_emit_select(
            f, high, geo_emit_real_like(x, 0x1p1023),
            geo_emit_select(f, low, geo_emit_real_like(x, 0x1p-969), geo_emit_real_like(x, 1.0)));
        LLVMValueRef step = geo_emit_select(
            f, high, geo_emit_const_like(k, (uint64_t)-1023),
            geo_emit_select(f, low, geo_emit_const_like(k, 969), geo_emit_zero_like(k)));
        x = LLVMBuildFMul(b, x, factor, "");
        k = LLVMBuildAdd(b, k, step, "");
    }
    k = geo_emit_minmax(f, "llvm.smin", k, geo_emit_const_like(k, 1023));
    k = geo_emit_minmax(f, "llvm.smax", k, geo_emit_const_like(k, (uint64_t)-1022));
    return LLVMBuildFMul(b, x, power_of_two(f, k), "");
}

static LLVMValueRef mad(struct geo_emit *e)
{
    SpvFPRoundingMode mode = geo_arith_mode_rounding(e->flags, SpvFPRoundingModeRTE);
    if (e->f->options->target.has_fma) {
        return geo_arith_mode_rounded(e->f, GEO_ROUNDED_FMA, mode, e->v);
    }
    LLVMValueRef sum[2] = {geo_arith_mode_rounded(e->f, GEO_ROUNDED_MULTIPLY, mode, e->v), e->v[2]};
    return geo_arith_mode_rounded(e->f, GEO_ROUNDED_ADD, mode, sum);
}

LLVMValueRef geo_ext_float(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef x = e->v[0], y = e->v[1];
    bool numbers = e->flags & GEO_VALUE_FAST_NOT_NAN;
    if (e->from->kind != GEO_TYPE_FLOAT || e->type->kind != GEO_TYPE_FLOAT) {
        return NULL;
    }
    switch ((enum geo_ext_float)e->op) {
    case FLOAT_Ceil:
        return geo_arith_round(e->f, "llvm.ceil", e->v[0]);
    case FLOAT_Floor:
        return geo_arith_round(e->f, "llvm.floor", e->v[0]);
    case FLOAT_Trunc:
        return geo_arith_round(e->f, "llvm.trunc", e->v[0]);
    case FLOAT_Rint:
        return geo_arith_round(e->f, "llvm.roundeven", e->v[0]);
    case FLOAT_Round:
        return round_away(e);
    case FLOAT_Fabs:
        return one_of(e, "llvm.fabs");
    case FLOAT_Copysign:
        return copysign_of(f, x, y);
    case FLOAT_Sqrt:
        return geo_arith_mode_rounded(
            f, GEO_ROUNDED_SQRT, geo_arith_mode_rounding(e->flags, SpvFPRoundingModeRTE), e->v);
    case FLOAT_Fdim:
        return positive_difference(e);
    case FLOAT_Fmax:
        return numbers ? larger(f, x, y) : geo_arith_fminmax(f, x, y, false);
    case FLOAT_Fmin:
        return numbers ? smaller(f, x, y) : geo_arith_fminmax(f, x, y, true);
    case FLOAT_FMax_common:
        return larger(f, x, y);
    case FLOAT_FMin_common:
        return smaller(f, x, y);
    case FLOAT_Maxmag:
        return by_magnitude(e, false);
    case FLOAT_Minmag:
        return by_magnitude(e, true);
    case FLOAT_Ldexp:
        return ldexp_of(e);
    case FLOAT_Mad:
        return mad(e);
    case FLOAT_FClamp:
        return clamp(e, x, y, e->v[2]);
    case FLOAT_Degrees:
        return times(e, x, geo_emit_real_like(x, 57.295779513082320876798154814105));
    case FLOAT_Radians:
        return times(e, x, geo_emit_real_like(x, 0.017453292519943295769236907684886));
    case FLOAT_Mix:
        return plus(e, x, times(e, minus(e, y, x), e->v[2]));
    case FLOAT_Step:
        return geo_emit_select(f, geo_emit_fcmp(f, LLVMRealOLT, y, x), geo_emit_real_like(x, 0.0),
                               geo_emit_real_like(x, 1.0));
    case FLOAT_Smoothstep:
        return smoothstep(e);
    case FLOAT_Sign:
        return sign_of(e);
    }
    return NULL;
}

/* ---- operations on bits ---- */

static LLVMValueRef nextafter_of(struct geo_lower_function *f, const struct geo_ir_type *type,
                                 LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = f->llvm.builder;
    uint32_t width = type->width, mantissa = width == 16 ? 10 : width == 32 ? 23 : 52;
    uint64_t sign_bit = 1ull << (width - 1);
    uint64_t infinity = (sign_bit - 1) & ~((1ull << mantissa) - 1);
    x = geo_emit_to_bits(f, x);
    y = geo_emit_to_bits(f, y);
#define C(number) geo_emit_const_like(x, number)
    LLVMValueRef ax = LLVMBuildAnd(b, x, C(sign_bit - 1), "");
    LLVMValueRef ay = LLVMBuildAnd(b, y, C(sign_bit - 1), "");
    LLVMValueRef negative = geo_emit_icmp(f, LLVMIntSLT, x, C(0));
    LLVMValueRef y_negative = geo_emit_icmp(f, LLVMIntSLT, y, C(0));
    /* towards zero if y has the other sign or a smaller magnitude */
    LLVMValueRef other_side = LLVMBuildXor(b, negative, y_negative, "");
    LLVMValueRef nearer = geo_emit_icmp(f, LLVMIntULT, ay, ax);
    LLVMValueRef inward = LLVMBuildOr(b, other_side, nearer, "");
    LLVMValueRef next = LLVMBuildAdd(b, x, geo_emit_select(f, inward, C(~0ull), C(1)), "");
    LLVMValueRef least = LLVMBuildOr(b, LLVMBuildAnd(b, y, C(sign_bit), ""), C(1), "");
    next = geo_emit_select(f, geo_emit_icmp(f, LLVMIntEQ, ax, C(0)), least, next);
    LLVMValueRef zeros = geo_emit_icmp(f, LLVMIntEQ, LLVMBuildOr(b, ax, ay, ""), C(0));
    LLVMValueRef equal = LLVMBuildOr(b, zeros, geo_emit_icmp(f, LLVMIntEQ, x, y), "");
    next = geo_emit_select(f, equal, y, next);
    LLVMValueRef quiet = C(infinity | (1ull << (mantissa - 1)));
    LLVMValueRef nan = LLVMBuildOr(b, geo_emit_icmp(f, LLVMIntUGT, ax, C(infinity)),
                                   geo_emit_icmp(f, LLVMIntUGT, ay, C(infinity)), "");
    next = geo_emit_select(f, nan, quiet, next);
#undef C
    return width == 16 ? next : geo_emit_from_bits(f, next);
}

/* Lowers select. The condition of a vector is the sign of each component, that of a scalar is any
 * set bit. */
static LLVMValueRef select_of(struct geo_emit *e)
{
    LLVMValueRef c = e->v[2], zero = geo_emit_zero_like(c);
    bool vector = e->inst && e->inst->value.type->kind == GEO_TYPE_VECTOR;
    if (LLVMGetTypeKind(geo_type_element(c)) != LLVMIntegerTypeKind) {
        return NULL;
    }
    LLVMValueRef takes = geo_emit_icmp(e->f, vector ? LLVMIntSLT : LLVMIntNE, c, zero);
    return geo_emit_select(e->f, takes, e->v[1], e->v[0]);
}

static LLVMValueRef bitselect_of(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef x = geo_emit_to_bits(f, e->v[0]), y = geo_emit_to_bits(f, e->v[1]);
    LLVMValueRef mask = geo_emit_to_bits(f, e->v[2]);
    LLVMValueRef bits = LLVMBuildOr(b, LLVMBuildAnd(b, y, mask, ""),
                                    LLVMBuildAnd(b, x, LLVMBuildNot(b, mask, ""), ""), "");
    return e->type->kind == GEO_TYPE_FLOAT && e->type->width > 16 ? geo_emit_from_bits(f, bits)
                                                                  : bits;
}

static LLVMValueRef nan_of(struct geo_emit *e)
{
    uint32_t width = e->type->width, mantissa = width == 16 ? 10 : width == 32 ? 23 : 52;
    if (e->type->kind != GEO_TYPE_FLOAT || e->from->kind != GEO_TYPE_INT ||
        e->from->width != width) {
        return NULL;
    }
    uint64_t quiet = ((1ull << (width - 1)) - 1) & ~((1ull << (mantissa - 1)) - 1);
    LLVMValueRef code =
        LLVMBuildAnd(e->f->llvm.builder, e->v[0],
                     geo_emit_const_like(e->v[0], (1ull << (mantissa - 1)) - 1), "");
    LLVMValueRef bits = LLVMBuildOr(e->f->llvm.builder, code, geo_emit_const_like(code, quiet), "");
    return width == 16 ? bits : geo_emit_from_bits(e->f, bits);
}

LLVMValueRef geo_ext_bits(struct geo_emit *e)
{
    switch ((enum geo_ext_bits)e->op) {
    case BITS_Nan:
        return nan_of(e);
    case BITS_Nextafter:
        return e->from->kind == GEO_TYPE_FLOAT ? nextafter_of(e->f, e->type, e->v[0], e->v[1])
                                               : NULL;
    case BITS_Bitselect:
        return bitselect_of(e);
    case BITS_Select:
        return select_of(e);
    }
    return NULL;
}
