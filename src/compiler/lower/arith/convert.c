/* Emits conversions between integers and floats of all widths, with saturation and rounding modes,
 * and conversions of bfloat16.
 *
 * A float outside the range of an integer always saturates, and NaN gives 0. SPIR-V leaves these
 * cases undefined without the decoration. Scalar and vector instructions differ in them, and LLVM's
 * plain conversion would return poison. */
#include "compiler/lower/arith/convert.h"

#include "base/assert.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/arith/mode.h"
#include "compiler/lower/arith/round.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"

/* ---- float to float ---- */

static LLVMValueRef float_to_float(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    uint32_t from = e->from->width, to = e->type->width;
    SpvFPRoundingMode mode = geo_arith_mode_rounding(e->flags, SpvFPRoundingModeRTE);
    GEO_ASSERT(geo_type_bits(e->v[0]) == from);
    if (from == to) {
        return e->v[0];
    }
    if (to == 16) {
        return geo_arith_float_to_half(f, e->v[0], mode);
    }
    LLVMValueRef value = from == 16 ? geo_arith_half_to_float(f, e->v[0]) : e->v[0];
    if (to == 64) {
        return LLVMBuildFPExt(f->llvm.builder, value, geo_type_like(value, geo_type_float(f, 64)),
                              "");
    }
    return from == 64 ? geo_arith_round_to_float(f, value, mode) : value;
}

/* ---- float to integer ---- */

/* Converts vectors, because LLVM would split its saturating conversion into lanes. Values out of
 * range are replaced before the conversion, which would return poison for them. */
static LLVMValueRef float_to_int_vector(struct geo_lower_function *f, LLVMValueRef value,
                                        uint32_t bits, bool is_signed)
{
    LLVMBuilderRef b = f->llvm.builder;
    GEO_ASSERT(geo_type_lanes(value) > 1 && !geo_type_is_integer(value) && bits <= 64);
    if (bits < 32) {
        LLVMValueRef wide = float_to_int_vector(f, value, 32, true);
        uint64_t most = is_signed ? (1ull << (bits - 1)) - 1 : (1ull << bits) - 1;
        uint64_t least = is_signed ? ~most : 0;
        wide = geo_emit_minmax(f, "llvm.smin", wide, geo_emit_const_like(wide, most));
        wide = geo_emit_minmax(f, "llvm.smax", wide, geo_emit_const_like(wide, least));
        return geo_emit_zext(f, wide, bits);
    }
    double limit = is_signed ? (bits == 32 ? 0x1p31 : 0x1p63) : (bits == 32 ? 0x1p32 : 0x1p64);
    LLVMValueRef high = geo_emit_real_like(value, limit), zero = geo_emit_real_like(value, 0.0);
    LLVMValueRef low = is_signed ? geo_emit_real_like(value, -limit) : zero;
    LLVMTypeRef type = geo_type_like(value, geo_type_int(f, bits));
    LLVMValueRef inside = LLVMBuildAnd(b, geo_emit_fcmp(f, LLVMRealOGE, value, low),
                                       geo_emit_fcmp(f, LLVMRealOLT, value, high), "");
    LLVMValueRef safe = geo_emit_select(f, inside, value, zero);
    LLVMValueRef result =
        is_signed ? LLVMBuildFPToSI(b, safe, type, "") : LLVMBuildFPToUI(b, safe, type, "");
    uint64_t sign = 1ull << (bits - 1);
    LLVMValueRef most = geo_emit_const(type, is_signed ? sign - 1 : ~0ull);
    result = geo_emit_select(f, geo_emit_fcmp(f, LLVMRealOGE, value, high), most, result);
    if (is_signed) {
        LLVMValueRef below = geo_emit_fcmp(f, LLVMRealOLT, value, low);
        result = geo_emit_select(f, below, geo_emit_const(type, 0 - sign), result);
    }
    return result;
}

