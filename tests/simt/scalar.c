/* Arithmetic on one leaf: integers of up to 128 bits, floats of 16, 32 and 64 bits. */
#include "internal.h"

#include <math.h>
#include <string.h>

/* ---- floats ---- */

static double half_value(uint64_t word)
{
    uint32_t exponent = (uint32_t)word >> 10 & 31, fraction = (uint32_t)word & 0x3ff;
    double value = exponent == 0    ? ldexp((double)fraction, -24)
                   : exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                                    : ldexp((double)(fraction | 0x400), (int)exponent - 25);
    return word & 0x8000 ? -value : value;
}

/* Rounds to the nearest half, ties to even. */
static uint64_t half_word(double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    value = fabs(value);
    if (isnan(value)) {
        return sign | 0x7e00;
    }
    if (value < 0x1p-14) {
        return sign | (uint64_t)nearbyint(ldexp(value, 24)); /* 0x400 is the least normal */
    }
    if (value >= 65520.0) {
        return sign | 0x7c00;
    }
    int exponent;
    double fraction = nearbyint(ldexp(frexp(value, &exponent), 11)); /* 1024 to 2048 */
    return sign | (uint64_t)(((int64_t)(exponent + 13) << 10) + (int64_t)fraction);
}

double float_value(uint64_t word, uint32_t bits)
{
    if (bits == 64) {
        double value;
        memcpy(&value, &word, sizeof(value));
        return value;
    }
    if (bits == 32) {
        float value;
        uint32_t low = (uint32_t)word;
        memcpy(&value, &low, sizeof(value));
        return (double)value;
    }
    return half_value(word);
}

uint64_t float_word(double value, uint32_t bits)
{
    if (bits == 64) {
        uint64_t word;
        memcpy(&word, &value, sizeof(word));
        return word;
    }
    if (bits == 32) {
        float narrow = (float)value;
        uint32_t word;
        memcpy(&word, &narrow, sizeof(word));
        return word;
    }
    return half_word(value);
}

static float as_float(uint64_t word)
{
    uint32_t low = (uint32_t)word;
    float value;
    memcpy(&value, &low, sizeof(value));
    return value;
}

static uint64_t of_float(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof(word));
    return word;
}

const char *scalar_float(uint32_t op, uint32_t bits, uint64_t a, uint64_t b, uint64_t *result)
{
    if (op == LLVMFNeg) {
        *result = a ^ UINT64_C(1) << (bits - 1);
        return NULL;
    }
    if (bits == 32) {
        float x = as_float(a), y = as_float(b);
        *result = of_float(op == LLVMFAdd   ? x + y
                           : op == LLVMFSub ? x - y
                           : op == LLVMFMul ? x * y
                           : op == LLVMFDiv ? x / y
                                            : fmodf(x, y));
        return NULL;
    }
    /* A double has more than twice the digits of a half, so rounding twice is harmless. */
    double x = float_value(a, bits), y = float_value(b, bits);
    *result = float_word(op == LLVMFAdd   ? x + y
                         : op == LLVMFSub ? x - y
                         : op == LLVMFMul ? x * y
                         : op == LLVMFDiv ? x / y
                                          : fmod(x, y),
                         bits);
    return NULL;
}

bool scalar_fcmp(uint32_t predicate, uint32_t bits, uint64_t a, uint64_t b)
{
    double x = float_value(a, bits), y = float_value(b, bits);
    bool unordered = isnan(x) || isnan(y);
    /* Bits of a predicate: 1 equal, 2 greater, 4 less, 8 unordered. */
    return unordered ? predicate & 8
           : x == y  ? predicate & 1
           : x > y   ? predicate & 2
                     : predicate & 4;
}

/* ---- integers ---- */

static wide wide_of(const uint64_t *words, uint32_t bits)
{
    return bits > 64 ? (wide)words[1] << 64 | words[0] : words[0];
}

static wide wide_mask(uint32_t bits)
{
    return bits >= 128 ? ~(wide)0 : ((wide)1 << bits) - 1;
}

static __int128 wide_signed(wide value, uint32_t bits)
{
    return bits >= 128 ? (__int128)value : (__int128)(value << (128 - bits)) >> (128 - bits);
}

static void wide_store(wide value, uint32_t bits, uint64_t *words)
{
    value &= wide_mask(bits);
    words[0] = (uint64_t)value;
    if (bits > 64) {
        words[1] = (uint64_t)(value >> 64);
    }
}

static const char *divide(uint32_t op, uint32_t bits, wide x, wide y, wide *value)
{
    if (y == 0) {
        return "division by zero";
    }
    if (op == LLVMUDiv || op == LLVMURem) {
        *value = op == LLVMUDiv ? x / y : x % y;
        return NULL;
    }
    __int128 a = wide_signed(x, bits), b = wide_signed(y, bits);
    if (b == -1 && a == wide_signed((wide)1 << (bits - 1), bits)) {
        return "the quotient is too large";
    }
    *value = (wide)(op == LLVMSDiv ? a / b : a % b);
    return NULL;
}

static wide shift(uint32_t op, uint32_t bits, wide x, wide y)
{
    if (y >= bits) {
        return (wide)SIMT_POISON << 64 | SIMT_POISON;
    }
    return op == LLVMShl ? x << y : op == LLVMLShr ? x >> y : (wide)(wide_signed(x, bits) >> y);
}

