/* Folds operations on scalars: integers, comparisons, floats and conversions. See scalar.h. */
#include "compiler/fold/scalar.h"

#include "compiler/fold/number.h"

#include <math.h>

/* ---- integers and bools ---- */

/* Folds an integer comparison. */
static enum geo_fold compare(SpvOp op, uint32_t width, uint64_t a, uint64_t b, uint64_t *result)
{
    int64_t sa = geo_number_signed(width, a), sb = geo_number_signed(width, b);
    switch (op) {
    case SpvOpIEqual:
    case SpvOpPtrEqual:
    case SpvOpLogicalEqual:
        *result = a == b;
        return GEO_FOLD_EXACT;
    case SpvOpINotEqual:
    case SpvOpPtrNotEqual:
    case SpvOpLogicalNotEqual:
        *result = a != b;
        return GEO_FOLD_EXACT;
    case SpvOpUGreaterThan:
        *result = a > b;
        return GEO_FOLD_EXACT;
    case SpvOpSGreaterThan:
        *result = sa > sb;
        return GEO_FOLD_EXACT;
    case SpvOpUGreaterThanEqual:
        *result = a >= b;
        return GEO_FOLD_EXACT;
    case SpvOpSGreaterThanEqual:
        *result = sa >= sb;
        return GEO_FOLD_EXACT;
    case SpvOpULessThan:
        *result = a < b;
        return GEO_FOLD_EXACT;
    case SpvOpSLessThan:
        *result = sa < sb;
        return GEO_FOLD_EXACT;
    case SpvOpULessThanEqual:
        *result = a <= b;
        return GEO_FOLD_EXACT;
    case SpvOpSLessThanEqual:
        *result = sa <= sb;
        return GEO_FOLD_EXACT;
    default:
        return GEO_FOLD_NONE;
    }
}

static enum geo_fold divide(SpvOp op, uint32_t width, uint64_t a, uint64_t b, uint64_t *result)
{
    int64_t sa = geo_number_signed(width, a), sb = geo_number_signed(width, b), rest;
    bool overflows = sb == -1 && a == (uint64_t)1 << (width - 1);
    switch (op) {
    case SpvOpUDiv:
    case SpvOpUMod:
        *result = b == 0 ? 0 : op == SpvOpUDiv ? a / b : a % b;
        return b == 0 ? GEO_FOLD_UNDEFINED : GEO_FOLD_EXACT;
    case SpvOpSDiv:
        *result = sb == 0 ? 0 : sb == -1 ? 0 - a : (uint64_t)(sa / sb);
        break;
    case SpvOpSRem:
    case SpvOpSMod:
        rest = sb == 0 || sb == -1 ? 0 : sa % sb;
        rest += op == SpvOpSMod && rest != 0 && (rest < 0) != (sb < 0) ? sb : 0;
        *result = (uint64_t)rest;
        break;
    default:
        return GEO_FOLD_NONE;
    }
    return sb == 0 || overflows ? GEO_FOLD_UNDEFINED : GEO_FOLD_EXACT;
}

static enum geo_fold shift(SpvOp op, uint32_t width, uint64_t a, uint64_t b, uint64_t *result)
{
    bool fits = b < width;
    switch (op) {
    case SpvOpShiftLeftLogical:
        *result = fits ? a << b : 0;
        break;
    case SpvOpShiftRightLogical:
        *result = fits ? a >> b : 0;
        break;
    case SpvOpShiftRightArithmetic:
        *result = (uint64_t)(geo_number_signed(width, a) >> (fits ? b : width - 1));
        break;
    default:
        return GEO_FOLD_NONE;
    }
    return fits ? GEO_FOLD_EXACT : GEO_FOLD_UNDEFINED;
}

static enum geo_fold integer(SpvOp op, uint32_t width, uint64_t a, uint64_t b, uint64_t *result)
{
    switch (op) {
    case SpvOpIAdd:
        *result = a + b;
        return GEO_FOLD_EXACT;
    case SpvOpISub:
        *result = a - b;
        return GEO_FOLD_EXACT;
    case SpvOpIMul:
        *result = a * b;
        return GEO_FOLD_EXACT;
    case SpvOpSNegate:
        *result = 0 - a;
        return GEO_FOLD_EXACT;
    case SpvOpNot:
    case SpvOpLogicalNot:
        *result = ~a;
        return GEO_FOLD_EXACT;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        *result = a & b;
        return GEO_FOLD_EXACT;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        *result = a | b;
        return GEO_FOLD_EXACT;
    case SpvOpBitwiseXor:
        *result = a ^ b;
        return GEO_FOLD_EXACT;
    case SpvOpBitCount:
        *result = (uint64_t)__builtin_popcountll(a);
        return GEO_FOLD_EXACT;
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return shift(op, width, a, b, result);
    default:
        return divide(op, width, a, b, result);
    }
}