static LLVMValueRef float_to_int(struct geo_emit *e, bool is_signed)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef value = e->from->width == 16 ? geo_arith_half_to_float(f, e->v[0]) : e->v[0];
    switch (geo_arith_mode_rounding(e->flags, SpvFPRoundingModeRTZ)) {
    case SpvFPRoundingModeRTE:
        value = geo_arith_round(f, "llvm.roundeven", value);
        break;
    case SpvFPRoundingModeRTP:
        value = geo_arith_round(f, "llvm.ceil", value);
        break;
    case SpvFPRoundingModeRTN:
        value = geo_arith_round(f, "llvm.floor", value);
        break;
    default:
        break;
    }
    if (geo_type_lanes(value) > 1) {
        return float_to_int_vector(f, value, e->type->width, is_signed);
    }
    LLVMTypeRef types[2] = {geo_type_like(value, geo_type_int(f, e->type->width)),
                            LLVMTypeOf(value)};
    return geo_emit_intrinsic_of(f, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2,
                                 &value, 1);
}

/* ---- integer to float ---- */

static LLVMValueRef int_to_float_plain(struct geo_lower_function *f, LLVMValueRef value,
                                       bool is_signed, uint32_t to)
{
    LLVMTypeRef type = geo_type_like(value, geo_type_float(f, to));
    return is_signed ? LLVMBuildSIToFP(f->llvm.builder, value, type, "")
                     : LLVMBuildUIToFP(f->llvm.builder, value, type, "");
}

/* Converts a 64-bit integer with a directed rounding mode. The integer is truncated to the bits
 * that fit and converted exactly. Then the result is moved one step away from zero if the mode
 * requires it. */
static LLVMValueRef long_to_float_directed(struct geo_lower_function *f, LLVMValueRef value,
                                           bool is_signed, uint32_t to, SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    GEO_ASSERT(geo_type_bits(value) == 64 && mode != SpvFPRoundingModeRTE);
    LLVMValueRef zero = geo_emit_zero_like(value), one = geo_emit_const_like(value, 1);
    LLVMValueRef negative =
        is_signed ? geo_emit_icmp(f, LLVMIntSLT, value, zero)
                  : LLVMConstNull(geo_type_like(value, LLVMInt1TypeInContext(f->llvm.context)));
    LLVMValueRef magnitude = geo_emit_select(f, negative, LLVMBuildSub(b, zero, value, ""), value);
    LLVMValueRef args[2] = {magnitude,
                            LLVMConstInt(LLVMInt1TypeInContext(f->llvm.context), 0, false)};
    LLVMValueRef zeros = geo_emit_intrinsic(f, "llvm.ctlz", args, 2);
    LLVMValueRef spare = geo_emit_const_like(value, 64 - (to == 32 ? 24 : 53));
    LLVMValueRef shift = LLVMBuildSub(b, spare, zeros, "");
    shift = geo_emit_select(f, geo_emit_icmp(f, LLVMIntSGT, shift, zero), shift, zero);
    LLVMValueRef mask = LLVMBuildSub(b, LLVMBuildShl(b, one, shift, ""), one, "");
    LLVMValueRef lost = LLVMBuildAnd(b, magnitude, mask, "");
    LLVMValueRef exact = int_to_float_plain(f, LLVMBuildSub(b, magnitude, lost, ""), false, to);
    LLVMValueRef away = geo_emit_icmp(f, LLVMIntNE, lost, zero);
    if (mode == SpvFPRoundingModeRTZ) {
        away = LLVMConstNull(LLVMTypeOf(away));
    } else {
        LLVMValueRef outward =
            mode == SpvFPRoundingModeRTN ? negative : LLVMBuildNot(b, negative, "");
        away = LLVMBuildAnd(b, away, outward, "");
    }
    LLVMValueRef bits = geo_emit_to_bits(f, exact);
    bits = LLVMBuildAdd(b, bits, geo_emit_zext(f, away, to), "");
    LLVMValueRef sign = geo_emit_select(f, negative, geo_emit_const_like(bits, 1ull << (to - 1)),
                                        geo_emit_zero_like(bits));
    return geo_emit_from_bits(f, LLVMBuildOr(b, bits, sign, ""));
}