const char *scalar_binary(uint32_t op, uint32_t bits, const uint64_t *a, const uint64_t *b,
                          uint64_t *result)
{
    wide x = wide_of(a, bits), y = wide_of(b, bits), value;
    switch (op) {
    case LLVMAdd:
        value = x + y;
        break;
    case LLVMSub:
        value = x - y;
        break;
    case LLVMMul:
        value = x * y;
        break;
    case LLVMAnd:
        value = x & y;
        break;
    case LLVMOr:
        value = x | y;
        break;
    case LLVMXor:
        value = x ^ y;
        break;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        value = shift(op, bits, x, y);
        break;
    case LLVMUDiv:
    case LLVMURem:
    case LLVMSDiv:
    case LLVMSRem: {
        const char *error = divide(op, bits, x, y, &value);
        if (error) {
            return error;
        }
        break;
    }
    default:
        return "an unknown binary operation";
    }
    wide_store(value, bits, result);
    return NULL;
}

bool scalar_icmp(uint32_t predicate, uint32_t bits, const uint64_t *a, const uint64_t *b)
{
    wide x = wide_of(a, bits), y = wide_of(b, bits);
    __int128 s = wide_signed(x, bits), t = wide_signed(y, bits);
    switch (predicate) {
    case LLVMIntEQ:
        return x == y;
    case LLVMIntNE:
        return x != y;
    case LLVMIntUGT:
        return x > y;
    case LLVMIntUGE:
        return x >= y;
    case LLVMIntULT:
        return x < y;
    case LLVMIntULE:
        return x <= y;
    case LLVMIntSGT:
        return s > t;
    case LLVMIntSGE:
        return s >= t;
    case LLVMIntSLT:
        return s < t;
    default:
        return s <= t;
    }
}

/* ---- conversions ---- */

/* Whether a float truncated to an integer has the given type. */
static bool fits(double value, uint32_t bits, bool is_signed)
{
    double limit = ldexp(1.0, (int)(is_signed ? bits - 1 : bits));
    return !isnan(value) && trunc(value) < limit && trunc(value) >= (is_signed ? -limit : 0.0);
}

static uint64_t float_to_int(double value, uint32_t bits, bool is_signed)
{
    return (is_signed ? (uint64_t)(int64_t)value : (uint64_t)value) & bits_mask(bits);
}

uint64_t scalar_saturated(uint64_t word, uint32_t from, uint32_t to, bool is_signed)
{
    double value = float_value(word, from);
    if (isnan(value)) {
        return 0;
    }
    if (fits(value, to, is_signed)) {
        return float_to_int(value, to, is_signed);
    }
    uint64_t most = is_signed ? bits_mask(to - 1) : bits_mask(to);
    return value > 0 ? most : is_signed ? most + 1 : 0;
}

static uint64_t int_to_float(uint64_t word, uint32_t from, uint32_t to, bool is_signed)
{
    if (to == 32) {
        return of_float(is_signed ? (float)bits_signed(word, from) : (float)word);
    }
    return float_word(is_signed ? (double)bits_signed(word, from) : (double)word, to);
}

const char *scalar_cast(uint32_t op, uint32_t from, uint32_t to, const uint64_t *a,
                        uint64_t *result)
{
    wide x = wide_of(a, from);
    switch (op) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        wide_store(x, to, result);
        return NULL;
    case LLVMSExt:
        wide_store((wide)wide_signed(x, from), to, result);
        return NULL;
    case LLVMFPExt:
    case LLVMFPTrunc:
        *result = float_word(float_value(a[0], from), to);
        return NULL;
    case LLVMFPToUI:
    case LLVMFPToSI: {
        double value = float_value(a[0], from);
        bool is_signed = op == LLVMFPToSI;
        *result = fits(value, to, is_signed) ? float_to_int(value, to, is_signed)
                                             : SIMT_POISON & bits_mask(to);
        return NULL;
    }
    case LLVMUIToFP:
    case LLVMSIToFP:
        if (from > 64 || to == 16) {
            return "a conversion that the interpreter lacks";
        }
        *result = int_to_float(a[0], from, to, op == LLVMSIToFP);
        return NULL;
    default:
        return "an unknown conversion";
    }
}

/* ---- atomic operations ---- */

const char *scalar_rmw(uint32_t op, uint32_t bits, uint64_t old, uint64_t value, uint64_t *next)
{
    int64_t s = bits_signed(old, bits), t = bits_signed(value, bits);
    switch (op) {
    case LLVMAtomicRMWBinOpXchg:
        *next = value;
        break;
    case LLVMAtomicRMWBinOpAdd:
        *next = old + value;
        break;
    case LLVMAtomicRMWBinOpSub:
        *next = old - value;
        break;
    case LLVMAtomicRMWBinOpAnd:
        *next = old & value;
        break;
    case LLVMAtomicRMWBinOpOr:
        *next = old | value;
        break;
    case LLVMAtomicRMWBinOpXor:
        *next = old ^ value;
        break;
    case LLVMAtomicRMWBinOpMax:
        *next = s > t ? old : value;
        break;
    case LLVMAtomicRMWBinOpMin:
        *next = s < t ? old : value;
        break;
    case LLVMAtomicRMWBinOpUMax:
        *next = old > value ? old : value;
        break;
    case LLVMAtomicRMWBinOpUMin:
        *next = old < value ? old : value;
        break;
    case LLVMAtomicRMWBinOpFAdd:
        return scalar_float(LLVMFAdd, bits, old, value, next);
    default:
        return "an atomic operation that the interpreter lacks";
    }
    *next &= bits_mask(bits);
    return NULL;
}