/* ---- floats ---- */

static enum geo_fold float_compare(SpvOp op, double a, double b, uint64_t *result)
{
    bool unordered = isnan(a) || isnan(b);
    switch (op) {
    case SpvOpFOrdEqual:
    case SpvOpFUnordEqual:
        *result = unordered ? op == SpvOpFUnordEqual : a == b;
        return GEO_FOLD_EXACT;
    case SpvOpFOrdNotEqual:
    case SpvOpFUnordNotEqual:
        *result = unordered ? op == SpvOpFUnordNotEqual : a != b;
        return GEO_FOLD_EXACT;
    case SpvOpFOrdLessThan:
    case SpvOpFUnordLessThan:
        *result = unordered ? op == SpvOpFUnordLessThan : a < b;
        return GEO_FOLD_EXACT;
    case SpvOpFOrdGreaterThan:
    case SpvOpFUnordGreaterThan:
        *result = unordered ? op == SpvOpFUnordGreaterThan : a > b;
        return GEO_FOLD_EXACT;
    case SpvOpFOrdLessThanEqual:
    case SpvOpFUnordLessThanEqual:
        *result = unordered ? op == SpvOpFUnordLessThanEqual : a <= b;
        return GEO_FOLD_EXACT;
    case SpvOpFOrdGreaterThanEqual:
    case SpvOpFUnordGreaterThanEqual:
        *result = unordered ? op == SpvOpFUnordGreaterThanEqual : a >= b;
        return GEO_FOLD_EXACT;
    default:
        return GEO_FOLD_NONE;
    }
}

/* Computes in double. Halves and floats are exact enough there: rounding the result once more is
 * correct. */
static enum geo_fold float_arithmetic(SpvOp op, double a, double b, double *result)
{
    switch (op) {
    case SpvOpFAdd:
        *result = a + b;
        return GEO_FOLD_ROUNDED;
    case SpvOpFSub:
        *result = a - b;
        return GEO_FOLD_ROUNDED;
    case SpvOpFMul:
        *result = a * b;
        return GEO_FOLD_ROUNDED;
    case SpvOpFDiv:
        *result = a / b;
        return GEO_FOLD_ROUNDED;
    case SpvOpFRem:
        *result = fmod(a, b);
        return GEO_FOLD_ROUNDED;
    case SpvOpFMod:
        *result = fmod(a, b);
        if (*result != 0.0 && signbit(*result) != signbit(b)) {
            *result += b;
        }
        return GEO_FOLD_ROUNDED;
    default:
        return GEO_FOLD_NONE;
    }
}

static enum geo_fold floating(SpvOp op, const struct geo_ir_type *type,
                              const struct geo_ir_type *source, uint64_t a, uint64_t b,
                              uint64_t *result)
{
    uint32_t width = source->width;
    double x = geo_number_float(width, a), y = geo_number_float(width, b), value;
    if (op == SpvOpFNegate) {
        *result = a ^ (uint64_t)1 << (width - 1);
        return GEO_FOLD_EXACT;
    }
    enum geo_fold fold = float_compare(op, x, y, result);
    if (fold != GEO_FOLD_NONE) {
        bool denormal = geo_number_is_denormal(width, x) || geo_number_is_denormal(width, y);
        return denormal ? GEO_FOLD_ROUNDED : fold;
    }
    fold = type->kind == GEO_TYPE_FLOAT ? float_arithmetic(op, x, y, &value) : GEO_FOLD_NONE;
    if (fold != GEO_FOLD_NONE) {
        *result = geo_number_float_bits(type->width, value);
    }
    return fold;
}

/* ---- conversions ---- */

/* Converts a 64-bit integer. A float needs its own conversion: rounding to double first may round
 * twice. */
static enum geo_fold float_from_integer(const struct geo_ir_type *type, bool is_signed,
                                        uint64_t bits, uint64_t *result)
{
    int64_t number = (int64_t)bits;
    double value = is_signed ? (double)number : (double)bits;
    float narrow = is_signed ? (float)number : (float)bits;
    *result = geo_number_float_bits(type->width, type->width == 32 ? (double)narrow : value);
    bool small = fabs(value) < 0x1p53;
    return small && geo_number_float(type->width, *result) == value ? GEO_FOLD_EXACT
                                                                    : GEO_FOLD_ROUNDED;
}

