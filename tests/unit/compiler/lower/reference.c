/* Unit tests of lowering: references for integers, comparisons and conversions; sample values. */
#include "reference.h"

#include "interpret.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- samples ---- */

static const uint64_t edges8[] = {0, 1, 2, 3, 7, 8, 0x0f, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x55, 100};
static const uint64_t edges16[] = {0,      1,      2,      7,      15,     16,     0xff,  0x100,
                                   0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x5555, 30000, 255};
static const uint64_t edges32[] = {
    0,          1,          2,          7,          31,         32,         33,         0xffff,
    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555, 0x00800000, 1000003};
static const uint64_t edges64[] = {0,
                                   1,
                                   2,
                                   7,
                                   63,
                                   64,
                                   0xffffffff,
                                   0x100000000,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0x8000000000000001,
                                   0xfffffffffffffffe,
                                   0xffffffffffffffff,
                                   0x5555555555555555,
                                   0x0020000000000001,
                                   0x7fffffff80000001};
static const uint64_t edges_f16[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00,
                                     0x3c01, 0x3800, 0xb800, 0x3e00, 0x4100, 0x7bff, 0xfbff, 0x7c00,
                                     0xfc00, 0x7e00, 0x7c01, 0x4248, 0x37ff, 0x6400};
static const uint64_t edges_f32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
    0x3f800001, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f7fffff,
    0x5f000000, 0x5f7fffff, 0x3effffff, 0x4b000001, 0x33000000, 0x477fefff, 0x477ff000, 0x40490fdb};
static const uint64_t edges_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x000fffffffffffff,
    0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000,
    0xc004000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0x41dfffffffc00000,
    0xc1e0000000000000, 0x41efffffffe00000, 0x43e0000000000000, 0x43dfffffffffffff,
    0xc3e0000000000000, 0x43f0000000000000, 0x3fdfffffffffffff, 0x47efffffe0000000,
    0x47efffffefffffff, 0x47effffff0000000, 0x36a0000000000000, 0x400921fb54442d18};

#define EDGES(array) {array, sizeof(array) / sizeof((array)[0])}

static const struct edges {
    const uint64_t *values;
    uint32_t count;
} *edges_of(const char *type)
{
    static const uint64_t bools[] = {0, 1};
    static const struct edges all[] = {EDGES(edges8),    EDGES(edges16),   EDGES(edges32),
                                       EDGES(edges64),   EDGES(edges_f16), EDGES(edges_f32),
                                       EDGES(edges_f64), EDGES(bools)};
    uint32_t bits = harness_type_bits(type);
    if (type[0] == 'b') {
        return &all[7];
    }
    if (type[0] == 'f') {
        return &all[bits == 16 ? 4 : bits == 32 ? 5 : 6];
    }
    return &all[bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3];
}

uint32_t reference_edge_count(const char *type)
{
    return edges_of(type)->count;
}

uint64_t reference_value(const char *type, uint32_t n, uint64_t *random)
{
    const struct edges *edges = edges_of(type);
    if (n < edges->count) {
        return edges->values[n];
    }
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    uint32_t bits = harness_type_bits(type);
    uint64_t value = type[0] == 'b' ? *random >> 40 & 1 : *random;
    /* Half of the random floats near 1, where results are not all infinite or zero. */
    if (type[0] == 'f' && (*random >> 50 & 1)) {
        return reference_encode(bits, (long double)(int64_t)*random / 0x1p60L, REFERENCE_RTE);
    }
    return bits == 64 ? value : value & ((1ull << bits) - 1);
}

/* ---- floats ---- */

long double reference_decode(uint32_t width, uint64_t bits)
{
    if (width == 64) {
        double value;
        memcpy(&value, &bits, 8);
        return value;
    }
    if (width == 32) {
        uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, 4);
        return value;
    }
    int exponent = bits >> 10 & 31;
    long double sign = bits >> 15 & 1 ? -1 : 1, fraction = bits & 1023;
    if (exponent == 31) {
        return fraction != 0 ? copysignl((long double)NAN, sign) : sign * (long double)INFINITY;
    }
    return sign * (exponent ? ldexpl(1024 + fraction, exponent - 25) : ldexpl(fraction, -24));
}

