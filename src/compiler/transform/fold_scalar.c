/* One scalar operation on constant bits. What SPIR-V leaves undefined, and what depends on rounding
 * or denormal modes, is not folded. See internal.h. */
#include "compiler/transform/internal.h"

#include <math.h>
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

static uint64_t masked(uint32_t width, uint64_t bits)
{
    return width >= 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

static int64_t extended(uint32_t width, uint64_t bits)
{
    return width >= 64 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
}

static bool fold_compare(SpvOp op, uint32_t w, uint64_t a, uint64_t b, uint64_t *result)
{
    int64_t sa = extended(w, a), sb = extended(w, b);
    switch (op) {
    case SpvOpIEqual:
    case SpvOpPtrEqual:
    case SpvOpLogicalEqual:
        *result = a == b;
        return true;
    case SpvOpINotEqual:
    case SpvOpPtrNotEqual:
    case SpvOpLogicalNotEqual:
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
    default:
        return false;
    }
}

/* Division by zero and overflow stay: they are undefined, and a dead lane must not make them look
 * defined. */
static bool fold_division(SpvOp op, uint32_t w, uint64_t a, uint64_t b, uint64_t *result)
{
    int64_t sa = extended(w, a), sb = extended(w, b);
    bool is_signed = op == SpvOpSDiv || op == SpvOpSRem || op == SpvOpSMod;
    if (b == 0 || (is_signed && sb == -1)) {
        return false;
    }
    switch (op) {
    case SpvOpUDiv:
        *result = a / b;
        return true;
    case SpvOpUMod:
        *result = a % b;
        return true;
    case SpvOpSDiv:
        *result = (uint64_t)(sa / sb);
        return true;
    case SpvOpSRem:
        *result = (uint64_t)(sa % sb);
        return true;
    case SpvOpSMod: {
        int64_t remainder = sa % sb;
        *result =
            (uint64_t)(remainder != 0 && (remainder < 0) != (sb < 0) ? remainder + sb : remainder);
        return true;
    }
    default:
        return false;
    }
}

static bool fold_integer(SpvOp op, uint32_t w, uint64_t a, uint64_t b, uint64_t *result)
{
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
    case SpvOpSNegate:
        *result = 0 - a;
        return true;
    case SpvOpNot:
    case SpvOpLogicalNot:
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
        *result = a ^ b;
        return true;
    case SpvOpShiftLeftLogical:
        *result = b < w ? a << b : 0;
        return b < w;
    case SpvOpShiftRightLogical:
        *result = b < w ? a >> b : 0;
        return b < w;
    case SpvOpShiftRightArithmetic:
        *result = b < w ? (uint64_t)(extended(w, a) >> b) : 0;
        return b < w;
    case SpvOpBitCount:
        *result = (uint64_t)__builtin_popcountll(a);
        return true;
    default:
        return fold_division(op, w, a, b, result);
    }
}

/* ---- floating point: only what is the same under every mode ---- */

static bool float_value(const struct geo_ir_type *type, uint64_t bits, double *value)
{
    if (type->width == 32) {
        float narrow;
        uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, sizeof(narrow));
        *value = (double)narrow;
        return fpclassify(narrow) != FP_SUBNORMAL;
    }
    memcpy(value, &bits, sizeof(*value));
    return type->width == 64 && fpclassify(*value) != FP_SUBNORMAL;
}

/* The bits of a value that the type holds exactly. */
static bool float_bits(const struct geo_ir_type *type, double value, uint64_t *bits)
{
    if (type->width == 32) {
        float narrow = (float)value;
        uint32_t low;
        memcpy(&low, &narrow, sizeof(low));
        *bits = low;
        return (double)narrow == value && fpclassify(narrow) != FP_SUBNORMAL;
    }
    memcpy(bits, &value, sizeof(*bits));
    return type->width == 64;
}

static bool fold_float_compare(SpvOp op, double a, double b, uint64_t *result)
{
    bool unordered = isnan(a) || isnan(b);
    switch (op) {
    case SpvOpFOrdEqual:
    case SpvOpFUnordEqual:
        *result = unordered ? op == SpvOpFUnordEqual : a == b;
        return true;
    case SpvOpFOrdNotEqual:
    case SpvOpFUnordNotEqual:
        *result = unordered ? op == SpvOpFUnordNotEqual : a != b;
        return true;
    case SpvOpFOrdLessThan:
    case SpvOpFUnordLessThan:
        *result = unordered ? op == SpvOpFUnordLessThan : a < b;
        return true;
    case SpvOpFOrdGreaterThan:
    case SpvOpFUnordGreaterThan:
        *result = unordered ? op == SpvOpFUnordGreaterThan : a > b;
        return true;
    case SpvOpFOrdLessThanEqual:
    case SpvOpFUnordLessThanEqual:
        *result = unordered ? op == SpvOpFUnordLessThanEqual : a <= b;
        return true;
    case SpvOpFOrdGreaterThanEqual:
    case SpvOpFUnordGreaterThanEqual:
        *result = unordered ? op == SpvOpFUnordGreaterThanEqual : a >= b;
        return true;
    default:
        return false;
    }
}

static bool fold_convert(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                         uint64_t a, uint64_t *result)
{
    uint32_t from = bit_width(source), to = bit_width(type);
    double value;
    switch (op) {
    case SpvOpUConvert:
    case SpvOpConvertPtrToU:
        *result = masked(to, a);
        return true;
    case SpvOpSConvert:
        *result = masked(to, (uint64_t)extended(from, a));
        return true;
    case SpvOpBitcast:
        *result = a;
        return from == to;
    case SpvOpConvertSToF:
    case SpvOpConvertUToF: {
        int64_t number = op == SpvOpConvertSToF ? extended(from, a) : (int64_t)a;
        value = (double)number;
        if (op == SpvOpConvertUToF && number < 0) {
            return false; /* 2^63 and above */
        }
        return number > -((int64_t)1 << 53) && number < (int64_t)1 << 53 &&
               float_bits(type, value, result);
    }
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
        if (!float_value(source, a, &value) || !(fabs(value) < ldexp(1, (int)to - 1)) ||
            (op == SpvOpConvertFToU && value < 0)) {
            return false;
        }
        *result = masked(to, (uint64_t)(int64_t)value);
        return true;
    case SpvOpFConvert:
        return float_value(source, a, &value) && !isnan(value) && float_bits(type, value, result);
    default:
        return false;
    }
}

bool geo_fold_scalar(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                     const uint64_t operands[3], uint64_t *result)
{
    uint64_t a = operands[0], b = operands[1];
    if (fold_convert(op, type, source, a, result)) {
        return true;
    }
    if (source->kind == GEO_TYPE_FLOAT) {
        double x, y;
        if (op == SpvOpFNegate) {
            *result = a ^ (uint64_t)1 << (source->width - 1);
            return true;
        }
        return float_value(source, a, &x) && float_value(source, b, &y) &&
               fold_float_compare(op, x, y, result);
    }
    if (source->kind != GEO_TYPE_INT && source->kind != GEO_TYPE_BOOL &&
        source->kind != GEO_TYPE_POINTER) {
        return false;
    }
    if (fold_compare(op, bit_width(source), a, b, result)) {
        return true;
    }
    if (type->kind != GEO_TYPE_INT && type->kind != GEO_TYPE_BOOL) {
        return false;
    }
    if (!fold_integer(op, bit_width(type), a, b, result)) {
        return false;
    }
    *result = masked(bit_width(type), *result);
    return true;
}