static enum geo_fold integer_from_float(uint32_t to, bool is_signed, double value, uint64_t *result)
{
    double high = ldexp(1, (int)(is_signed ? to - 1 : to)), low = is_signed ? -high : 0;
    value = trunc(value);
    if (isnan(value)) {
        *result = 0;
        return GEO_FOLD_UNDEFINED;
    }
    if (value >= high || value < low) {
        uint64_t sign = (uint64_t)1 << (to - 1);
        *result = value < low ? (is_signed ? sign : 0) : is_signed ? sign - 1 : UINT64_MAX;
        return GEO_FOLD_UNDEFINED;
    }
    *result = is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
    return GEO_FOLD_EXACT;
}

static enum geo_fold float_from_float(uint32_t from, uint32_t to, uint64_t bits, uint64_t *result)
{
    double value = geo_number_float(from, bits);
    *result = geo_number_float_bits(to, value);
    bool denormal = geo_number_is_denormal(from, value) || geo_number_is_denormal(to, value);
    return !denormal && geo_number_float(to, *result) == value ? GEO_FOLD_EXACT : GEO_FOLD_ROUNDED;
}

static enum geo_fold convert(SpvOp op, const struct geo_ir_type *type,
                             const struct geo_ir_type *source, uint64_t a, uint64_t *result)
{
    uint32_t from = geo_number_width(source), to = geo_number_width(type);
    bool from_float = source->kind == GEO_TYPE_FLOAT, to_float = type->kind == GEO_TYPE_FLOAT;
    switch (op) {
    case SpvOpUConvert:
    case SpvOpConvertPtrToU:
        *result = a;
        return from_float || to_float ? GEO_FOLD_NONE : GEO_FOLD_EXACT;
    case SpvOpSConvert:
        *result = (uint64_t)geo_number_signed(from, a);
        return from_float || to_float ? GEO_FOLD_NONE : GEO_FOLD_EXACT;
    case SpvOpBitcast:
        *result = a;
        return from == to ? GEO_FOLD_EXACT : GEO_FOLD_NONE;
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
        if (from_float || !to_float) {
            return GEO_FOLD_NONE;
        }
        a = op == SpvOpConvertSToF ? (uint64_t)geo_number_signed(from, a) : a;
        return float_from_integer(type, op == SpvOpConvertSToF, a, result);
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
        return from_float && !to_float ? integer_from_float(to, op == SpvOpConvertFToS,
                                                            geo_number_float(from, a), result)
                                       : GEO_FOLD_NONE;
    case SpvOpFConvert:
        return from_float && to_float ? float_from_float(from, to, a, result) : GEO_FOLD_NONE;
    default:
        return GEO_FOLD_NONE;
    }
}

/* ---- dispatch ---- */

static enum geo_fold by_kind(SpvOp op, const struct geo_ir_type *type,
                             const struct geo_ir_type *source, const uint64_t operands[3],
                             uint64_t *result)
{
    uint64_t a = operands[0], b = operands[1];
    if (op == SpvOpSelect) {
        *result = a ? b : operands[2];
        return source->kind == GEO_TYPE_BOOL ? GEO_FOLD_EXACT : GEO_FOLD_NONE;
    }
    enum geo_fold fold = convert(op, type, source, a, result);
    if (fold != GEO_FOLD_NONE) {
        return fold;
    }
    if (source->kind == GEO_TYPE_FLOAT) {
        return floating(op, type, source, a, b, result);
    }
    if (source->kind != GEO_TYPE_INT && source->kind != GEO_TYPE_BOOL &&
        source->kind != GEO_TYPE_POINTER) {
        return GEO_FOLD_NONE;
    }
    fold = compare(op, geo_number_width(source), a, b, result);
    if (fold != GEO_FOLD_NONE || (type->kind != GEO_TYPE_INT && type->kind != GEO_TYPE_BOOL)) {
        return fold;
    }
    return integer(op, geo_number_width(type), a, b, result);
}

enum geo_fold geo_fold_scalar(SpvOp op, const struct geo_ir_type *type,
                              const struct geo_ir_type *source, const uint64_t operands[3],
                              uint64_t *result)
{
    enum geo_fold fold = by_kind(op, type, source, operands, result);
    if (fold != GEO_FOLD_NONE) {
        *result = geo_number_cut(geo_number_width(type), *result);
    }
    return fold;
}
