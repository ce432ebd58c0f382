/* Widths of integers and the three float formats. See number.h. */
#include "compiler/fold/number.h"

#include <math.h>
#include <string.h>

uint32_t geo_number_width(const struct geo_ir_type *type)
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

uint64_t geo_number_cut(uint32_t width, uint64_t bits)
{
    return width >= 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

int64_t geo_number_signed(uint32_t width, uint64_t bits)
{
    return width >= 64 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
}

static double half_value(uint64_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

static uint64_t half_bits(double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value)) {
        return sign | 0x7E00;
    }
    if (size >= 65520.0) {
        return sign | 0x7C00;
    }
    if (size < 0x1p-14) {
        return sign | (uint64_t)rint(size * 0x1p24);
    }
    /* The mantissa starts at 1024. If it is rounded up to 2048, it carries into the exponent, which
       is right. */
    int exponent = ilogb(size);
    return sign | (((uint64_t)(exponent + 14) << 10) + (uint64_t)rint(ldexp(size, 10 - exponent)));
}

double geo_number_float(uint32_t width, uint64_t bits)
{
    if (width == 16) {
        return half_value(bits);
    }
    if (width == 32) {
        float narrow;
        uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, sizeof(narrow));
        return (double)narrow;
    }
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

uint64_t geo_number_float_bits(uint32_t width, double value)
{
    if (width == 16) {
        return half_bits(value);
    }
    if (width == 32) {
        float narrow = (float)value;
        uint32_t low;
        memcpy(&low, &narrow, sizeof(low));
        return low;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

bool geo_number_is_denormal(uint32_t width, double value)
{
    double least = width == 32 ? 0x1p-126 : 0x1p-1022;
    return width != 16 && value != 0.0 && fabs(value) < least;
}
