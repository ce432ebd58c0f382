/* Scalar arithmetic of the reference interpreter. See interpret.h.
 *
 * It is written from the specification's definitions and in another manner than the compiler's
 * constant folder, so that each checks the other: integers are exact numbers that are brought into
 * the type's range at the end; comparisons are sets of relations; operations stand in tables. */
#include "interpret.h"

#include <math.h>
#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

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
#define FLOAT(name, result)                                                                        \
    static double name(double a, double b, double c)                                               \
    {                                                                                              \
        (void)b, (void)c;                                                                          \
        return result;                                                                             \
    }
FLOAT(f_add, a + b)
FLOAT(f_sub, a - b)
FLOAT(f_mul, a *b)
FLOAT(f_div, a / b)
FLOAT(f_rem, fmod(a, b))
FLOAT(f_mod, a - b * floor(a / b))
FLOAT(f_abs, fabs(a))
FLOAT(f_sqrt, sqrt(a))
FLOAT(f_floor, floor(a))
FLOAT(f_ceil, ceil(a))
FLOAT(f_trunc, trunc(a))
FLOAT(f_rint, rint(a))
FLOAT(f_round, round(a))
FLOAT(f_min, fmin(a, b))
FLOAT(f_max, fmax(a, b))
FLOAT(f_clamp, fmin(fmax(a, b), c))
FLOAT(f_fma, fma(a, b, c))
FLOAT(f_mad, a *b + c)
FLOAT(f_copysign, copysign(a, b))
/* As far off as a guess may be. */
FLOAT(f_guess_inverse, (1 + 0x1.7p-12) / a)
FLOAT(f_guess_inverse_root, (1 - 0x1.7p-12) / sqrt(a))
FLOAT(f_scale, isnan(b) ? b : ldexp(a, (int)b))

struct float_operation {
    uint32_t number; /* SpvOp, or of OpenCL.std */
    double (*compute)(double a, double b, double c);
};

static const struct float_operation float_core[] = {
    {SpvOpFAdd, f_add},
    {SpvOpFSub, f_sub},
    {SpvOpFMul, f_mul},
    {SpvOpFDiv, f_div},
    {SpvOpFRem, f_rem},
    {SpvOpFMod, f_mod},
    {GEO_OP_GUESS_INVERSE, f_guess_inverse},
    {GEO_OP_GUESS_INVERSE_ROOT, f_guess_inverse_root},
    {GEO_OP_SCALE, f_scale},
};

/* The few that tests use. */
static const struct float_operation float_ext[] = {
    {OpenCLstd_Fabs, f_abs},          {OpenCLstd_Sqrt, f_sqrt},   {OpenCLstd_Native_sqrt, f_sqrt},
    {OpenCLstd_Floor, f_floor},       {OpenCLstd_Ceil, f_ceil},   {OpenCLstd_Trunc, f_trunc},
    {OpenCLstd_Rint, f_rint},         {OpenCLstd_Round, f_round}, {OpenCLstd_Fmin, f_min},
    {OpenCLstd_FMin_common, f_min},   {OpenCLstd_Fmax, f_max},    {OpenCLstd_FMax_common, f_max},
    {OpenCLstd_FClamp, f_clamp},      {OpenCLstd_Fma, f_fma},     {OpenCLstd_Mad, f_mad},
    {OpenCLstd_Copysign, f_copysign},
};

static bool float_compute(const struct float_operation *table, size_t count, uint32_t number,
                          const struct geo_ir_type *type, const struct geo_ir_type *source,
                          const uint64_t operands[3], uint64_t *result)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = interp_to_double(source, operands[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (table[i].number == number) {
            *result = interp_from_double(type, table[i].compute(x[0], x[1], x[2]));
            return true;
        }
    }
    return false;
}

