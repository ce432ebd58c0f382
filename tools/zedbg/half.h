/* Floats of 16 bits. */
#ifndef ZEDBG_HALF_H
#define ZEDBG_HALF_H

#include <math.h>
#include <stdint.h>

static inline double half_to_double(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                             : exponent == 0 ? ldexp(fraction, -24)
                                             : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* Rounds to the nearest half, ties to even. */
static inline uint16_t half_of_double(double number)
{
    const uint16_t sign = signbit(number) ? 0x8000 : 0;
    const double magnitude = fabs(number);
    int exponent;
    if (isnan(number)) {
        return 0x7e00;
    }
    if (magnitude >= 65520.0) {
        return sign | 0x7c00;
    }
    (void)frexp(magnitude, &exponent);
    const int unit = exponent > -14 ? exponent - 11 : -24; /* of the last bit */
    const uint32_t steps = (uint32_t)nearbyint(ldexp(magnitude, -unit));
    /* A carry out of the fraction raises the exponent, which is next to it. */
    return (uint16_t)(sign | (unit == -24 ? steps : ((uint32_t)(unit + 24) << 10) + steps));
}

#endif
