/* Scalar arithmetic of the reference interpreter. See interpret.h.
 *
 * It is written from the specification's definitions and in another manner than the compiler's
 * constant folder, so that each checks the other: integers are exact numbers that are brought into
 * the type's range at the end; comparisons are sets of relations. The rows of opcodes.def that are
 * INTEGER, FLOAT, COMPARISON, CLASS or CONVERSION have a definition here that is named after the
 * opcode, and so have the rows of opencl_std.def that are INTEGER, FLOAT or SCALAR; without one
 * these tests do not compile. */
#include "interpret.h"

#include "compiler/ir/grammar.h"

#include <math.h>
#include <string.h>

/* Any sum, difference, quotient and shift of numbers of 64 bits. */
typedef __int128 wide;

static uint32_t bit_width(const struct geo_ir_type *type)
{
    bool is_number = type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT;
    return is_number ? type->width : type->kind == GEO_TYPE_BOOL ? 1 : 64;
}

static wide power_of_two(wide exponent)
{
    return (wide)1 << exponent;
}

/* The number that w bits mean as two's complement; they are given as the unsigned number. */
static wide as_signed(uint32_t w, wide bits)
{
    return bits < power_of_two(w - 1) ? bits : bits - power_of_two(w);
}

/* The bits of a number: modulo 2^w. */
static uint64_t wrapped(uint32_t w, wide number)
{
    wide rest = number % power_of_two(w);
    return (uint64_t)(rest < 0 ? rest + power_of_two(w) : rest);
}

/* The bits of the number that is nearest and fits. */
static uint64_t saturated(uint32_t w, bool is_signed, wide number)
{
    wide low = is_signed ? -power_of_two(w - 1) : 0, high = low + power_of_two(w) - 1;
    return wrapped(w, number < low ? low : number > high ? high : number);
}

static wide floor_divide(wide a, wide b)
{
    wide quotient = a / b;
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
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
    union {
        double f64;
        float f32;
        uint64_t bits;
    } value = {.bits = bits};
    return type->width == 16   ? half_to_double(bits)
           : type->width == 32 ? (double)value.f32
                               : value.f64;
}

uint64_t interp_from_double(const struct geo_ir_type *type, double number)
{
    union {
        double f64;
        float f32;
        uint64_t bits;
    } value = {.bits = 0};
    if (type->width == 16) {
        return double_to_half(number);
    }
    if (type->width == 32) {
        value.f32 = (float)number;
    } else {
        value.f64 = number;
    }
    return value.bits;
}

/* Doubles hold the exact sum, product ... of halves and floats well enough that one more rounding
 * gives the right result. */
#define MEAN_FLOAT(name, result)                                                                   \
    static double meaning_##name(double a, double b, double c)                                     \
    {                                                                                              \
        (void)b, (void)c;                                                                          \
        return result;                                                                             \
    }
MEAN_FLOAT(SpvOpFAdd, a + b)
MEAN_FLOAT(SpvOpFSub, a - b)
MEAN_FLOAT(SpvOpFMul, a *b)
MEAN_FLOAT(SpvOpFDiv, a / b)
MEAN_FLOAT(SpvOpFRem, fmod(a, b))
MEAN_FLOAT(SpvOpFMod, a - b * floor(a / b))
MEAN_FLOAT(Fabs, fabs(a))
MEAN_FLOAT(Sqrt, sqrt(a))
MEAN_FLOAT(Native_sqrt, sqrt(a))
MEAN_FLOAT(Floor, floor(a))
MEAN_FLOAT(Ceil, ceil(a))
MEAN_FLOAT(Trunc, trunc(a))
MEAN_FLOAT(Rint, rint(a))
MEAN_FLOAT(Round, round(a))
MEAN_FLOAT(Fmin, fmin(a, b))
MEAN_FLOAT(FMin_common, fmin(a, b))
MEAN_FLOAT(Fmax, fmax(a, b))
MEAN_FLOAT(FMax_common, fmax(a, b))
MEAN_FLOAT(FClamp, fmin(fmax(a, b), c))
MEAN_FLOAT(Mad, a *b + c)
MEAN_FLOAT(Copysign, copysign(a, b))
/* As far off as a guess may be. */
MEAN_FLOAT(GEO_OP_GUESS_INVERSE, (1 + 0x1.7p-12) / a)
MEAN_FLOAT(GEO_OP_GUESS_INVERSE_ROOT, (1 - 0x1.7p-12) / sqrt(a))
MEAN_FLOAT(GEO_OP_SCALE, isnan(b) ? b : ldexp(a, (int)b))