static bool float_test(SpvOp op, const struct geo_ir_type *type, double value, uint64_t *result)
{
    double normal = type->width == 16 ? 0x1p-14 : type->width == 32 ? 0x1p-126 : 0x1p-1022;
    bool finite = value - value == 0;
    switch (op) {
    case SpvOpIsNan:
        *result = value != value;
        return true;
    case SpvOpIsInf:
        *result = !finite && value == value;
        return true;
    case SpvOpIsFinite:
        *result = finite;
        return true;
    case SpvOpIsNormal:
        *result = finite && (value >= normal || value <= -normal);
        return true;
    case SpvOpSignBitSet:
        *result = copysign(1, value) < 0;
        return true;
    default:
        return false;
    }
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

static const struct {
    SpvOp op;
    enum reading reading;
    unsigned relations;
} comparisons[] = {
    {SpvOpIEqual, READ_UNSIGNED, EQUAL},
    {SpvOpINotEqual, READ_UNSIGNED, LESS | GREATER},
    {SpvOpPtrEqual, READ_UNSIGNED, EQUAL},
    {SpvOpPtrNotEqual, READ_UNSIGNED, LESS | GREATER},
    {SpvOpLogicalEqual, READ_UNSIGNED, EQUAL},
    {SpvOpLogicalNotEqual, READ_UNSIGNED, LESS | GREATER},
    {SpvOpULessThan, READ_UNSIGNED, LESS},
    {SpvOpULessThanEqual, READ_UNSIGNED, LESS | EQUAL},
    {SpvOpUGreaterThan, READ_UNSIGNED, GREATER},
    {SpvOpUGreaterThanEqual, READ_UNSIGNED, GREATER | EQUAL},
    {SpvOpSLessThan, READ_SIGNED, LESS},
    {SpvOpSLessThanEqual, READ_SIGNED, LESS | EQUAL},
    {SpvOpSGreaterThan, READ_SIGNED, GREATER},
    {SpvOpSGreaterThanEqual, READ_SIGNED, GREATER | EQUAL},
    {SpvOpFOrdEqual, READ_FLOAT, EQUAL},
    {SpvOpFUnordEqual, READ_FLOAT, EQUAL | UNORDERED},
    {SpvOpFOrdNotEqual, READ_FLOAT, LESS | GREATER},
    {SpvOpFUnordNotEqual, READ_FLOAT, LESS | GREATER | UNORDERED},
    {SpvOpFOrdLessThan, READ_FLOAT, LESS},
    {SpvOpFUnordLessThan, READ_FLOAT, LESS | UNORDERED},
    {SpvOpFOrdGreaterThan, READ_FLOAT, GREATER},
    {SpvOpFUnordGreaterThan, READ_FLOAT, GREATER | UNORDERED},
    {SpvOpFOrdLessThanEqual, READ_FLOAT, LESS | EQUAL},
    {SpvOpFUnordLessThanEqual, READ_FLOAT, LESS | EQUAL | UNORDERED},
    {SpvOpFOrdGreaterThanEqual, READ_FLOAT, GREATER | EQUAL},
    {SpvOpFUnordGreaterThanEqual, READ_FLOAT, GREATER | EQUAL | UNORDERED},
    {SpvOpLessOrGreater, READ_FLOAT, LESS | GREATER},
    {SpvOpOrdered, READ_FLOAT, LESS | EQUAL | GREATER},
    {SpvOpUnordered, READ_FLOAT, UNORDERED},
};

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

static bool compare(SpvOp op, const struct geo_ir_type *source, uint64_t a, uint64_t b,
                    uint64_t *result)
{
    for (size_t i = 0; i < COUNT(comparisons); i++) {
        if (comparisons[i].op == op) {
            enum relation relation = relation_of(comparisons[i].reading, source, a, b);
            *result = (comparisons[i].relations & relation) != 0;
            return true;
        }
    }
    return false;
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

/* u, v, t: the operands' bits as unsigned numbers; i, j, k: as signed ones. What divides by zero is
 * undefined; here it is 0. */
#define INTEGER(name, result)                                                                      \
    static wide name(uint32_t w, wide u, wide v, wide t)                                           \
    {                                                                                              \
        wide i = as_signed(w, u), j = as_signed(w, v), k = as_signed(w, t);                        \
        (void)i, (void)j, (void)k, (void)v, (void)t;                                               \
        return result;                                                                             \
    }
INTEGER(i_add, u + v)
INTEGER(i_sub, u - v)
INTEGER(i_mul, product(u, v))
INTEGER(u_div, v ? u / v : 0)
INTEGER(u_mod, v ? u % v : 0)
INTEGER(s_div, j ? i / j : 0)
INTEGER(s_rem, j ? i % j : 0)
INTEGER(s_mod, j ? i - j *floor_divide(i, j) : 0)
INTEGER(i_negate, -u)
INTEGER(i_not, -1 - u)
INTEGER(i_and, u &v)
INTEGER(i_or, u + v - (u & v))
INTEGER(i_xor, u + v - 2 * (u & v))
INTEGER(i_shift_left, u *power_of_two(v % w))
INTEGER(u_shift_right, floor_divide(u, power_of_two(v % w)))
INTEGER(s_shift_right, floor_divide(i, power_of_two(v % w)))
INTEGER(i_count, bits_count(u))
INTEGER(i_reverse, bits_reverse(w, u))
INTEGER(s_abs, i < 0 ? -i : i)
INTEGER(s_max, i > j ? i : j)
INTEGER(s_min, i < j ? i : j)
INTEGER(u_max, u > v ? u : v)
INTEGER(u_min, u < v ? u : v)
INTEGER(s_clamp, i<j ? j : i> k ? k : i)
INTEGER(u_clamp, u<v ? v : u> t ? t : u)
INTEGER(i_clz, zeros_above(w, u))
INTEGER(i_ctz, zeros_below(w, u))
INTEGER(i_select, t ? v : u)
INTEGER(i_rotate, u *power_of_two(v % w) + u / power_of_two(w - v % w))
INTEGER(u_mul_hi, product_high(w, u, v))
INTEGER(s_mul_hi, floor_divide(i *j, power_of_two(w)))
INTEGER(u_add_sat, saturated(w, false, u + v))
INTEGER(s_add_sat, saturated(w, true, i + j))
INTEGER(u_sub_sat, saturated(w, false, u - v))
INTEGER(s_sub_sat, saturated(w, true, i - j))
INTEGER(u_hadd, floor_divide(u + v, 2))
INTEGER(s_hadd, floor_divide(i + j, 2))
INTEGER(u_rhadd, floor_divide(u + v + 1, 2))
INTEGER(s_rhadd, floor_divide(i + j + 1, 2))
INTEGER(i_bitselect, (u & (-1 - t)) + (v & t))

struct integer_operation {
    uint32_t number; /* SpvOp, or of OpenCL.std */
    wide (*compute)(uint32_t w, wide u, wide v, wide t);
};

static const struct integer_operation integer_core[] = {
    {SpvOpIAdd, i_add},
    {SpvOpISub, i_sub},
    {SpvOpIMul, i_mul},
    {SpvOpUDiv, u_div},
    {SpvOpUMod, u_mod},
    {SpvOpSDiv, s_div},
    {SpvOpSRem, s_rem},
    {SpvOpSMod, s_mod},
    {SpvOpSNegate, i_negate},
    {SpvOpNot, i_not},
    {SpvOpLogicalNot, i_not},
    {SpvOpBitwiseAnd, i_and},
    {SpvOpLogicalAnd, i_and},
    {SpvOpBitwiseOr, i_or},
    {SpvOpLogicalOr, i_or},
    {SpvOpBitwiseXor, i_xor},
    {SpvOpShiftLeftLogical, i_shift_left},
    {SpvOpShiftRightLogical, u_shift_right},
    {SpvOpShiftRightArithmetic, s_shift_right},
    {SpvOpBitCount, i_count},
    {SpvOpBitReverse, i_reverse},
    {SpvOpPtrDiff, i_sub}, /* in bytes; the caller divides */
};

static const struct integer_operation integer_ext[] = {
    {OpenCLstd_SAbs, s_abs},
    {OpenCLstd_SMax, s_max},
    {OpenCLstd_SMin, s_min},
    {OpenCLstd_UMax, u_max},
    {OpenCLstd_UMin, u_min},
    {OpenCLstd_SClamp, s_clamp},
    {OpenCLstd_UClamp, u_clamp},
    {OpenCLstd_Popcount, i_count},
    {OpenCLstd_Clz, i_clz},
    {OpenCLstd_Ctz, i_ctz},
    {OpenCLstd_Select, i_select},
    {OpenCLstd_Rotate, i_rotate},
    {OpenCLstd_UMul_hi, u_mul_hi},
    {OpenCLstd_SMul_hi, s_mul_hi},
    {OpenCLstd_UAdd_sat, u_add_sat},
    {OpenCLstd_SAdd_sat, s_add_sat},
    {OpenCLstd_USub_sat, u_sub_sat},
    {OpenCLstd_SSub_sat, s_sub_sat},
    {OpenCLstd_UHadd, u_hadd},
    {OpenCLstd_SHadd, s_hadd},
    {OpenCLstd_URhadd, u_rhadd},
    {OpenCLstd_SRhadd, s_rhadd},
    {OpenCLstd_Bitselect, i_bitselect},
};

static bool integer_compute(const struct integer_operation *table, size_t count, uint32_t number,
                            uint32_t w, const uint64_t operands[3], uint64_t *result)
{
    for (size_t i = 0; i < count; i++) {
        if (table[i].number == number) {
            *result = wrapped(w, table[i].compute(w, operands[0], operands[1], operands[2]));
            return true;
        }
    }
    return false;
}

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

static bool convert(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                    uint64_t a, uint64_t *result)
{
    uint32_t from = bit_width(source), to = bit_width(type);
    switch (op) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
        *result = float_to_integer(interp_to_double(source, a), to, op == SpvOpConvertFToS);
        break;
    case SpvOpConvertUToF:
        *result = integer_to_float(type, a);
        break;
    case SpvOpConvertSToF:
        *result = integer_to_float(type, as_signed(from, a));
        break;
    case SpvOpFConvert:
        *result = interp_from_double(type, interp_to_double(source, a));
        break;
    case SpvOpSConvert:
        *result = wrapped(to, as_signed(from, a));
        break;
    case SpvOpSatConvertSToU:
        *result = saturated(to, false, as_signed(from, a));
        break;
    case SpvOpSatConvertUToS:
        *result = saturated(to, true, a);
        break;
    case SpvOpUConvert:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
        *result = wrapped(to, a);
        break;
    default:
        return false;
    }
    return true;
}

/* ---- any operation ---- */

bool interp_scalar(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                   uint32_t flags, const uint64_t operands[3], uint64_t *result)
{
    (void)flags;
    uint32_t w = bit_width(type);
    if (op == SpvOpSelect) {
        *result = operands[0] ? operands[1] : operands[2];
        return true;
    }
    if (convert(op, type, source, operands[0], result) ||
        compare(op, source, operands[0], operands[1], result)) {
        return true;
    }
    if (source->kind != GEO_TYPE_FLOAT) {
        return integer_compute(integer_core, COUNT(integer_core), op, w, operands, result);
    }
    if (op == SpvOpFNegate) { /* also of what is not a number */
        *result = wrapped(w, operands[0] + power_of_two(w - 1));
        return true;
    }
    return float_test(op, source, interp_to_double(source, operands[0]), result) ||
           float_compute(float_core, COUNT(float_core), op, type, source, operands, result);
}

bool interp_ext(uint32_t number, const struct geo_ir_type *type, const uint64_t operands[3],
                uint64_t *result)
{
    if (type->kind == GEO_TYPE_INT) {
        return integer_compute(integer_ext, COUNT(integer_ext), number, type->width, operands,
                               result);
    }
    if (type->kind != GEO_TYPE_FLOAT) {
        return false;
    }
    if (number == OpenCLstd_Select) {
        *result = operands[2] ? operands[1] : operands[0];
        return true;
    }
    if (number == OpenCLstd_Ldexp) { /* the second operand is an integer */
        double x = interp_to_double(type, operands[0]);
        *result = interp_from_double(type, ldexp(x, (int32_t)operands[1]));
        return true;
    }
    if (number == OpenCLstd_Fma && type->width == 32) { /* a double would round twice */
        float x[3];
        for (int i = 0; i < 3; i++) {
            x[i] = (float)interp_to_double(type, operands[i]);
        }
        *result = interp_from_double(type, (double)fmaf(x[0], x[1], x[2]));
        return true;
    }
    return float_compute(float_ext, COUNT(float_ext), number, type, type, operands, result);
}
