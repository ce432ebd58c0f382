/* Floats of 16, 32 and 64 bits as bits and as numbers of C, which knows no half. See program.h. */
#include "program.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Above the largest half: infinity where the mode rounds outward. */
static uint64_t half_overflow(bool negative)
{
    int mode = fegetround();
    bool inward = mode == FE_TOWARDZERO || mode == (negative ? FE_UPWARD : FE_DOWNWARD);
    return inward ? 0x7BFF : 0x7C00;
}

/* An integer as the processor's mode rounds it, of a magnitude with its sign. */
static double round_signed(double size, bool negative)
{
    volatile double value = negative ? -size : size;
    return fabs(rint(value));
}

/* Every NaN becomes one. */
static uint64_t half_bits(double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;
    if (isnan(value)) {
        return 0x7E00;
    }
    if (isinf(value)) {
        return sign | 0x7C00;
    }
    if (fegetround() == FE_TONEAREST ? size >= 65520 : size > 65504) {
        return sign | half_overflow(sign != 0);
    }
    if (size == 0) {
        return sign;
    }
    frexp(size, &exponent);
    exponent = exponent - 1 < -14 ? -14 : exponent - 1;
    /* 1024 and more: the leading bit adds one to the exponent's field; so does rounding up to 2048.
     */
    return sign | (((uint64_t)(exponent + 14) << 10) +
                   (uint64_t)round_signed(ldexp(size, 10 - exponent), sign != 0));
}

static double half_value(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

uint64_t gen_float_bits(const struct gen_type *type, double value)
{
    uint64_t bits = 0;
    float narrow = (float)value;
    if (type->bits == 16) {
        return half_bits(value);
    }
    memcpy(&bits, type->bits == 32 ? (const void *)&narrow : (const void *)&value, type->size);
    return bits;
}

double gen_float_value(const struct gen_type *type, uint64_t bits)
{
    double value;
    float narrow;
    if (type->bits == 16) {
        return half_value(bits);
    }
    memcpy(&value, &bits, sizeof(value));
    memcpy(&narrow, &bits, sizeof(narrow)); /* little endian: the low half */
    return type->bits == 32 ? (double)narrow : value;
}

void gen_integer_range(uint32_t bits, bool is_signed, double *low, double *high)
{
    *high = ldexp(1, (int)(is_signed ? bits - 1 : bits));
    *low = is_signed ? -*high : 0;
}
