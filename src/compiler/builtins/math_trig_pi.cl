/* sinpi, cospi and tanpi of float. The reduction is exact; zeros have the signs of IEEE 754. */
#include "math_common.clh"

/* Returns |x| modulo 2, exactly; NaN for infinity. */
static inline float turn(float x)
{
    float size = fabs(x);
    return fma(floor(size * 0.5f), -2.0f, size);
}

/* sin(pi r) for |r| <= 1/2, limited to 1; error 2^-31. */
static inline float sinpi_poly(float r)
{
    float s = r * r;
    float p = -0x1.c870aap-8f;
    p = fma(p, s, 0x1.4fe3dp-4f);
    p = fma(p, s, -0x1.32cf92p-1f);
    p = fma(p, s, 0x1.466bb4p1f);
    p = fma(p, s, -0x1.4abbcep2f);
    p = fma(p, s, -0x1.7ce292p-24f);
    float result = fma(r, 0x1.921fb6p+1f, p * r);
    result = result > 1.0f ? 1.0f : result;
    return result < -1.0f ? -1.0f : result;
}

/* Reduces to the nearest even number. sin(pi t) for |t| <= 1 is computed from the distance to the
 * nearest of -1, 0 and 1. */
float OVERLOAD geo_sinpi(float x)
{
    float size = fabs(x);
    float t = fma(rint(size * 0.5f), -2.0f, size);
    float near = fabs(t), far = 1.0f - near;
    float r = with_sign(far < near ? far : near, t);
    return as_float(as_int(sinpi_poly(r) + 0.0f) ^ (as_int(x) & SIGN_BIT));
}

/* cos(pi t) = sin(pi (1/2 - |t|)) */
float OVERLOAD geo_cospi(float x)
{
    float t = fma(rint(x * 0.5f), -2.0f, x);
    return sinpi_poly(0.5f - fabs(t));
}

float OVERLOAD geo_tanpi(float x)
{
    float t = turn(x);
    float shifted = fma(t, 2.0f, ROUNDER);
    float r = fma(shifted - ROUNDER, -0.5f, t);
    int n = as_int(shifted);
    float s = r * r;
    /* tan(pi r) for |r| <= 1/4; error 2^-26 */
    float p = 0x1.0c2122p17f;
    p = fma(p, s, -0x1.39d1d8p11f);
    p = fma(p, s, 0x1.aed1a6p11f);
    p = fma(p, s, 0x1.370f0ep9f);
    p = fma(p, s, 0x1.472d9ap7f);
    p = fma(p, s, 0x1.465f3ep5f);
    p = fma(p, s, 0x1.4abc0ap3f);
    p = fma(p, s, -0x1.0e7eeap-23f);
    float result = fma(r, 0x1.921fb6p+1f, p * r);
    result = n & 1 ? -reciprocal(result) : result;
    float exact = as_float((n & 1 ? 0x7f800000 : 0) ^ ((n << 30) & SIGN_BIT));
    result = r == 0.0f ? exact : result;
    return as_float(as_int(result) ^ (as_int(x) & SIGN_BIT));
}
