/* Scalar operations in plain C. See evaluate.h; built without contraction of a * b + c. */
#include "evaluate.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

static uint64_t cut(uint32_t bits, uint64_t value)
{
    return bits >= 64 ? value : value & ((1ull << bits) - 1);
}

static int64_t sign(uint32_t bits, uint64_t value)
{
    return bits >= 64 ? (int64_t)value : (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static float to_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof(value));
    return value;
}

static double to_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint64_t from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* ---- integers ---- */

typedef __int128 wide;
typedef unsigned __int128 uwide;

static uint64_t saturate_signed(uint32_t bits, wide value)
{
    wide high = ((wide)1 << (bits - 1)) - 1, low = -high - 1;
    return (uint64_t)(value > high ? high : value < low ? low : value);
}

static const char *int_divide(enum gen_op op, uint32_t bits, uint64_t a, uint64_t b,
                              uint64_t *result)
{
    int64_t sa = sign(bits, a), sb = sign(bits, b);
    if (b == 0) {
        return "division by zero";
    }
    switch (op) {
    case GEN_UDIV:
        *result = a / b;
        return NULL;
    case GEN_UREM:
        *result = a % b;
        return NULL;
    default:
        if (sb == -1) {
            return "signed division by -1";
        }
        *result = (uint64_t)(op == GEN_SDIV ? sa / sb : sa % sb);
        return NULL;
    }
}

static const char *int_shift(enum gen_op op, uint32_t bits, uint64_t a, uint64_t b,
                             uint64_t *result)
{
    if (b >= bits) {
        return "shift by too much";
    }
    *result = op == GEN_SHL ? a << b : op == GEN_LSHR ? a >> b : (uint64_t)(sign(bits, a) >> b);
    return NULL;
}

static const char *int_operation(enum gen_op op, uint32_t bits, const uint64_t x[3],
                                 uint64_t *result)
{
    uint64_t a = x[0], b = x[1], c = x[2], most = cut(bits, UINT64_MAX);
    int64_t sa = sign(bits, a), sb = sign(bits, b);
    switch (op) {
    case GEN_ADD:
        *result = a + b;
        return NULL;
    case GEN_SUB:
        *result = a - b;
        return NULL;
    case GEN_MUL:
        *result = a * b;
        return NULL;
    case GEN_UDIV:
    case GEN_UREM:
    case GEN_SDIV:
    case GEN_SREM:
        return int_divide(op, bits, a, b, result);
    case GEN_AND:
        *result = a & b;
        return NULL;
    case GEN_OR:
        *result = a | b;
        return NULL;
    case GEN_XOR:
        *result = a ^ b;
        return NULL;
    case GEN_SHL:
    case GEN_LSHR:
    case GEN_ASHR:
        return int_shift(op, bits, a, b, result);
    case GEN_NEG:
        *result = 0 - a;
        return NULL;
    case GEN_NOT:
        *result = ~a;
        return NULL;
    case GEN_UMIN:
        *result = a < b ? a : b;
        return NULL;
    case GEN_UMAX:
        *result = a > b ? a : b;
        return NULL;
    case GEN_SMIN:
        *result = sa < sb ? a : b;
        return NULL;
    case GEN_SMAX:
        *result = sa > sb ? a : b;
        return NULL;
    case GEN_UCLAMP:
        if (b > c) {
            return "clamp with bounds the wrong way round";
        }
        *result = a < b ? b : a > c ? c : a;
        return NULL;
    case GEN_SABS:
        *result = sa < 0 ? 0 - a : a;
        return NULL;
    case GEN_POPCOUNT:
        *result = (uint64_t)__builtin_popcountll(a);
        return NULL;
    case GEN_CLZ:
        *result = 0;
        while (*result < bits && !(a >> (bits - 1 - *result) & 1)) {
            ++*result;
        }
        return NULL;
    case GEN_ROTATE:
        b &= bits - 1;
        *result = b ? a << b | a >> (bits - b) : a;
        return NULL;
    case GEN_UMUL_HI:
        *result = (uint64_t)((uwide)a * b >> bits);
        return NULL;
    case GEN_SMUL_HI:
        *result = (uint64_t)((wide)sa * sb >> bits);
        return NULL;
    case GEN_UADD_SAT:
        *result = a > most - b ? most : a + b;
        return NULL;
    case GEN_SADD_SAT:
        *result = saturate_signed(bits, (wide)sa + sb);
        return NULL;
    case GEN_USUB_SAT:
        *result = a < b ? 0 : a - b;
        return NULL;
    case GEN_SSUB_SAT:
        *result = saturate_signed(bits, (wide)sa - sb);
        return NULL;
    case GEN_UHADD:
        *result = (uint64_t)(((uwide)a + b) >> 1);
        return NULL;
    case GEN_SRHADD:
        *result = (uint64_t)(((wide)sa + sb + 1) >> 1);
        return NULL;
    case GEN_BITSELECT:
        *result = (a & ~c) | (b & c);
        return NULL;
    default:
        return "unknown integer operation";
    }
}

