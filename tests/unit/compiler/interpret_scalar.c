/* Scalar arithmetic of the reference interpreter, in plain C. See interpret.h.
 *
 * Written apart from the compiler's own constant folder on purpose: each checks the other. */
#include "interpret.h"

#include <math.h>
#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

static uint32_t bit_width(const struct geo_ir_type *type)
{
    switch (type->kind) {
    case GEO_TYPE_BOOL:
        return 1;
    case GEO_TYPE_INT:
    case GEO_TYPE_FLOAT:
        return type->width;
    default:
        return 64;
    }
}

static uint64_t truncate_to(uint32_t width, uint64_t bits)
{
    return width >= 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

static int64_t sign_extend(uint32_t width, uint64_t bits)
{
    return width >= 64 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
}

/* ---- floating point ---- */

static double half_to_double(uint64_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = (double)(bits & 1023), sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31) {
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    }
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static uint64_t double_to_half(double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    value = fabs(value);
    if (isnan(value)) {
        return 0x7E00;
    }
    if (value >= 65520) {
        return sign | 0x7C00;
    }
    int exponent;
    frexp(value, &exponent);
    exponent = exponent < -13 ? -13 : exponent; /* value = m * 2^exponent, m in [0.5, 1) */
    double scaled = rint(ldexp(value, 11 - exponent));
    return sign | (scaled == 0 ? 0 : (uint64_t)((exponent + 13) * 1024 + (int)scaled));
}

double interp_to_double(const struct geo_ir_type *type, uint64_t bits)
{
    if (type->width == 16) {
        return half_to_double(bits);
    }
    if (type->width == 32) {
        float value;
        uint32_t low = (uint32_t)bits;
        memcpy(&value, &low, sizeof(value));
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

uint64_t interp_from_double(const struct geo_ir_type *type, double value)
{
    if (type->width == 16) {
        return double_to_half(value);
    }
    if (type->width == 32) {
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof(bits));
        return bits;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Doubles hold the exact sum, product ... of halves and floats well enough that one more rounding
 * gives the right result. */
static bool float_arithmetic(SpvOp op, double a, double b, double *result)
{
    switch (op) {
    case SpvOpFAdd:
        *result = a + b;
        return true;
    case SpvOpFSub:
        *result = a - b;
        return true;
    case SpvOpFMul:
        *result = a * b;
        return true;
    case SpvOpFDiv:
        *result = a / b;
        return true;
    case SpvOpFRem:
        *result = fmod(a, b);
        return true;
    case SpvOpFMod:
        *result = a - b * floor(a / b);
        return true;
    default:
        return false;
    }
}

static bool float_compare(SpvOp op, double a, double b, uint64_t *result)
{
    bool unordered = isnan(a) || isnan(b);
    switch (op) {
    case SpvOpFOrdEqual:
        *result = a == b;
        return true;
    case SpvOpFUnordEqual:
        *result = unordered || a == b;
        return true;
    case SpvOpFOrdNotEqual:
        *result = !unordered && a != b;
        return true;
    case SpvOpFUnordNotEqual:
        *result = unordered || a != b;
        return true;
    case SpvOpFOrdLessThan:
        *result = a < b;
        return true;
    case SpvOpFUnordLessThan:
        *result = unordered || a < b;
        return true;
    case SpvOpFOrdGreaterThan:
        *result = a > b;
        return true;
    case SpvOpFUnordGreaterThan:
        *result = unordered || a > b;
        return true;
    case SpvOpFOrdLessThanEqual:
        *result = a <= b;
        return true;
    case SpvOpFUnordLessThanEqual:
        *result = unordered || a <= b;
        return true;
    case SpvOpFOrdGreaterThanEqual:
        *result = a >= b;
        return true;
    case SpvOpFUnordGreaterThanEqual:
        *result = unordered || a >= b;
        return true;
    case SpvOpOrdered:
        *result = !unordered;
        return true;
    case SpvOpUnordered:
        *result = unordered;
        return true;
    case SpvOpIsNan:
        *result = isnan(a);
        return true;
    case SpvOpIsInf:
        *result = isinf(a) != 0;
        return true;
    case SpvOpIsFinite:
        *result = isfinite(a) != 0;
        return true;
    case SpvOpIsNormal:
        *result = isnormal(a) != 0;
        return true;
    case SpvOpSignBitSet:
        *result = signbit(a) != 0;
        return true;
    case SpvOpLessOrGreater:
        *result = a < b || a > b;
        return true;
    default:
        return false;
    }
}

static uint64_t double_to_integer(double value, uint32_t width, bool is_signed)
{
    double high = ldexp(1, (int)(is_signed ? width - 1 : width)), low = is_signed ? -high : 0;
    if (isnan(value)) {
        return 0;
    }
    value = trunc(value);
    if (value >= high) {
        return truncate_to(width, is_signed ? ((uint64_t)1 << (width - 1)) - 1 : UINT64_MAX);
    }
    if (value < low) {
        return is_signed ? (uint64_t)1 << (width - 1) : 0;
    }
    return truncate_to(width, is_signed ? (uint64_t)(int64_t)value : (uint64_t)value);
}

/* ---- integers ---- */

static bool integer_arithmetic(SpvOp op, uint32_t w, uint64_t a, uint64_t b, uint64_t *result)
{
    int64_t sa = sign_extend(w, a), sb = sign_extend(w, b), remainder;
    switch (op) {
    case SpvOpIAdd:
        *result = a + b;
        return true;
    case SpvOpISub:
        *result = a - b;
        return true;
    case SpvOpIMul:
        *result = a * b;
        return true;
    case SpvOpUDiv:
        *result = b ? a / b : 0;
        return true;
    case SpvOpUMod:
        *result = b ? a % b : 0;
        return true;
    case SpvOpSDiv:
        *result = sb == 0 ? 0 : sb == -1 ? 0 - a : (uint64_t)(sa / sb);
        return true;
    case SpvOpSRem:
        *result = sb == 0 || sb == -1 ? 0 : (uint64_t)(sa % sb);
        return true;
    case SpvOpSMod:
        remainder = sb == 0 || sb == -1 ? 0 : sa % sb;
        *result =
            (uint64_t)(remainder != 0 && (remainder < 0) != (sb < 0) ? remainder + sb : remainder);
        return true;
    case SpvOpSNegate:
        *result = 0 - a;
        return true;
    case SpvOpNot:
        *result = ~a;
        return true;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        *result = a & b;
        return true;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        *result = a | b;
        return true;
    case SpvOpBitwiseXor:
    case SpvOpLogicalNotEqual:
        *result = a ^ b;
        return true;
    case SpvOpLogicalEqual:
        *result = ~(a ^ b);
        return true;
    case SpvOpLogicalNot:
        *result = ~a;
        return true;
    case SpvOpShiftLeftLogical:
        *result = a << (b % w);
        return true;
    case SpvOpShiftRightLogical:
        *result = a >> (b % w);
        return true;
    case SpvOpShiftRightArithmetic:
        *result = (uint64_t)(sa >> (b % w));
        return true;
    case SpvOpBitCount:
        *result = (uint64_t)__builtin_popcountll(a);
        return true;
    case SpvOpBitReverse:
        *result = 0;
        for (uint32_t i = 0; i < w; i++) {
            *result |= (a >> i & 1) << (w - 1 - i);
        }
        return true;
    default:
        return false;
    }
}

static bool integer_compare(SpvOp op, uint32_t w, uint64_t a, uint64_t b, uint64_t *result)
{
    int64_t sa = sign_extend(w, a), sb = sign_extend(w, b);
    switch (op) {
    case SpvOpIEqual:
    case SpvOpPtrEqual:
        *result = a == b;
        return true;
    case SpvOpINotEqual:
    case SpvOpPtrNotEqual:
        *result = a != b;
        return true;
    case SpvOpUGreaterThan:
        *result = a > b;
        return true;
    case SpvOpSGreaterThan:
        *result = sa > sb;
        return true;
    case SpvOpUGreaterThanEqual:
        *result = a >= b;
        return true;
    case SpvOpSGreaterThanEqual:
        *result = sa >= sb;
        return true;
    case SpvOpULessThan:
        *result = a < b;
        return true;
    case SpvOpSLessThan:
        *result = sa < sb;
        return true;
    case SpvOpULessThanEqual:
        *result = a <= b;
        return true;
    case SpvOpSLessThanEqual:
        *result = sa <= sb;
        return true;
    case SpvOpPtrDiff:
        *result = a - b; /* in bytes; the caller divides */
        return true;
    default:
        return false;
    }
}

static bool convert(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                    uint64_t a, uint64_t *result)
{
    uint32_t from = bit_width(source), to = bit_width(type);
    switch (op) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
        *result = double_to_integer(interp_to_double(source, a), to, op == SpvOpConvertFToS);
        return true;
    case SpvOpConvertSToF:
        *result = type->width == 32 ? interp_from_double(type, (double)(float)sign_extend(from, a))
                                    : interp_from_double(type, (double)sign_extend(from, a));
        return true;
    case SpvOpConvertUToF:
        *result = type->width == 32 ? interp_from_double(type, (double)(float)a)
                                    : interp_from_double(type, (double)a);
        return true;
    case SpvOpUConvert:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
    case SpvOpBitcast:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
        *result = truncate_to(to, a);
        return true;
    case SpvOpSConvert:
        *result = truncate_to(to, (uint64_t)sign_extend(from, a));
        return true;
    case SpvOpFConvert:
        *result = interp_from_double(type, interp_to_double(source, a));
        return true;
    case SpvOpSatConvertSToU:
        *result = sign_extend(from, a) < 0                     ? 0
                  : to < 64 && a > truncate_to(to, UINT64_MAX) ? truncate_to(to, UINT64_MAX)
                                                               : a;
        return true;
    case SpvOpSatConvertUToS:
        *result = a > truncate_to(to - 1, UINT64_MAX) ? truncate_to(to - 1, UINT64_MAX) : a;
        return true;
    default:
        return false;
    }
}

bool interp_scalar(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                   uint32_t flags, const uint64_t operands[3], uint64_t *result)
{
    (void)flags;
    uint32_t width = bit_width(type);
    uint64_t a = operands[0], b = operands[1];
    if (op == SpvOpSelect) {
        *result = operands[0] ? operands[1] : operands[2];
        return true;
    }
    if (convert(op, type, source, a, result)) {
        return true;
    }
    if (source->kind == GEO_TYPE_FLOAT) {
        double x = interp_to_double(source, a), y = interp_to_double(source, b), value;
        if (float_compare(op, x, y, result)) {
            return true;
        }
        if (op == SpvOpFNegate) {
            *result = truncate_to(width, a ^ (uint64_t)1 << (width - 1));
            return true;
        }
        if (!float_arithmetic(op, x, y, &value)) {
            return false;
        }
        *result = interp_from_double(type, value);
        return true;
    }
    if (integer_compare(op, bit_width(source), a, b, result)) {
        return true;
    }
    if (!integer_arithmetic(op, width, a, b, result)) {
        return false;
    }
    *result = truncate_to(width, *result);
    return true;
}

/* ---- OpenCL.std, the few that tests use ---- */

static bool ext_float(uint32_t number, const double x[3], double *result)
{
    switch (number) {
    case OpenCLstd_Fabs:
        *result = fabs(x[0]);
        return true;
    case OpenCLstd_Sqrt:
    case OpenCLstd_Native_sqrt:
        *result = sqrt(x[0]);
        return true;
    case OpenCLstd_Floor:
        *result = floor(x[0]);
        return true;
    case OpenCLstd_Ceil:
        *result = ceil(x[0]);
        return true;
    case OpenCLstd_Trunc:
        *result = trunc(x[0]);
        return true;
    case OpenCLstd_Rint:
        *result = rint(x[0]);
        return true;
    case OpenCLstd_Fmin:
    case OpenCLstd_FMin_common:
        *result = fmin(x[0], x[1]);
        return true;
    case OpenCLstd_Fmax:
    case OpenCLstd_FMax_common:
        *result = fmax(x[0], x[1]);
        return true;
    case OpenCLstd_FClamp:
        *result = fmin(fmax(x[0], x[1]), x[2]);
        return true;
    case OpenCLstd_Fma:
        *result = fma(x[0], x[1], x[2]);
        return true;
    case OpenCLstd_Mad:
        *result = x[0] * x[1] + x[2];
        return true;
    case OpenCLstd_Copysign:
        *result = copysign(x[0], x[1]);
        return true;
    case OpenCLstd_Round:
        *result = round(x[0]);
        return true;
    default:
        return false;
    }
}

static uint64_t within(uint32_t w, __int128 value, bool is_signed)
{
    __int128 high = ((__int128)1 << (is_signed ? w - 1 : w)) - 1, low = is_signed ? -high - 1 : 0;
    return (uint64_t)(value < low ? low : value > high ? high : value);
}

/* Results that need more bits than the operands on the way. */
static bool ext_wide(uint32_t number, uint32_t w, const uint64_t x[3], uint64_t *result)
{
    __int128 a = sign_extend(w, x[0]), b = sign_extend(w, x[1]);
    unsigned __int128 ua = x[0], ub = x[1];
    switch (number) {
    case OpenCLstd_UMul_hi:
        *result = (uint64_t)(ua * ub >> w);
        return true;
    case OpenCLstd_SMul_hi:
        *result = (uint64_t)(a * b >> w);
        return true;
    case OpenCLstd_UAdd_sat:
        *result = within(w, (__int128)(ua + ub), false);
        return true;
    case OpenCLstd_SAdd_sat:
        *result = within(w, a + b, true);
        return true;
    case OpenCLstd_USub_sat:
        *result = within(w, (__int128)ua - (__int128)ub, false);
        return true;
    case OpenCLstd_SSub_sat:
        *result = within(w, a - b, true);
        return true;
    case OpenCLstd_UHadd:
        *result = (uint64_t)((ua + ub) >> 1);
        return true;
    case OpenCLstd_SHadd:
        *result = (uint64_t)((a + b) >> 1);
        return true;
    case OpenCLstd_URhadd:
        *result = (uint64_t)((ua + ub + 1) >> 1);
        return true;
    case OpenCLstd_SRhadd:
        *result = (uint64_t)((a + b + 1) >> 1);
        return true;
    case OpenCLstd_Bitselect:
        *result = (x[0] & ~x[2]) | (x[1] & x[2]);
        return true;
    default:
        return false;
    }
}

static bool ext_integer(uint32_t number, uint32_t w, const uint64_t x[3], uint64_t *result)
{
    int64_t a = sign_extend(w, x[0]), b = sign_extend(w, x[1]), c = sign_extend(w, x[2]);
    switch (number) {
    case OpenCLstd_SAbs:
        *result = a < 0 ? 0 - x[0] : x[0];
        return true;
    case OpenCLstd_SMax:
        *result = a > b ? x[0] : x[1];
        return true;
    case OpenCLstd_SMin:
        *result = a < b ? x[0] : x[1];
        return true;
    case OpenCLstd_UMax:
        *result = x[0] > x[1] ? x[0] : x[1];
        return true;
    case OpenCLstd_UMin:
        *result = x[0] < x[1] ? x[0] : x[1];
        return true;
    case OpenCLstd_SClamp:
        *result = a < b ? x[1] : a > c ? x[2] : x[0];
        return true;
    case OpenCLstd_UClamp:
        *result = x[0] < x[1] ? x[1] : x[0] > x[2] ? x[2] : x[0];
        return true;
    case OpenCLstd_Popcount:
        *result = (uint64_t)__builtin_popcountll(x[0]);
        return true;
    case OpenCLstd_Clz:
        *result = x[0] ? (uint64_t)__builtin_clzll(x[0]) - (64 - w) : w;
        return true;
    case OpenCLstd_SAdd_sat: {
        __int128 sum = (__int128)a + b, top = ((__int128)1 << (w - 1)) - 1;
        *result = (uint64_t)(sum > top ? top : sum < -top - 1 ? -top - 1 : sum);
        return true;
    }
    case OpenCLstd_USub_sat:
        *result = x[0] > x[1] ? x[0] - x[1] : 0;
        return true;
    case OpenCLstd_Ctz:
        *result = x[0] ? (uint64_t)__builtin_ctzll(x[0]) : w;
        return true;
    case OpenCLstd_UMul_hi:
        *result = (uint64_t)(((unsigned __int128)x[0] * x[1]) >> w);
        return true;
    case OpenCLstd_SMul_hi:
        *result = (uint64_t)(((__int128)a * b) >> w);
        return true;
    case OpenCLstd_Select:
        *result = x[2] ? x[1] : x[0];
        return true;
    case OpenCLstd_Rotate:
        *result = x[1] % w ? x[0] << (x[1] % w) | x[0] >> (w - x[1] % w) : x[0];
        return true;
    default:
        return false;
    }
}

bool interp_ext(uint32_t number, const struct geo_ir_type *type, const uint64_t operands[3],
                uint64_t *result)
{
    if (type->kind == GEO_TYPE_FLOAT && number == OpenCLstd_Select) {
        *result = operands[2] ? operands[1] : operands[0];
        return true;
    }
    if (type->kind == GEO_TYPE_FLOAT && number == OpenCLstd_Ldexp) {
        double x = interp_to_double(type, operands[0]);
        *result = interp_from_double(type, ldexp(x, (int32_t)operands[1]));
        return true;
    }
    if (type->kind == GEO_TYPE_FLOAT) {
        double x[3], value;
        for (int i = 0; i < 3; i++) {
            x[i] = interp_to_double(type, operands[i]);
        }
        if (number == OpenCLstd_Fma && type->width == 32) {
            *result = interp_from_double(type, (double)fmaf((float)x[0], (float)x[1], (float)x[2]));
            return true;
        }
        if (!ext_float(number, x, &value)) {
            return false;
        }
        *result = interp_from_double(type, value);
        return true;
    }
    if (type->kind != GEO_TYPE_INT || (!ext_integer(number, type->width, operands, result) &&
                                       !ext_wide(number, type->width, operands, result))) {
        return false;
    }
    *result = truncate_to(type->width, *result);
    return true;
}