static uint64_t float_result(double (*compute)(double a, double b, double c),
                             const struct geo_ir_type *type, const struct geo_ir_type *source,
                             const uint64_t operands[3])
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = interp_to_double(source, operands[i]);
    }
    return interp_from_double(type, compute(x[0], x[1], x[2]));
}

/* Classes of floats. `least` is the smallest normal number. */
#define MEAN_CLASS(op, result)                                                                     \
    static bool meaning_##op(double value, double least)                                           \
    {                                                                                              \
        (void)least;                                                                               \
        return result;                                                                             \
    }
MEAN_CLASS(SpvOpIsNan, value != value)
MEAN_CLASS(SpvOpIsInf, value - value != 0 && value == value)
MEAN_CLASS(SpvOpIsFinite, value - value == 0)
MEAN_CLASS(SpvOpIsNormal, value - value == 0 && (value >= least || value <= -least))
MEAN_CLASS(SpvOpSignBitSet, copysign(1, value) < 0)

static double least_normal(const struct geo_ir_type *type)
{
    return type->width == 16 ? 0x1p-14 : type->width == 32 ? 0x1p-126 : 0x1p-1022;
}

/* ---- comparisons: which relations between two operands make them true ---- */

enum relation {
    LESS = 1,
    EQUAL = 2,
    GREATER = 4,
    UNORDERED = 8,
};

enum reading {
    READ_UNSIGNED,
    READ_SIGNED,
    READ_FLOAT,
};

struct comparison {
    enum reading reading;
    unsigned relations;
};

#define MEAN_COMPARISON(op, reading, relations)                                                    \
    static const struct comparison meaning_##op = {reading, relations};
MEAN_COMPARISON(SpvOpIEqual, READ_UNSIGNED, EQUAL)
MEAN_COMPARISON(SpvOpINotEqual, READ_UNSIGNED, LESS | GREATER)
MEAN_COMPARISON(SpvOpPtrEqual, READ_UNSIGNED, EQUAL)
MEAN_COMPARISON(SpvOpPtrNotEqual, READ_UNSIGNED, LESS | GREATER)
MEAN_COMPARISON(SpvOpLogicalEqual, READ_UNSIGNED, EQUAL)
MEAN_COMPARISON(SpvOpLogicalNotEqual, READ_UNSIGNED, LESS | GREATER)
MEAN_COMPARISON(SpvOpULessThan, READ_UNSIGNED, LESS)
MEAN_COMPARISON(SpvOpULessThanEqual, READ_UNSIGNED, LESS | EQUAL)
MEAN_COMPARISON(SpvOpUGreaterThan, READ_UNSIGNED, GREATER)
MEAN_COMPARISON(SpvOpUGreaterThanEqual, READ_UNSIGNED, GREATER | EQUAL)
MEAN_COMPARISON(SpvOpSLessThan, READ_SIGNED, LESS)
MEAN_COMPARISON(SpvOpSLessThanEqual, READ_SIGNED, LESS | EQUAL)
MEAN_COMPARISON(SpvOpSGreaterThan, READ_SIGNED, GREATER)
MEAN_COMPARISON(SpvOpSGreaterThanEqual, READ_SIGNED, GREATER | EQUAL)
MEAN_COMPARISON(SpvOpFOrdEqual, READ_FLOAT, EQUAL)
MEAN_COMPARISON(SpvOpFUnordEqual, READ_FLOAT, EQUAL | UNORDERED)
MEAN_COMPARISON(SpvOpFOrdNotEqual, READ_FLOAT, LESS | GREATER)
MEAN_COMPARISON(SpvOpFUnordNotEqual, READ_FLOAT, LESS | GREATER | UNORDERED)
MEAN_COMPARISON(SpvOpFOrdLessThan, READ_FLOAT, LESS)
MEAN_COMPARISON(SpvOpFUnordLessThan, READ_FLOAT, LESS | UNORDERED)
MEAN_COMPARISON(SpvOpFOrdGreaterThan, READ_FLOAT, GREATER)
MEAN_COMPARISON(SpvOpFUnordGreaterThan, READ_FLOAT, GREATER | UNORDERED)
MEAN_COMPARISON(SpvOpFOrdLessThanEqual, READ_FLOAT, LESS | EQUAL)
MEAN_COMPARISON(SpvOpFUnordLessThanEqual, READ_FLOAT, LESS | EQUAL | UNORDERED)
MEAN_COMPARISON(SpvOpFOrdGreaterThanEqual, READ_FLOAT, GREATER | EQUAL)
MEAN_COMPARISON(SpvOpFUnordGreaterThanEqual, READ_FLOAT, GREATER | EQUAL | UNORDERED)
MEAN_COMPARISON(SpvOpLessOrGreater, READ_FLOAT, LESS | GREATER)
MEAN_COMPARISON(SpvOpOrdered, READ_FLOAT, LESS | EQUAL | GREATER)
MEAN_COMPARISON(SpvOpUnordered, READ_FLOAT, UNORDERED)