static const char *int_compare(enum gen_op op, uint32_t bits, uint64_t a, uint64_t b,
                               uint64_t *result)
{
    int64_t sa = sign(bits, a), sb = sign(bits, b);
    const bool results[] = {a == b,  a != b, a<b, a <= b, a> b, a >= b, sa<sb, sa <= sb, sa> sb,
                            sa >= sb};
    *result = results[op - GEN_EQ];
    return NULL;
}

/* ---- floating point ---- */

#define FLOAT_OPERATION(name, real, to, from, suffix)                                              \
    static const char *name(enum gen_op op, const uint64_t x[3], uint64_t *result)                 \
    {                                                                                              \
        real a = to(x[0]), b = to(x[1]), value;                                                    \
        switch (op) {                                                                              \
        case GEN_FADD:                                                                             \
            value = a + b;                                                                         \
            break;                                                                                 \
        case GEN_FSUB:                                                                             \
            value = a - b;                                                                         \
            break;                                                                                 \
        case GEN_FMUL:                                                                             \
            value = a * b;                                                                         \
            break;                                                                                 \
        case GEN_FDIV:                                                                             \
            value = a / b;                                                                         \
            break;                                                                                 \
        case GEN_FNEG:                                                                             \
            value = -a;                                                                            \
            break;                                                                                 \
        case GEN_FABS:                                                                             \
            value = fabs##suffix(a);                                                               \
            break;                                                                                 \
        case GEN_SQRT:                                                                             \
            value = sqrt##suffix(a);                                                               \
            break;                                                                                 \
        case GEN_FLOOR:                                                                            \
            value = floor##suffix(a);                                                              \
            break;                                                                                 \
        case GEN_CEIL:                                                                             \
            value = ceil##suffix(a);                                                               \
            break;                                                                                 \
        case GEN_TRUNC:                                                                            \
            value = trunc##suffix(a);                                                              \
            break;                                                                                 \
        case GEN_RINT:                                                                             \
            value = rint##suffix(a);                                                               \
            break;                                                                                 \
        case GEN_FMIN:                                                                             \
            value = fmin##suffix(a, b);                                                            \
            break;                                                                                 \
        case GEN_FMAX:                                                                             \
            value = fmax##suffix(a, b);                                                            \
            break;                                                                                 \
        case GEN_COPYSIGN:                                                                         \
            value = copysign##suffix(a, b);                                                        \
            break;                                                                                 \
        case GEN_FMA:                                                                              \
            value = fma##suffix(a, b, to(x[2]));                                                   \
            break;                                                                                 \
        case GEN_CANON:                                                                            \
            value = a == a ? a : 0;                                                                \
            break;                                                                                 \
        default:                                                                                   \
            return "unknown operation on floats";                                                  \
        }                                                                                          \
        *result = from(value);                                                                     \
        return NULL;                                                                               \
    }

FLOAT_OPERATION(float_operation, float, to_float, from_float, f)
FLOAT_OPERATION(double_operation, double, to_double, from_double, )

/* a * b + c exactly: finite halves are multiples of 2^-24 below 2^16, so the sum is a multiple of
 * 2^-48 with at most 82 bits. As a double with its last bit set where others were lost, which
 * rounds to a half as the sum itself does. */