static LLVMValueRef int_to_float(struct geo_emit *e, bool is_signed)
{
    struct geo_lower_function *f = e->f;
    uint32_t from = e->from->width, to = e->type->width;
    SpvFPRoundingMode mode = geo_arith_mode_rounding(e->flags, SpvFPRoundingModeRTE);
    if (to == 16) {
        /* exact in float or double, or so large that half overflows in any case */
        return geo_arith_float_to_half(
            f, int_to_float_plain(f, e->v[0], is_signed, from <= 16 ? 32 : 64), mode);
    }
    if (mode == SpvFPRoundingModeRTE || from <= 16 || (from == 32 && to == 64)) {
        return int_to_float_plain(f, e->v[0], is_signed, to);
    }
    if (from == 32) {
        return geo_arith_round_to_float(f, int_to_float_plain(f, e->v[0], is_signed, 64), mode);
    }
    return long_to_float_directed(f, e->v[0], is_signed, to, mode);
}

/* ---- integer to integer ---- */

static LLVMValueRef clamp_signed(struct geo_lower_function *f, LLVMValueRef value, uint32_t to)
{
    LLVMValueRef most = geo_emit_const_like(value, (1ull << (to - 1)) - 1);
    LLVMValueRef least = geo_emit_const_like(value, ~((1ull << (to - 1)) - 1));
    value = geo_emit_minmax(f, "llvm.smin", value, most);
    return geo_emit_minmax(f, "llvm.smax", value, least);
}

static LLVMValueRef int_to_int(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef value = e->v[0];
    uint32_t from = e->from->width, to = e->type->width;
    bool saturate = e->flags & GEO_VALUE_SATURATED;
    switch (e->op) {
    case SpvOpUConvert:
        if (saturate && to < from) {
            value = geo_emit_minmax(f, "llvm.umin", value,
                                    geo_emit_const_like(value, (1ull << to) - 1));
        }
        return geo_emit_zext(f, value, to);
    case SpvOpSConvert:
        return geo_emit_sext(f, saturate && to < from ? clamp_signed(f, value, to) : value, to);
    case SpvOpSatConvertSToU:
        value = geo_emit_minmax(f, "llvm.smax", value, geo_emit_zero_like(value));
        if (to < from) {
            value = geo_emit_minmax(f, "llvm.umin", value,
                                    geo_emit_const_like(value, (1ull << to) - 1));
        }
        return geo_emit_zext(f, value, to);
    default:
        if (to <= from) {
            value = geo_emit_minmax(f, "llvm.umin", value,
                                    geo_emit_const_like(value, (1ull << (to - 1)) - 1));
        }
        return geo_emit_zext(f, value, to);
    }
}

LLVMValueRef geo_arith_convert(struct geo_emit *e)
{
    bool from_float = e->from->kind == GEO_TYPE_FLOAT, to_float = e->type->kind == GEO_TYPE_FLOAT;
    bool from_int = e->from->kind == GEO_TYPE_INT, to_int = e->type->kind == GEO_TYPE_INT;
    switch (e->op) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
        return from_float && to_int ? float_to_int(e, e->op == SpvOpConvertFToS) : NULL;
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
        return from_int && to_float ? int_to_float(e, e->op == SpvOpConvertSToF) : NULL;
    case SpvOpFConvert:
        return from_float && to_float ? float_to_float(e) : NULL;
    default:
        return from_int && to_int ? int_to_int(e) : NULL;
    }
}

/* ---- bfloat16, held in 16-bit integers ---- */