uint64_t reference_encode(uint32_t width, long double value, enum reference_rounding mode)
{
    uint32_t mantissa = width == 16 ? 10 : width == 32 ? 23 : 52;
    uint64_t sign_bit = 1ull << (width - 1);
    uint64_t infinity = (sign_bit - 1) & ~((1ull << mantissa) - 1);
    if (isnan(value)) {
        return infinity | 1ull << (mantissa - 1);
    }
    bool negative = signbit(value);
    uint64_t sign = negative ? sign_bit : 0;
    value = fabsl(value);
    if (isinf(value)) {
        return sign | infinity;
    }
    uint64_t low = 0, above = infinity; /* the largest float not above value lies in [low, above) */
    while (above - low > 1) {
        uint64_t middle = low + (above - low) / 2;
        if (reference_decode(width, middle) <= value) {
            low = middle;
        } else {
            above = middle;
        }
    }
    long double below = reference_decode(width, low);
    if (below == value) {
        return sign | low;
    }
    /* Infinity counts as the next power of two. */
    long double next = low + 1 == infinity ? below + (below - reference_decode(width, low - 1))
                                           : reference_decode(width, low + 1);
    bool up = mode == REFERENCE_RTP           ? !negative
              : mode == REFERENCE_RTN         ? negative
              : mode == REFERENCE_RTZ         ? false
              : value - below == next - value ? low & 1
                                              : value - below > next - value;
    return sign | (low + up);
}

/* ---- integers ---- */

static uint32_t width_of(const char *type)
{
    return harness_type_bits(type);
}

static uint64_t cut(uint32_t width, uint64_t bits)
{
    return width == 64 ? bits : bits & ((1ull << width) - 1);
}