static enum relation relation_of(enum reading reading, const struct geo_ir_type *type, uint64_t a,
                                 uint64_t b)
{
    if (reading == READ_FLOAT) {
        double x = interp_to_double(type, a), y = interp_to_double(type, b);
        return x < y ? LESS : x > y ? GREATER : x == y ? EQUAL : UNORDERED;
    }
    uint32_t w = bit_width(type);
    wide x = reading == READ_SIGNED ? as_signed(w, a) : a;
    wide y = reading == READ_SIGNED ? as_signed(w, b) : b;
    return x < y ? LESS : x > y ? GREATER : EQUAL;
}

/* ---- integers ---- */

static wide bits_count(wide bits)
{
    return bits ? bits % 2 + bits_count(bits / 2) : 0;
}

static wide bits_reverse(uint32_t w, wide bits)
{
    wide reversed = 0;
    for (uint32_t i = 0; i < w; i++, bits /= 2) {
        reversed = 2 * reversed + bits % 2;
    }
    return reversed;
}

/* How many zeros lie above the highest one. */
static wide zeros_above(uint32_t w, wide bits)
{
    return bits ? zeros_above(w, bits / 2) - 1 : w;
}

static wide zeros_below(uint32_t w, wide bits)
{
    return bits ? (bits % 2 ? 0 : 1 + zeros_below(w, bits / 2)) : w;
}

static wide product(wide a, wide b)
{
    return (wide)((unsigned __int128)a * (unsigned __int128)b); /* modulo 2^128 */
}

static wide product_high(uint32_t w, wide a, wide b)
{
    return (wide)((unsigned __int128)a * (unsigned __int128)b >> w);
}

static wide larger(wide a, wide b)
{
    return a > b ? a : b;
}

static wide smaller(wide a, wide b)
{
    return a < b ? a : b;
}

/* Returns a b + c, saturated. Numbers of 128 bits may lack room for the sum. */
static uint64_t multiply_add_saturated(uint32_t w, wide a, wide b, wide c)
{
    return product_high(w, a, b) ? saturated(w, false, power_of_two(w))
                                 : saturated(w, false, a * b + c);
}

/* u, v, t: the operands' bits as unsigned numbers; i, j, k: as signed ones. What divides by zero is
 * undefined; here it is 0. A clamp whose limits are exchanged is undefined; here it is the upper
 * limit. */
#define MEAN_INTEGER(name, result)                                                                 \
    static wide meaning_##name(uint32_t w, wide u, wide v, wide t)                                 \
    {                                                                                              \
        wide i = as_signed(w, u), j = as_signed(w, v), k = as_signed(w, t);                        \
        (void)i, (void)j, (void)k, (void)v, (void)t;                                               \
        return result;                                                                             \
    }
