/* Folds operations on scalars: each by the expression in its row of opcodes.def. See scalar.h. */
#include "compiler/fold/scalar.h"

#include "compiler/fold/number.h"
#include "compiler/ir/grammar.h"

#include <math.h>

/* ---- functions of the expressions ---- */

/* Returns whether a signed division is defined: the divisor is not 0, and the quotient fits. */
static bool divides(uint32_t width, int64_t a, int64_t b)
{
    return b != 0 && (b != -1 || a != geo_number_signed(width, (uint64_t)1 << (width - 1)));
}

/* Returns the rest of a division that has the sign of the divisor. */
static int64_t modulo(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static double float_modulo(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0.0 && signbit(rest) != signbit(b) ? rest + b : rest;
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

static enum geo_fold convert_float_to_float(const struct geo_ir_type *type,
                                            const struct geo_ir_type *source, uint64_t a,
                                            uint64_t *result)
{
    return source->kind == GEO_TYPE_FLOAT && type->kind == GEO_TYPE_FLOAT
               ? float_from_float(source->width, type->width, a, result)
               : GEO_FOLD_NONE;
}

static enum geo_fold float_to_integer(const struct geo_ir_type *type,
                                      const struct geo_ir_type *source, bool is_signed, uint64_t a,
                                      uint64_t *result)
{
    return source->kind == GEO_TYPE_FLOAT && type->kind != GEO_TYPE_FLOAT
               ? integer_from_float(geo_number_width(type), is_signed,
                                    geo_number_float(source->width, a), result)
               : GEO_FOLD_NONE;
}

static enum geo_fold convert_float_to_signed(const struct geo_ir_type *type,
                                             const struct geo_ir_type *source, uint64_t a,
                                             uint64_t *result)
{
    return float_to_integer(type, source, true, a, result);
}

static enum geo_fold convert_float_to_unsigned(const struct geo_ir_type *type,
                                               const struct geo_ir_type *source, uint64_t a,
                                               uint64_t *result)
{
    return float_to_integer(type, source, false, a, result);
}

static enum geo_fold convert_signed_to_float(const struct geo_ir_type *type,
                                             const struct geo_ir_type *source, uint64_t a,
                                             uint64_t *result)
{
    return source->kind != GEO_TYPE_FLOAT && type->kind == GEO_TYPE_FLOAT
               ? float_from_integer(
                     type, true, (uint64_t)geo_number_signed(geo_number_width(source), a), result)
               : GEO_FOLD_NONE;
}

static enum geo_fold convert_unsigned_to_float(const struct geo_ir_type *type,
                                               const struct geo_ir_type *source, uint64_t a,
                                               uint64_t *result)
{
    return source->kind != GEO_TYPE_FLOAT && type->kind == GEO_TYPE_FLOAT
               ? float_from_integer(type, false, a, result)
               : GEO_FOLD_NONE;
}

static enum geo_fold convert_zero_extend(const struct geo_ir_type *type,
                                         const struct geo_ir_type *source, uint64_t a,
                                         uint64_t *result)
{
    *result = a;
    return source->kind == GEO_TYPE_FLOAT || type->kind == GEO_TYPE_FLOAT ? GEO_FOLD_NONE
                                                                          : GEO_FOLD_EXACT;
}

static enum geo_fold convert_sign_extend(const struct geo_ir_type *type,
                                         const struct geo_ir_type *source, uint64_t a,
                                         uint64_t *result)
{
    return convert_zero_extend(type, source,
                               (uint64_t)geo_number_signed(geo_number_width(source), a), result);
}

static enum geo_fold convert_same_bits(const struct geo_ir_type *type,
                                       const struct geo_ir_type *source, uint64_t a,
                                       uint64_t *result)
{
    *result = a;
    return geo_number_width(source) == geo_number_width(type) ? GEO_FOLD_EXACT : GEO_FOLD_NONE;
}

/* ---- rows ---- */

static enum geo_fold set(uint64_t *result, uint64_t value, enum geo_fold fold)
{
    *result = value;
    return fold;
}

static bool is_integer(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_BOOL;
}

/* The words of the folding column. An expression applies only to operands of its kind. */
#define FOLD_UNFOLDED      GEO_FOLD_NONE
#define FOLD_WHOLE(name)   GEO_FOLD_NONE /* constant.c */
#define FOLD_CONVERT(name) convert_##name(type, source, a, result)
#define FOLD_CHOICE                                                                                \
    (source->kind == GEO_TYPE_BOOL ? set(result, a ? b : operands[2], GEO_FOLD_EXACT)              \
                                   : GEO_FOLD_NONE)
#define FOLD_INTEGER(value) FOLD_INTEGER_IF(true, value, 0)
#define FOLD_INTEGER_IF(defined, value, otherwise)                                                 \
    (!of_bits || !is_integer(type) ? GEO_FOLD_NONE                                                 \
     : (defined)                   ? set(result, (uint64_t)(value), GEO_FOLD_EXACT)                \
                                   : set(result, (uint64_t)(otherwise), GEO_FOLD_UNDEFINED))
#define FOLD_TEST(value) (of_bits ? set(result, value, GEO_FOLD_EXACT) : GEO_FOLD_NONE)
#define FOLD_FLOAT(value)                                                                          \
    (of_floats && type->kind == GEO_TYPE_FLOAT                                                     \
         ? set(result, geo_number_float_bits(type->width, value), GEO_FOLD_ROUNDED)                \
         : GEO_FOLD_NONE)
#define FOLD_FLOAT_BITS(value) (of_floats ? set(result, value, GEO_FOLD_EXACT) : GEO_FOLD_NONE)
#define FOLD_ORDER(value, unordered)                                                               \
    (of_floats ? set(result, isnan(x) || isnan(y) ? (unordered) : (value),                         \
                     denormal ? GEO_FOLD_ROUNDED : GEO_FOLD_EXACT)                                 \
               : GEO_FOLD_NONE)

static enum geo_fold row_fold(SpvOp op, const struct geo_ir_type *type,
                              const struct geo_ir_type *source, const uint64_t operands[3],
                              uint64_t *result)
{
    uint64_t a = operands[0], b = operands[1];
    uint32_t width = geo_number_width(source);
    int64_t sa = geo_number_signed(width, a), sb = geo_number_signed(width, b);
    bool of_floats = source->kind == GEO_TYPE_FLOAT;
    bool of_bits = is_integer(source) || source->kind == GEO_TYPE_POINTER;
    double x = of_floats ? geo_number_float(width, a) : 0;
    double y = of_floats ? geo_number_float(width, b) : 0;
    bool denormal =
        of_floats && (geo_number_is_denormal(width, x) || geo_number_is_denormal(width, y));
    switch (geo_op_row(op)) {
#define ROW(op, types, shape, folding, ...)                                                        \
    case GEO_ROW_##op:                                                                             \
        return FOLD_##folding;
#include "compiler/ir/opcodes.def"
    default:
        return GEO_FOLD_NONE;
    }
}

enum geo_fold geo_fold_scalar(SpvOp op, const struct geo_ir_type *type,
                              const struct geo_ir_type *source, const uint64_t operands[3],
                              uint64_t *result)
{
    enum geo_fold fold = row_fold(op, type, source, operands, result);
    if (fold != GEO_FOLD_NONE) {
        *result = geo_number_cut(geo_number_width(type), *result);
    }
    return fold;
}