static double half_fma(double a, double b, double c)
{
    if (!isfinite(a) || !isfinite(b) || !isfinite(c)) {
        return fma(a, b, c);
    }
    wide sum = (wide)(int64_t)ldexp(a, 24) * (int64_t)ldexp(b, 24) +
               (wide)(int64_t)ldexp(c, 24) * (1 << 24);
    if (sum == 0) {
        return fma(a, b, c); /* its sign */
    }
    uwide size = sum < 0 ? -(uwide)sum : (uwide)sum;
    int lost = 0;
    for (; size >> 53; lost++) {
        size = size >> 1 | (size & 1);
    }
    double value = ldexp((double)(uint64_t)size, lost - 48);
    return sum < 0 ? -value : value;
}

/* Sums, products, quotients and roots of halves are rounded by a double well enough that one more
 * rounding is right. */
static const char *half_operation(enum gen_op op, const struct gen_type *type, const uint64_t x[3],
                                  uint64_t *result)
{
    uint64_t doubles[3], bits;
    double values[3];
    for (uint32_t i = 0; i < 3; i++) {
        values[i] = gen_float_value(type, x[i]);
        doubles[i] = from_double(values[i]);
    }
    if (op == GEN_FMA) {
        *result = gen_float_bits(type, half_fma(values[0], values[1], values[2]));
        return NULL;
    }
    const char *error = double_operation(op, doubles, &bits);
    *result = error ? 0 : gen_float_bits(type, to_double(bits));
    return error;
}

static const char *real_operation(enum gen_op op, const struct gen_type *type, const uint64_t x[3],
                                  uint64_t *result)
{
    return type->bits == 16   ? half_operation(op, type, x, result)
           : type->bits == 32 ? float_operation(op, x, result)
                              : double_operation(op, x, result);
}

static const char *float_compare(enum gen_op op, const struct gen_type *type, const uint64_t x[3],
                                 uint64_t *result)
{
    double a = gen_float_value(type, x[0]), b = gen_float_value(type, x[1]);
    const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b, !(a < b)};
    *result = results[op - GEN_FEQ];
    return NULL;
}

/* ---- modes ---- */

static const int c_modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

static uint64_t flush(const struct gen_type *type, uint64_t bits)
{
    uint32_t mantissa = type->bits == 16 ? 10 : type->bits == 32 ? 23 : 52;
    uint64_t top = 1ull << (type->bits - 1);
    return bits & (top - (1ull << mantissa)) ? bits : bits & top;
}

enum float_part { FLOAT_NONE, FLOAT_EXACT, FLOAT_ROUNDED };

/* What an operation does with floats as numbers; those on signs alone do nothing with them. */
static enum float_part float_part(enum gen_op op)
{
    switch (op) {
    case GEN_FADD:
    case GEN_FSUB:
    case GEN_FMUL:
    case GEN_FDIV:
    case GEN_SQRT:
    case GEN_FMA:
    case GEN_FCONVERT:
    case GEN_U_TO_F:
    case GEN_S_TO_F:
        return FLOAT_ROUNDED;
    case GEN_FLOOR:
    case GEN_CEIL:
    case GEN_TRUNC:
    case GEN_RINT:
    case GEN_FMIN:
    case GEN_FMAX:
    case GEN_F_TO_U:
    case GEN_F_TO_S:
        return FLOAT_EXACT;
    default:
        return gen_ops[op].op_class == GEN_CLASS_FCOMPARE ? FLOAT_EXACT : FLOAT_NONE;
    }
}

/* ---- conversions ---- */

static const char *float_to_int(enum gen_op op, double value, uint32_t bits, uint64_t *result)
{
    double high = ldexp(1, (int)(op == GEN_F_TO_S ? bits - 1 : bits));
    double low = op == GEN_F_TO_S ? -high : 0;
    double whole = trunc(value);
    if (!(whole >= low && whole < high)) {
        return "conversion of what the integer cannot hold";
    }
    *result = op == GEN_F_TO_S ? (uint64_t)(int64_t)whole : (uint64_t)whole;
    return NULL;
}

uint64_t gen_interpret_in_range(const struct gen_type *type, uint32_t bits, bool is_signed,
                                uint64_t value)
{
    double low, high, x = gen_float_value(type, value);
    gen_integer_range(bits, is_signed, &low, &high);
    return x >= low && x < high ? value : 0;
}

