/* Exponentials of float. Ranges that overflow or vanish need no care of their own: arguments are
 * limited to where the last multiplication has already given infinity or zero. */
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
    float p = 0x1.44252ap-13f; /* (2^r - 1) / r for |r| <= 1/2; error 2^-27 of 2^r */
    p = fma(p, r, 0x1.5ef604p-10f);
    p = fma(p, r, 0x1.3b2a48p-7f);
    p = fma(p, r, 0x1.c6af9cp-5f);
    p = fma(p, r, 0x1.ebfbep-3f);
    p = fma(p, r, 0x1.62e43p-1f);
    return scale(fma(p, r, 1.0f), as_int(shifted));
}

float OVERLOAD geo_exp10(float x)
{
    float limited = limit(x, -45.5f, 38.7f);
    float shifted = fma(limited, 0x1.a934fp+1f, ROUNDER);
    float whole = shifted - ROUNDER;
    float r = fma(whole, -0x1.344p-2f, limited); /* log10(2) in two parts */
    r = fma(whole, -0x1.3509f8p-18f, r);
    float p = 0x1.a8dfdp-3f; /* (10^r - 1) / r for |r| <= log10(2) / 2; error 2^-27 of 10^r */
    p = fma(p, r, 0x1.1560dp-1f);
    p = fma(p, r, 0x1.2bd77cp0f);
    p = fma(p, r, 0x1.046fa8p1f);
    p = fma(p, r, 0x1.53524cp1f);
    p = fma(p, r, 0x1.26bb1cp1f);
    return scale(fma(p, r, 1.0f), as_int(shifted));
}