MEAN_INTEGER(SpvOpIAdd, u + v)
MEAN_INTEGER(SpvOpISub, u - v)
MEAN_INTEGER(SpvOpIMul, product(u, v))
MEAN_INTEGER(SpvOpUDiv, v ? u / v : 0)
MEAN_INTEGER(SpvOpUMod, v ? u % v : 0)
MEAN_INTEGER(SpvOpSDiv, j ? i / j : 0)
MEAN_INTEGER(SpvOpSRem, j ? i % j : 0)
MEAN_INTEGER(SpvOpSMod, j ? i - j *floor_divide(i, j) : 0)
MEAN_INTEGER(SpvOpSNegate, -u)
MEAN_INTEGER(SpvOpNot, -1 - u)
MEAN_INTEGER(SpvOpLogicalNot, -1 - u)
MEAN_INTEGER(SpvOpBitwiseAnd, u &v)
MEAN_INTEGER(SpvOpLogicalAnd, u &v)
MEAN_INTEGER(SpvOpBitwiseOr, u + v - (u & v))
MEAN_INTEGER(SpvOpLogicalOr, u + v - (u & v))
MEAN_INTEGER(SpvOpBitwiseXor, u + v - 2 * (u & v))
MEAN_INTEGER(SpvOpShiftLeftLogical, u *power_of_two(v % w))
MEAN_INTEGER(SpvOpShiftRightLogical, floor_divide(u, power_of_two(v % w)))
MEAN_INTEGER(SpvOpShiftRightArithmetic, floor_divide(i, power_of_two(v % w)))
MEAN_INTEGER(SpvOpBitCount, bits_count(u))
MEAN_INTEGER(SpvOpBitReverse, bits_reverse(w, u))
MEAN_INTEGER(SpvOpUCountLeadingZerosINTEL, zeros_above(w, u))
MEAN_INTEGER(SpvOpUCountTrailingZerosINTEL, zeros_below(w, u))
MEAN_INTEGER(SpvOpAbsISubINTEL, i > j ? i - j : j - i)
MEAN_INTEGER(SpvOpAbsUSubINTEL, u > v ? u - v : v - u)
MEAN_INTEGER(SpvOpIAddSatINTEL, saturated(w, true, i + j))
MEAN_INTEGER(SpvOpUAddSatINTEL, saturated(w, false, u + v))
MEAN_INTEGER(SpvOpISubSatINTEL, saturated(w, true, i - j))
MEAN_INTEGER(SpvOpUSubSatINTEL, saturated(w, false, u - v))
MEAN_INTEGER(SpvOpIAverageINTEL, floor_divide(i + j, 2))
MEAN_INTEGER(SpvOpUAverageINTEL, floor_divide(u + v, 2))
MEAN_INTEGER(SpvOpIAverageRoundedINTEL, floor_divide(i + j + 1, 2))
MEAN_INTEGER(SpvOpUAverageRoundedINTEL, floor_divide(u + v + 1, 2))
MEAN_INTEGER(SpvOpIMul32x16INTEL, product(u, as_signed(16, v % power_of_two(16))))
MEAN_INTEGER(SpvOpUMul32x16INTEL, product(u, v % power_of_two(16)))
MEAN_INTEGER(SpvOpPtrDiff, u - v)
MEAN_INTEGER(SpvOpFNegate, u + power_of_two(w - 1)) /* also of what is not a number */
MEAN_INTEGER(SAbs, i < 0 ? -i : i)
MEAN_INTEGER(UAbs, u)
MEAN_INTEGER(SAbs_diff, i > j ? i - j : j - i)
MEAN_INTEGER(UAbs_diff, u > v ? u - v : v - u)
MEAN_INTEGER(SMax, larger(i, j))
MEAN_INTEGER(SMin, smaller(i, j))
MEAN_INTEGER(UMax, larger(u, v))
MEAN_INTEGER(UMin, smaller(u, v))
MEAN_INTEGER(SClamp, smaller(larger(i, j), k))
MEAN_INTEGER(UClamp, smaller(larger(u, v), t))
MEAN_INTEGER(Popcount, bits_count(u))
MEAN_INTEGER(Clz, zeros_above(w, u))
MEAN_INTEGER(Ctz, zeros_below(w, u))
MEAN_INTEGER(Rotate, u *power_of_two(v % w) + u / power_of_two(w - v % w))
MEAN_INTEGER(UMul_hi, product_high(w, u, v))
MEAN_INTEGER(SMul_hi, floor_divide(i *j, power_of_two(w)))
MEAN_INTEGER(UMad_hi, product_high(w, u, v) + t)
MEAN_INTEGER(SMad_hi, floor_divide(i *j, power_of_two(w)) + k)
MEAN_INTEGER(UMad_sat, multiply_add_saturated(w, u, v, t))
MEAN_INTEGER(SMad_sat, saturated(w, true, i *j + k))
MEAN_INTEGER(UAdd_sat, saturated(w, false, u + v))
MEAN_INTEGER(SAdd_sat, saturated(w, true, i + j))
MEAN_INTEGER(USub_sat, saturated(w, false, u - v))
MEAN_INTEGER(SSub_sat, saturated(w, true, i - j))
MEAN_INTEGER(UHadd, floor_divide(u + v, 2))
MEAN_INTEGER(SHadd, floor_divide(i + j, 2))
MEAN_INTEGER(URhadd, floor_divide(u + v + 1, 2))
MEAN_INTEGER(SRhadd, floor_divide(i + j + 1, 2))
MEAN_INTEGER(UMul24, product(u, v))
MEAN_INTEGER(SMul24, product(u, v))
MEAN_INTEGER(UMad24, (wide)wrapped(w, product(u, v)) + t)
MEAN_INTEGER(SMad24, (wide)wrapped(w, product(u, v)) + t)
MEAN_INTEGER(U_Upsample, u *power_of_two(w / 2) + v)
MEAN_INTEGER(S_Upsample, u *power_of_two(w / 2) + v)
MEAN_INTEGER(Bitselect, (u & (-1 - t)) + (v & t))
MEAN_INTEGER(Select, t ? v : u)

