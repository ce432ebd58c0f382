/* Sine and cosine of float: of the distance to the nearest zero, which is up to pi / 2. */
#include "math_trig_core.clh"

/* sin(r + rest) for |r| <= pi / 2; error 2^-30. */
static float sin_poly(float r, float rest)
{
    float s = r * r;
    float p = -0x1.ab44fep-26f;
    p = fma(p, s, 0x1.7252a2p-19f);
    p = fma(p, s, -0x1.a0204ep-13f);
    p = fma(p, s, 0x1.11112ep-7f);
    p = fma(p, s, -0x1.555556p-3f);
    return fma(p, r * s, rest) + r;
}

float OVERLOAD geo_sin(float x)
{
    float size = fabs(x);
    float shifted = fma(size, INVERSE_PI, ROUNDER);
    float whole = shifted - ROUNDER;
    int n = as_int(shifted);
    float r = fma(whole, -PI_1, size); /* exact */
    float rest = whole * -PI_3;
    r = fma(whole, -PI_2, r);
    if (!(size < HUGE_ANGLE)) {
        r = (float)(huge_turns(size, &n) * M_PI);
        rest = 0.0f;
    }
    int sign = (as_int(x) & SIGN_BIT) ^ (n << 31);
    return as_float(as_int(sin_poly(r, rest)) ^ sign);
}

/* cos(x) = sin(x + pi / 2) */
float OVERLOAD geo_cos(float x)
{
    float size = fabs(x);
    float shifted = fma(size, INVERSE_PI, -0.5f) + ROUNDER;
    float whole = (shifted - ROUNDER) + 0.5f;
    int n = as_int(shifted) + 1;
    float r = fma(whole, -PI_1, size);
    float rest = whole * -PI_3;
    r = fma(whole, -PI_2, r);
    if (!(size < HUGE_ANGLE)) {
        double turns = huge_turns(size, &n);
        n += turns > 0.0;
        r = (float)((turns > 0.0 ? turns - 0.5 : turns + 0.5) * M_PI);
        rest = 0.0f;
    }
    return negate_odd(sin_poly(r, rest), n);
}
