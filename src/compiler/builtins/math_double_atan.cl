/* Inverse tangents of double. u is the smaller magnitude over the larger one. For u > tan(pi / 8)
 * the result is pi / 4 + atan((u - 1) / (u + 1)). The numbers are combined so that there is one
 * division. */
#include "math_common.clh"

#define PI_LOW 0x1.1a62633145c07p-53

/* atan(small / large) for 0 <= small <= large, large between 2^-500 and 2^500. */
static inline double atan_of(double small, double large)
{
    bool beyond = small > large * 0x1.a827999fcef32p-2;
    double top = beyond ? small - large : small, bottom = beyond ? small + large : large;
    double z = quotient_d(top, bottom);
    /* (atan(z) - z) / z^3 for |z| <= tan(pi / 8); error 2^-57 of atan */
    double s = z * z;
    double u = s * s;
    double even = -0x1.3a2b7a07caea8p-6, odd = 0x1.41603647c7a7cp-5;
    even = fma(even, u, -0x1.a098bb6ba4941p-5);
    even = fma(even, u, -0x1.10fa75382537fp-4);
    even = fma(even, u, -0x1.745d0b26b83e7p-4);
    even = fma(even, u, -0x1.24924924360cbp-3);
    even = fma(even, u, -0x1.5555555555555p-2);
    odd = fma(odd, u, 0x1.dfe61e80903d2p-5);
    odd = fma(odd, u, 0x1.3b1262d95579ep-4);
    odd = fma(odd, u, 0x1.c71c7185314cbp-4);
    odd = fma(odd, u, 0x1.999999999934ap-3);
    double p = fma(odd, s, even);
    double rest = fma(z * s, p, beyond ? 0.25 * PI_LOW : 0.0);
    return beyond ? M_PI_4 + (z + rest) : z + rest;
}

double OVERLOAD geo_atan(double x)
{
    double size = fabs(x);
    size = size > 0x1p200 ? 0x1p200 : size;
    bool swap = size > 1.0;
    double part = atan_of(swap ? 1.0 : size, swap ? size : 1.0);
    part = swap ? (0.5 * PI_LOW - part) + M_PI_2 : part;
    return with_sign_d(part, x);
}

#define INVERSE_PI     0x1.45f306dc9c883p-2
#define INVERSE_PI_LOW -0x1.6b01ec5417056p-56

double OVERLOAD geo_atanpi(double x)
{
    double size = fabs(x);
    bool swap = size > 1.0;
    double limit = size > 0x1p200 ? 0x1p200 : size;
    double part = atan_of(swap ? 1.0 : limit, swap ? limit : 1.0);
    part = fma(part, INVERSE_PI, part * INVERSE_PI_LOW);
    part = swap ? 0.5 - part : part;
    part = isnan(x) ? x : part;
    return with_sign_d(part, x);
}

/* Handles magnitudes outside the common range. A small quotient is the angle itself; otherwise both
 * magnitudes are scaled towards 1. */
static double atan_rare(double small, double large)
{
    bool ones = small == INFINITY || large == 0.0;
    double top = ones ? (large == 0.0 ? 0.0 : 1.0) : small, bottom = ones ? 1.0 : large;
    double factor = bottom > 1.0 ? 0x1p-600 : bottom < 1.0 ? 0x1p600 : 1.0;
    double quotient = top / bottom;
    return quotient < 0x1p-30 ? quotient : atan_of(top * factor, bottom * factor);
}

double OVERLOAD geo_atan2(double y, double x)
{
    double a = fabs(y), b = fabs(x);
    bool swap = a > b;
    double large = swap ? a : b, small = swap ? b : a;
    double part = atan_of(small, large);
    if (!(small > 0x1p-450 && large < 0x1p500)) {
        part = atan_rare(small, large);
    }
    part = swap ? (0.5 * PI_LOW - part) + M_PI_2 : part;
    part = as_long(x) < 0 ? (PI_LOW - part) + M_PI : part;
    part = isnan(x) || isnan(y) ? (double)NAN : part;
    return with_sign_d(part, y);
}