/* ---- conversions ---- */

/* Rounds towards zero; what does not fit is the nearest that does. */
static uint64_t float_to_integer(double value, uint32_t w, bool is_signed)
{
    double beyond = 0x1p65;
    value = isnan(value) ? 0 : fmin(fmax(value, -beyond), beyond);
    return saturated(w, is_signed, (wide)value);
}

/* One rounding from the integer to a float; to a half by way of a double. */
static uint64_t integer_to_float(const struct geo_ir_type *type, wide number)
{
    return interp_from_double(type, type->width == 32 ? (double)(float)number : (double)number);
}

/* a: the operand's bits; w and from: the widths of result and operand. */
#define MEAN_CONVERSION(op, result)                                                                \
    static uint64_t meaning_##op(const struct geo_ir_type *type, const struct geo_ir_type *source, \
                                 uint64_t a)                                                       \
    {                                                                                              \
        uint32_t from = bit_width(source), w = bit_width(type);                                    \
        (void)from, (void)w;                                                                       \
        return result;                                                                             \
    }
MEAN_CONVERSION(SpvOpConvertFToU, float_to_integer(interp_to_double(source, a), w, false))
MEAN_CONVERSION(SpvOpConvertFToS, float_to_integer(interp_to_double(source, a), w, true))
MEAN_CONVERSION(SpvOpConvertUToF, integer_to_float(type, a))
MEAN_CONVERSION(SpvOpConvertSToF, integer_to_float(type, as_signed(from, a)))
MEAN_CONVERSION(SpvOpFConvert, interp_from_double(type, interp_to_double(source, a)))
MEAN_CONVERSION(SpvOpUConvert, wrapped(w, a))
MEAN_CONVERSION(SpvOpSConvert, wrapped(w, as_signed(from, a)))
MEAN_CONVERSION(SpvOpSatConvertSToU, saturated(w, false, as_signed(from, a)))
MEAN_CONVERSION(SpvOpSatConvertUToS, saturated(w, true, a))
MEAN_CONVERSION(SpvOpConvertPtrToU, wrapped(w, a))
MEAN_CONVERSION(SpvOpConvertUToPtr, wrapped(w, a))
MEAN_CONVERSION(SpvOpPtrCastToGeneric, wrapped(w, a))
MEAN_CONVERSION(SpvOpGenericCastToPtr, wrapped(w, a))

/* ---- any operation ---- */

/* The function that interprets an opcode. One of the members is set. All are NULL for opcodes that
 * are no scalar operations. */
struct scalar_meaning {
    wide (*integer)(uint32_t w, wide u, wide v, wide t);
    double (*floating)(double a, double b, double c);
    const struct comparison *comparison;
    bool (*class)(double value, double least);
    uint64_t (*conversion)(const struct geo_ir_type *type, const struct geo_ir_type *source,
                           uint64_t a);
};