static int64_t extend(uint32_t width, uint64_t bits)
{
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

static uint64_t field(unsigned op, uint32_t width, const uint64_t *v)
{
    uint32_t offset = (uint32_t)v[op == SpvOpBitFieldInsert ? 2 : 1] % width;
    uint64_t count = v[op == SpvOpBitFieldInsert ? 3 : 2];
    uint64_t ones = count >= width ? cut(width, ~0ull) : (1ull << count) - 1;
    if (op == SpvOpBitFieldInsert) {
        uint64_t mask = cut(width, ones << offset);
        return (v[0] & ~mask) | (v[1] << offset & mask);
    }
    uint64_t bits = v[0] >> offset & ones;
    if (op == SpvOpBitFieldSExtract && count > 0 && count < width && bits >> (count - 1) & 1) {
        bits |= ~ones;
    }
    return bits;
}

static uint64_t divide(unsigned op, uint32_t width, uint64_t a, uint64_t b)
{
    __int128 x = extend(width, a), y = extend(width, b);
    if (b == 0) {
        return 0;
    }
    switch (op) {
    case SpvOpUDiv:
        return a / b;
    case SpvOpUMod:
        return a % b;
    case SpvOpSDiv:
        return (uint64_t)(x / y);
    case SpvOpSRem:
        return (uint64_t)(x % y);
    default:
        return (uint64_t)((x % y + y) % y);
    }
}

uint64_t reference_integer(const struct harness_case *test, const uint64_t *v)
{
    uint32_t width = width_of(test->operands[0]), to = width_of(test->result);
    uint64_t result = 0;
    switch (test->op) {
    case SpvOpSNegate:
        return cut(width, -v[0]);
    case SpvOpIAdd:
        return cut(width, v[0] + v[1]);
    case SpvOpISub:
        return cut(width, v[0] - v[1]);
    case SpvOpIMul:
        return cut(width, v[0] * v[1]);
    case SpvOpUDiv:
    case SpvOpUMod:
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        return cut(width, divide(test->op, width, v[0], v[1]));
    case SpvOpShiftLeftLogical:
        return cut(width, v[0] << v[1] % width);
    case SpvOpShiftRightLogical:
        return v[0] >> v[1] % width;
    case SpvOpShiftRightArithmetic:
        return cut(width, (uint64_t)(extend(width, v[0]) >> v[1] % width));
    case SpvOpBitwiseAnd:
        return v[0] & v[1];
    case SpvOpBitwiseOr:
        return v[0] | v[1];
    case SpvOpBitwiseXor:
        return v[0] ^ v[1];
    case SpvOpNot:
        return cut(width, ~v[0]);
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
        return cut(width, field(test->op, width, v));
    case SpvOpBitReverse:
        for (uint32_t i = 0; i < width; i++) {
            result |= (v[0] >> i & 1) << (width - 1 - i);
        }
        return result;
    case SpvOpBitCount:
        return cut(to, (uint64_t)__builtin_popcountll(v[0]));
    default:
        return ~0ull;
    }
}

static uint64_t clamp_wide(uint32_t width, bool is_signed, __int128 value)
{
    __int128 least = is_signed ? -((__int128)1 << (width - 1)) : 0;
    __int128 most = ((__int128)1 << (is_signed ? width - 1 : width)) - 1;
    return cut(width, (uint64_t)(value < least ? least : value > most ? most : value));
}

uint64_t reference_function2(const struct harness_case *test, const uint64_t *v)
{
    uint32_t w = width_of(test->operands[0]), count = 0;
    __int128 a = extend(w, v[0]), b = extend(w, v[1]);
    __int128 ua = (__int128)v[0], ub = (__int128)v[1];
    switch (test->op) {
    case SpvOpUCountLeadingZerosINTEL:
        while (count < w && !(v[0] >> (w - 1 - count) & 1)) {
            count++;
        }
        return count;
    case SpvOpUCountTrailingZerosINTEL:
        while (count < w && !(v[0] >> count & 1)) {
            count++;
        }
        return count;
    case SpvOpAbsISubINTEL:
        return cut(w, (uint64_t)(a > b ? a - b : b - a));
    case SpvOpAbsUSubINTEL:
        return cut(w, (uint64_t)(ua > ub ? ua - ub : ub - ua));
    case SpvOpIAddSatINTEL:
        return clamp_wide(w, true, a + b);
    case SpvOpUAddSatINTEL:
        return clamp_wide(w, false, ua + ub);
    case SpvOpISubSatINTEL:
        return clamp_wide(w, true, a - b);
    case SpvOpUSubSatINTEL:
        return clamp_wide(w, false, ua - ub);
    case SpvOpIAverageINTEL:
        return cut(w, (uint64_t)((a + b) >> 1));
    case SpvOpUAverageINTEL:
        return cut(w, (uint64_t)((ua + ub) >> 1));
    case SpvOpIAverageRoundedINTEL:
        return cut(w, (uint64_t)((a + b + 1) >> 1));
    case SpvOpUAverageRoundedINTEL:
        return cut(w, (uint64_t)((ua + ub + 1) >> 1));
    case SpvOpIMul32x16INTEL:
        return cut(w, v[0] * (uint64_t)(int64_t)(int16_t)v[1]);
    case SpvOpUMul32x16INTEL:
        return cut(w, v[0] * (uint16_t)v[1]);
    default:
        return ~0ull;
    }
}

/* By the interpreter of models, which knows what these instructions mean. */
uint64_t reference_ext_integer(const struct harness_case *test, const uint64_t *v)
{
    const struct geo_ir_type type = {.kind = GEO_TYPE_INT, .width = width_of(test->result)};
    uint64_t result = 0;
    assert_true(interp_ext(test->op, &type, v, &result));
    return result;
}

/* ---- comparisons ---- */

static bool compare_floats(unsigned op, long double a, long double b)
{
    switch (op) {
    case SpvOpFOrdEqual:
        return a == b;
    case SpvOpFUnordEqual:
        return isunordered(a, b) || a == b;
    case SpvOpFOrdNotEqual:
    case SpvOpLessOrGreater:
        return islessgreater(a, b);
    case SpvOpFUnordNotEqual:
        return !(a == b);
    case SpvOpFOrdLessThan:
        return isless(a, b);
    case SpvOpFUnordLessThan:
        return !isgreaterequal(a, b);
    case SpvOpFOrdGreaterThan:
        return isgreater(a, b);
    case SpvOpFUnordGreaterThan:
        return !islessequal(a, b);
    case SpvOpFOrdLessThanEqual:
        return islessequal(a, b);
    case SpvOpFUnordLessThanEqual:
        return !isgreater(a, b);
    case SpvOpFOrdGreaterThanEqual:
        return isgreaterequal(a, b);
    case SpvOpFUnordGreaterThanEqual:
        return !isless(a, b);
    case SpvOpOrdered:
        return !isunordered(a, b);
    default:
        return isunordered(a, b);
    }
}

static bool classify(unsigned op, uint32_t width, uint64_t bits)
{
    long double value = reference_decode(width, bits);
    long double least = width == 16 ? 0x1p-14L : width == 32 ? 0x1p-126L : 0x1p-1022L;
    switch (op) {
    case SpvOpIsNan:
        return isnan(value);
    case SpvOpIsInf:
        return isinf(value);
    case SpvOpIsFinite:
        return isfinite(value);
    case SpvOpIsNormal:
        return isfinite(value) && fabsl(value) >= least;
    default:
        return bits >> (width - 1) & 1;
    }
}

uint64_t reference_compare(const struct harness_case *test, const uint64_t *v)
{
    uint32_t width = width_of(test->operands[0]);
    int64_t a = extend(width, v[0]), b = extend(width, v[1]);
    switch (test->op) {
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        return v[0] == v[1];
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        return v[0] != v[1];
    case SpvOpUGreaterThan:
        return v[0] > v[1];
    case SpvOpUGreaterThanEqual:
        return v[0] >= v[1];
    case SpvOpULessThan:
        return v[0] < v[1];
    case SpvOpULessThanEqual:
        return v[0] <= v[1];
    case SpvOpSGreaterThan:
        return a > b;
    case SpvOpSGreaterThanEqual:
        return a >= b;
    case SpvOpSLessThan:
        return a < b;
    case SpvOpSLessThanEqual:
        return a <= b;
    case SpvOpLogicalAnd:
        return v[0] && v[1];
    case SpvOpLogicalOr:
        return v[0] || v[1];
    case SpvOpLogicalNot:
        return !v[0];
    case SpvOpSelect:
        return v[0] ? v[1] : v[2];
    case SpvOpIsNan:
    case SpvOpIsInf:
    case SpvOpIsFinite:
    case SpvOpIsNormal:
    case SpvOpSignBitSet:
        return classify(test->op, width, v[0]);
    default:
        return compare_floats(test->op, reference_decode(width, v[0]),
                              reference_decode(width, v[1]));
    }
}

/* ---- conversions ---- */

static enum reference_rounding mode_of(const struct harness_case *test,
                                       enum reference_rounding fallback)
{
    uint32_t mode = test->flags >> GEO_VALUE_ROUND_SHIFT & 7;
    return mode ? (enum reference_rounding)(mode - 1) : fallback;
}

static uint64_t float_to_integer(const struct harness_case *test, uint64_t bits, bool is_signed)
{
    uint32_t to = width_of(test->result);
    long double value = reference_decode(width_of(test->operands[0]), bits);
    if (isnan(value)) {
        return 0;
    }
    switch (mode_of(test, REFERENCE_RTZ)) {
    case REFERENCE_RTE:
        value = rintl(value);
        break;
    case REFERENCE_RTP:
        value = ceill(value);
        break;
    case REFERENCE_RTN:
        value = floorl(value);
        break;
    default:
        value = truncl(value);
    }
    long double limit = ldexpl(1, (int)(is_signed ? to - 1 : to));
    if (value >= limit) {
        return cut(to, is_signed ? (1ull << (to - 1)) - 1 : ~0ull);
    }
    if (value < (is_signed ? -limit : 0)) {
        return is_signed ? 1ull << (to - 1) : 0;
    }
    return cut(to, is_signed ? (uint64_t)(int64_t)value : (uint64_t)value);
}

uint64_t reference_convert(const struct harness_case *test, const uint64_t *v)
{
    uint32_t from = width_of(test->operands[0]), to = width_of(test->result);
    bool saturates = test->flags & GEO_VALUE_SATURATED;
    switch (test->op) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
        return float_to_integer(test, v[0], test->op == SpvOpConvertFToS);
    case SpvOpConvertSToF:
        return reference_encode(to, (long double)extend(from, v[0]), mode_of(test, REFERENCE_RTE));
    case SpvOpConvertUToF:
        return reference_encode(to, (long double)v[0], mode_of(test, REFERENCE_RTE));
    case SpvOpFConvert:
        return reference_encode(to, reference_decode(from, v[0]), mode_of(test, REFERENCE_RTE));
    case SpvOpUConvert:
        return saturates ? clamp_wide(to, false, (__int128)v[0]) : cut(to, v[0]);
    case SpvOpSConvert:
        return saturates ? clamp_wide(to, true, extend(from, v[0]))
                         : cut(to, (uint64_t)extend(from, v[0]));
    case SpvOpSatConvertSToU:
        return clamp_wide(to, false, extend(from, v[0]));
    case SpvOpSatConvertUToS:
        return clamp_wide(to, true, (__int128)v[0]);
    default:
        return v[0];
    }
}
