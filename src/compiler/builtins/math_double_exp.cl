/* Exponential, logarithm and hyperbolic tangent of double. */
#include "math_double_core.clh"

double OVERLOAD geo_exp(double x)
{
    long n;
    double rest;
    double r = exp_reduce_d(limit_d(x, -750.0, 710.0), &n, &rest) + rest;
    return scale_d(exp_poly_d(r) + 1.0, n);
}

/* x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), s = f / (2 + f): log(1 + f) = 2 atanh(s).
 * For what has no finite logarithm k is the result. */
double OVERLOAD geo_log(double x)
{
    bool tiny = x < 0x1p-1022;
    /* ahead by so much that the exponent's bits count from 1 / sqrt(2) */
    long bits = as_long(tiny ? x * 0x1p54 : x) - 0x3fe6a09e667f3bcdL + (1023L << 52);
    long exponent = (long)((ulong)bits >> 52);
    double k =
        as_double(exponent | 0x4330000000000000L) - (tiny ? 0x1p52 + 1077.0 : 0x1p52 + 1023.0);
    k = x == 0.0 ? -(double)INFINITY : k;
    k = x <= DBL_MAX ? k : x;
    k = x < 0.0 ? (double)NAN : k;
    double f = as_double((bits & 0xfffffffffffffL) + 0x3fe6a09e667f3bcdL) - 1.0;
    double bottom = f + 2.0;
    double inverse = reciprocal_guess_d(bottom);
    inverse = fma(inverse, fma(-bottom, inverse, 1.0), inverse);
    double s = f * inverse;
    double rest = fma(-s, bottom, f) * inverse;
    /* (2 atanh(s) - 2 s) / s^3 for |s| <= 0.1716; error 2^-58 */
    double t = s * s;
    double u = t * t;
    double even = 0x1.308ce472fd80bp-3, odd = 0x1.3977ea08533ccp-3;
    even = fma(even, u, 0x1.7468035628766p-3);
    even = fma(even, u, 0x1.2492494f5ef08p-2);
    even = fma(even, u, 0x1.55555555555d8p-1);
    odd = fma(odd, u, 0x1.c71c487826216p-3);
    odd = fma(odd, u, 0x1.999999996dcd2p-2);
    double p = fma(odd, t, even);
    double low = fma(p, t * s, 2.0 * rest);
    return fma(k, 0x1.62e42fefap-1, fma(k, 0x1.cf79abc9e3b3ap-40, fma(2.0, s, low)));
}

/* With m = e^(2 a) - 1: m / (m + 2). */
double OVERLOAD geo_tanh(double x)
{
    double size = 2.0 * fabs(x);
    long n;
    double rest;
    double r = exp_reduce_d(size > 40.0 ? 40.0 : size, &n, &rest) + rest;
    double power = as_double((n << 52) + ONE_BITS_D);
    double m = fma(power, exp_poly_d(r), power - 1.0);
    return with_sign_d(quotient_d(m, m + 2.0), x);
}