static const struct scalar_meaning meanings[GEO_ROW_COUNT] = {
#define MEANING_INTEGER(op)    {.integer = meaning_##op}
#define MEANING_FLOAT(op)      {.floating = meaning_##op}
#define MEANING_COMPARISON(op) {.comparison = &meaning_##op}
#define MEANING_CLASS(op)      {.class = meaning_##op}
#define MEANING_CONVERSION(op) {.conversion = meaning_##op}
#define MEANING_PURE(op)       {.integer = NULL}
#define MEANING_EFFECT(op)     {.integer = NULL}
#define MEANING_EXTENDED(op)   {.integer = NULL}
#define MEANING_CONTROL(op)    {.integer = NULL}
#define MEANING_UNSEEN(op)     {.integer = NULL}
#define ROW(op, types, shape, folding, lowering, meaning, ...)                                     \
    [GEO_ROW_##op] = MEANING_##meaning(op),
#include "compiler/ir/opcodes.def"
};

bool interp_scalar(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                   uint32_t flags, const uint64_t operands[3], uint64_t *result)
{
    const struct scalar_meaning *meaning = &meanings[geo_op_row(op)];
    uint32_t w = bit_width(type);
    (void)flags;
    if (op == SpvOpSelect) {
        *result = operands[0] ? operands[1] : operands[2];
    } else if (op == SpvOpBitcast || op == SpvOpCopyObject || op == SpvOpCopyLogical) {
        *result = wrapped(w, operands[0]);
    } else if (meaning->integer) {
        *result = wrapped(w, meaning->integer(w, operands[0], operands[1], operands[2]));
    } else if (meaning->floating) {
        *result = float_result(meaning->floating, type, source, operands);
    } else if (meaning->comparison) {
        enum relation relation =
            relation_of(meaning->comparison->reading, source, operands[0], operands[1]);
        *result = (meaning->comparison->relations & relation) != 0;
    } else if (meaning->class) {
        *result = meaning->class(interp_to_double(source, operands[0]), least_normal(source));
    } else if (meaning->conversion) {
        *result = meaning->conversion(type, source, operands[0]);
    } else {
        return false;
    }
    return true;
}

/* ---- OpenCL.std ---- */

/* A sum of floats in double would be rounded twice; halves and doubles are not. */
static uint64_t meaning_Fma(const struct geo_ir_type *type, const uint64_t operands[3])
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = interp_to_double(type, operands[i]);
    }
    return interp_from_double(type, type->width == 32
                                        ? (double)fmaf((float)x[0], (float)x[1], (float)x[2])
                                        : fma(x[0], x[1], x[2]));
}

/* The second operand is an integer. */
static uint64_t meaning_Ldexp(const struct geo_ir_type *type, const uint64_t operands[3])
{
    double x = interp_to_double(type, operands[0]);
    return interp_from_double(type, ldexp(x, (int32_t)operands[1]));
}

/* The function that interprets an instruction. At most one of the members is set. */
struct opencl_meaning {
    wide (*integer)(uint32_t w, wide u, wide v, wide t);
    double (*floating)(double a, double b, double c);
    uint64_t (*scalar)(const struct geo_ir_type *type, const uint64_t operands[3]);
};

static const struct opencl_meaning opencl_meanings[GEO_OPENCL_ROW_COUNT] = {
#define OPENCL_INTEGER(name) {.integer = meaning_##name}
#define OPENCL_FLOAT(name)   {.floating = meaning_##name}
#define OPENCL_SCALAR(name)  {.scalar = meaning_##name}
#define OPENCL_MEMORY(name)  {.integer = NULL}
#define OPENCL_UNSEEN(name)  {.integer = NULL}
#define ROW(name, types, shape, rounding, lowering, meaning, ...)                                  \
    [GEO_OPENCL_ROW_##name] = OPENCL_##meaning(name),
#include "compiler/ir/opencl_std.def"
};

bool interp_ext(uint32_t number, const struct geo_ir_type *type, const uint64_t operands[3],
                uint64_t *result)
{
    const struct opencl_meaning *meaning = &opencl_meanings[geo_grammar_opencl_row(number)];
    bool is_float = type->kind == GEO_TYPE_FLOAT;
    if (meaning->integer && (is_float || type->kind == GEO_TYPE_INT)) {
        uint32_t w = bit_width(type);
        *result = wrapped(w, meaning->integer(w, operands[0], operands[1], operands[2]));
    } else if (meaning->floating && is_float) {
        *result = float_result(meaning->floating, type, type, operands);
    } else if (meaning->scalar && is_float) {
        *result = meaning->scalar(type, operands);
    } else {
        return false;
    }
    return true;
}