/* Rounds the bits of a float to the upper half. Infinities are unchanged. */
static LLVMValueRef bfloat_round(struct geo_lower_function *f, LLVMValueRef bits,
                                 SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    GEO_ASSERT(geo_type_is_integer(bits) && geo_type_bits(bits) == 32);
    LLVMValueRef sixteen = geo_emit_const_like(bits, 16), low = geo_emit_const_like(bits, 0xffff);
    if (mode == SpvFPRoundingModeRTE) {
        /* adds just under half a unit, and one more if the last bit is odd */
        LLVMValueRef odd =
            LLVMBuildAnd(b, LLVMBuildLShr(b, bits, sixteen, ""), geo_emit_const_like(bits, 1), "");
        LLVMValueRef up = LLVMBuildAdd(b, bits, geo_emit_const_like(bits, 0x7fff), "");
        return LLVMBuildLShr(b, LLVMBuildAdd(b, up, odd, ""), sixteen, "");
    }
    LLVMValueRef kept = LLVMBuildLShr(b, bits, sixteen, "");
    LLVMValueRef negative = geo_emit_icmp(f, LLVMIntSLT, bits, geo_emit_zero_like(bits));
    LLVMValueRef up = geo_arith_mode_rounds_up(f, kept, LLVMBuildAnd(b, bits, low, ""),
                                               geo_emit_const_like(bits, 0x8000), negative, mode);
    return LLVMBuildAdd(b, kept, geo_emit_zext(f, up, 32), "");
}

LLVMValueRef geo_arith_convert_bfloat(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->llvm.builder;
    if (e->type->kind == GEO_TYPE_FLOAT) {
        if (e->from->width != 16 || e->type->width != 32) {
            return NULL;
        }
        LLVMValueRef bits = geo_emit_zext(f, e->v[0], 32);
        return geo_emit_from_bits(f, LLVMBuildShl(b, bits, geo_emit_const_like(bits, 16), ""));
    }
    if (e->from->kind != GEO_TYPE_FLOAT || e->from->width != 32 || e->type->width != 16) {
        return NULL;
    }
    LLVMValueRef bits = geo_emit_to_bits(f, e->v[0]), sixteen = geo_emit_const_like(bits, 16);
    LLVMValueRef rounded =
        bfloat_round(f, bits, geo_arith_mode_rounding(e->flags, SpvFPRoundingModeRTE));
    LLVMValueRef quiet =
        LLVMBuildOr(b, LLVMBuildLShr(b, bits, sixteen, ""), geo_emit_const_like(bits, 0x40), "");
    LLVMValueRef nan = geo_emit_fcmp(f, LLVMRealUNO, e->v[0], e->v[0]);
    return geo_emit_zext(f, geo_emit_select(f, nan, quiet, rounded), 16);
}

LLVMValueRef geo_arith_convert_tf32(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->llvm.builder;
    if (e->type->kind != GEO_TYPE_FLOAT || e->type->width != 32 || e->from != e->type) {
        return NULL;
    }
    LLVMValueRef bits = geo_emit_to_bits(f, e->v[0]);
    LLVMValueRef odd = LLVMBuildLShr(b, bits, geo_emit_const_like(bits, 13), "");
    odd = LLVMBuildAnd(b, odd, geo_emit_const_like(bits, 1), "");
    LLVMValueRef up = LLVMBuildAdd(b, bits, geo_emit_const_like(bits, 0xfff), "");
    LLVMValueRef rounded = LLVMBuildAdd(b, up, odd, "");
    LLVMValueRef quiet = LLVMBuildOr(b, bits, geo_emit_const_like(bits, 0x400000), "");
    LLVMValueRef nan = geo_emit_fcmp(f, LLVMRealUNO, e->v[0], e->v[0]);
    bits = LLVMBuildAnd(b, geo_emit_select(f, nan, quiet, rounded),
                        geo_emit_const_like(bits, 0xffffe000u), "");
    return geo_emit_from_bits(f, bits);
}
