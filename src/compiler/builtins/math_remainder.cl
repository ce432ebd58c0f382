/* Remainders of float, which are exact. For a quotient below 2^22, truncation is wrong by at most
 * one. One fma then gives an exact remainder, which needs at most one correction. Larger quotients,
 * and operands without a remainder, use double, where every step is exact. */
#include "math_common.clh"

/* Gives a remainder of zero the sign of the dividend. */
static float zero_like(float remainder, float x)
{
    return remainder == 0.0f ? copysign(0.0f, x) : remainder;
}

float OVERLOAD geo_fmod(float x, float y)
{
    float size = fabs(y), rest = fabs(x);
    float quotient = rest / size;
    rest = fma(-trunc(quotient), size, rest);
    rest = with_sign(rest < 0.0f ? rest + size : rest, x);
    if (!(quotient < 0x1p22f && size <= FLT_MAX)) {
        rest = zero_like((float)fmod((double)x, (double)y), x);
    }
    return rest;
}

/* Returns the remainder for quotients of any size, by steps of up to 50 bits of the quotient. */
static double fmod_steps(double rest, double size)
{
    if (!(rest <= DBL_MAX) || !(size > 0.0)) {
        return (double)NAN;
    }
    while (rest >= size) {
        double step = size;
        for (int ahead = 1; ahead > 0;) { /* at most 974, for an infinite quotient */
            ahead = (int)(as_long(rest / step) >> 52) - (1023 + 50);
            step *= power_of_two_d(ahead > 0 ? ahead : 0);
        }
        double next = fma(-trunc(rest / step), step, rest);
        rest = next < 0.0 ? next + step : next;
    }
    return rest;
}

double OVERLOAD geo_fmod(double x, double y)
{
    double size = fabs(y), dividend = fabs(x);
    double quotient = dividend / size;
    double rest = fma(-trunc(quotient), size, dividend);
    rest = rest < 0.0 ? rest + size : rest;
    if (!(quotient < 0x1p51 && size <= DBL_MAX)) {
        rest =
            size == (double)INFINITY && dividend <= DBL_MAX ? dividend : fmod_steps(dividend, size);
    }
    return with_sign_d(rest, x);
}

/* Returns the remainder to the nearest multiple, and stores the last three bits of that
 * multiple. */
static float remainder_by_bits(float x, float y, int *quotient)
{
    double size = fabs((double)y);
    double rest = fmod(fabs((double)x), 8.0 * size);
    int multiple = 0;
    for (int bit = 4; bit > 0; bit /= 2) {
        if (rest >= bit * size) {
            rest -= bit * size;
            multiple += bit;
        }
    }
    if (2.0 * rest > size || (2.0 * rest == size && multiple % 2 == 1)) {
        rest -= size;
        multiple++;
    }
    bool undefined = isnan(rest) || size == 0.0;
    *quotient = undefined ? 0 : multiple;
    return undefined ? NAN : (float)rest;
}

float OVERLOAD geo_remquo(float x, float y, private int *quotient)
{
    float size = fabs(y), rest = fabs(x);
    float shifted = rest / size + ROUNDER;
    bool common = shifted < ROUNDER + 0x1p22f && size <= FLT_MAX;
    int multiple = as_int(shifted);
    rest = fma(ROUNDER - shifted, size, rest);
    /* Half a multiple is exact, and so is the quotient. Only a larger remainder needs a
     * correction. */
    bool above = rest + rest > size, below = rest + rest < -size;
    multiple += (int)above - (int)below;
    rest = above ? rest - size : rest;
    rest = below ? rest + size : rest;
    if (!common) {
        rest = remainder_by_bits(x, y, &multiple);
    }
    multiple &= 7;
    *quotient = signbit(x) != signbit(y) ? -multiple : multiple;
    return zero_like(signbit(x) ? -rest : rest, x);
}

float OVERLOAD geo_remainder(float x, float y)
{
    int quotient;
    return geo_remquo(x, y, &quotient);
}