/* To an integer in any mode; the nearest that it holds. */
static uint64_t float_to_int_saturated(enum gen_op op, double value, uint32_t bits,
                                       uint32_t rounding)
{
    double low, high;
    gen_integer_range(bits, op == GEN_F_TO_S, &low, &high);
    fesetround(c_modes[rounding]);
    volatile double given = value;
    double whole = rint(given);
    fesetround(FE_TONEAREST);
    if (isnan(value)) {
        return 0;
    }
    if (whole < low || whole >= high) {
        uint64_t most = cut(bits, UINT64_MAX) >> (op == GEN_F_TO_S);
        return whole >= high ? most : op == GEN_F_TO_S ? ~most : 0;
    }
    return op == GEN_F_TO_S ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

static const char *conversion(enum gen_op op, const struct gen_type *type,
                              const struct gen_type *source, uint64_t a, uint64_t *result)
{
    switch (op) {
    case GEN_UCONVERT:
    case GEN_BITCAST:
        *result = a;
        return NULL;
    case GEN_SCONVERT:
        *result = (uint64_t)sign(source->bits, a);
        return NULL;
    case GEN_FCONVERT:
        *result = gen_float_bits(type, gen_float_value(source, a));
        return NULL;
    case GEN_U_TO_F:
        /* Halves: what a double does not hold is too large for them anyway. */
        *result = type->bits == 32 ? from_float((float)a) : gen_float_bits(type, (double)a);
        return NULL;
    case GEN_S_TO_F:
        *result = type->bits == 32 ? from_float((float)sign(source->bits, a))
                                   : gen_float_bits(type, (double)sign(source->bits, a));
        return NULL;
    default:
        return float_to_int(op, gen_float_value(source, a), type->bits, result);
    }
}

static const char *bool_operation(enum gen_op op, uint64_t a, uint64_t b, uint64_t *result)
{
    *result = op == GEN_LAND ? (a & b) : op == GEN_LOR ? (a | b) : op == GEN_LXOR ? (a ^ b) : !a;
    return NULL;
}

/* Not inlined: what it computes must not leave the mode that the caller sets. */
__attribute__((noinline)) static const char *
scalar_operation(enum gen_op op, const struct gen_type *type, const struct gen_type *source,
                 const uint64_t operands[3], uint64_t *result)
{
    const char *error;
    switch (gen_ops[op].op_class) {
    case GEN_CLASS_BOOL:
        return bool_operation(op, operands[0], operands[1], result);
    case GEN_CLASS_COMPARE:
    case GEN_CLASS_SCOMPARE:
        return int_compare(op, source->bits, operands[0], operands[1], result);
    case GEN_CLASS_FCOMPARE:
        return float_compare(op, source, operands, result);
    case GEN_CLASS_INT:
    case GEN_CLASS_SINT:
        error = int_operation(op, type->bits, operands, result);
        break;
    case GEN_CLASS_CONVERT:
        error = conversion(op, type, source, operands[0], result);
        break;
    case GEN_CLASS_FLOAT:
        return real_operation(op, type, operands, result);
    default:
        if (op == GEN_CANON) {
            return real_operation(op, type, operands, result);
        }
        error = conversion(op, type, source, operands[0], result);
        break;
    }
    *result = cut(type->bits, *result);
    return error;
}

const char *gen_interpret_scalar(enum gen_op op, const struct gen_type *type,
                                 const struct gen_type *source, const uint64_t operands[3],
                                 const struct gen_how *how, uint64_t *result)
{
    enum float_part part = how ? float_part(op) : FLOAT_NONE;
    uint64_t given[3] = {operands[0], operands[1], operands[2]};
    if (part == FLOAT_NONE) {
        return scalar_operation(op, type, source, operands, result);
    }
    for (uint32_t i = 0; i < 3 && how->flush_operands; i++) {
        given[i] = flush(source, given[i]);
    }
    const char *error = NULL;
    if (how->given && (op == GEN_F_TO_S || op == GEN_F_TO_U)) {
        *result = cut(type->bits, float_to_int_saturated(op, gen_float_value(source, given[0]),
                                                         type->bits, how->rounding));
        return NULL;
    }
    fesetround(part == FLOAT_ROUNDED ? c_modes[how->rounding] : FE_TONEAREST);
    error = scalar_operation(op, type, source, given, result);
    fesetround(FE_TONEAREST);
    if (!error && how->flush_result && type->kind == GEN_FLOAT) {
        *result = flush(type, *result);
    }
    return error;
}
