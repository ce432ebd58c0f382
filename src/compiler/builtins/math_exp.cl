/* Exponentials of float and functions derived from them. Overflow and underflow need no special
 * cases: arguments are limited to a range at whose ends the last multiplication gives infinity or
 * zero. */
#include "math_exp_core.clh"

float OVERLOAD geo_exp(float x)
{
    int n;
    float r = exp_reduce(limit(x, -105.0f, 89.0f), &n);
    return scale(exp_poly(r) + 1.0f, n);
}

float OVERLOAD geo_exp2(float x)
{
    float limited = limit(x, -151.0f, 129.0f);
    float shifted = limited + ROUNDER;
    float r = limited - (shifted - ROUNDER);
    return scale(fma(exp2_poly(r), r, 1.0f), as_int(shifted));
}

float OVERLOAD geo_exp10(float x)
{
    float limited = limit(x, -45.5f, 38.7f);
    float shifted = fma(limited, 0x1.a934fp+1f, ROUNDER);
    float whole = shifted - ROUNDER;
    float r = fma(whole, -0x1.344p-2f, limited); /* log10(2) in two parts */
    r = fma(whole, -0x1.3509f8p-18f, r);
    /* (10^r - 1) / r for |r| <= log10(2) / 2; error 2^-27 of 10^r */
    float s = r * r;
    float p = fma(0x1.a8dfdp-3f, r, 0x1.1560dp-1f);
    p = fma(p, s, fma(0x1.2bd77cp0f, r, 0x1.046fa8p1f));
    p = fma(p, s, fma(0x1.53524cp1f, r, 0x1.26bb1cp1f));
    return scale(fma(p, r, 1.0f), as_int(shifted));
}

/* Returns 2^n (1 + p) - 2^-shift for p = e^r - 1, in units of 2^shift. n is in the low bits, and
 * -126 <= n - shift < 128. */
static float exp_less_one(float p, int n, int shift)
{
    float s = as_float((n << 23) + ((127 - shift) << 23));
    return fma(s, p, s - power_of_two(-shift));
}

float OVERLOAD geo_expm1(float x)
{
    int n;
    float r = exp_reduce(limit(x, -18.0f, 89.0f), &n);
    float result = 2.0f * exp_less_one(exp_poly(r), n, 1);
    return as_float(as_int(result) | (as_int(x) & SIGN_BIT)); /* keeps -0 */
}

/* With m = e^a - 1: (m + m / (m + 1)) / 2, computed in quarters to avoid early overflow. */
float OVERLOAD geo_sinh(float x)
{
    float size = fabs(x);
    int n;
    float r = exp_reduce(size > 89.5f ? 89.5f : size, &n);
    float m = exp_less_one(exp_poly(r), n, 2);
    float whole = fma(m, 4.0f, 1.0f);
    whole = whole > 0x1p60f ? 0x1p60f : whole;
    return with_sign(2.0f * fma(m, reciprocal(whole), m), x);
}

float OVERLOAD geo_cosh(float x)
{
    float size = fabs(x);
    int n;
    float r = exp_reduce(size > 89.5f ? 89.5f : size, &n);
    float s = as_float((n << 23) + (125 << 23));
    float e = fma(s, exp_poly(r), s);
    float other = e > 0x1p30f ? 0x1p34f : e * 16.0f;
    return 2.0f * (e + reciprocal(other));
}

/* With t = tanh(x / 2) = n / d: 2 t / (1 + t^2) = 2 n d / (n^2 + d^2). The derivative of this
 * vanishes at t = 1, so errors of t do not matter there. n / x and d are polynomials in x^2, for
 * |x| <= 9.02; error 2^-26 of the result. Beyond, it is 1. */
float OVERLOAD geo_tanh(float x)
{
    float size = fabs(x);
    size = size > 9.0f ? 9.0f : size;
    float s = size * size;
    float n = fma(fma(0x1.ddeba6p-14f, s, 0x1.e792ecp-6f), size * s, size);
    float d = fma(fma(0x1.483694p-19f, s, 0x1.3be362p-9f), s, 0x1.cf3a14p-3f);
    d = fma(d, s, 2.0f);
    float top = (n + n) * d;
    float bottom = fma(n, n, d * d);
    float inverse = geo_guess_inverse(bottom);
    float error = fma(-bottom, inverse, 1.0f);
    float quotient = top * inverse;
    float rest = fma(-quotient, bottom, top);
    quotient = fma(rest, fma(inverse, error, inverse), quotient);
    return with_sign(quotient > 1.0f || fabs(x) > 9.02f ? 1.0f : quotient, x);
}
