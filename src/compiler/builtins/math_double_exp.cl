/* Exponentials of double and functions derived from them; see math_exp.cl. */
#include "math_double_core.clh"

double OVERLOAD geo_exp(double x)
{
    long n;
    double rest;
    double r = exp_reduce_d(limit_d(x, -750.0, 710.0), &n, &rest) + rest;
    return scale_d(exp_poly_d(r) + 1.0, n);
}

double OVERLOAD geo_exp2(double x)
{
    double limited = limit_d(x, -1100.0, 1025.0);
    double whole = rint(limited);
    double r = limited - whole;
    double s = r * r;
    /* (2^r - 1) / r for |r| <= 1/2; error 2^-55 of 2^r */
    double even = 0x1.e9d3fe3952179p-32, odd = 0x1.e6063f7217bc6p-28;
    even = fma(even, s, 0x1.b524fae627834p-24);
    even = fma(even, s, 0x1.ffcbfc670dcd4p-17);
    even = fma(even, s, 0x1.5d87fe78a5276p-10);
    even = fma(even, s, 0x1.c6b08d704a0c2p-5);
    even = fma(even, s, 0x1.62e42fefa39efp-1);
    odd = fma(odd, s, 0x1.62bfd47773353p-20);
    odd = fma(odd, s, 0x1.430913096fd9fp-13);
    odd = fma(odd, s, 0x1.3b2ab6fba1ddap-7);
    odd = fma(odd, s, 0x1.ebfbdff82c598p-3);
    return geo_scale(fma(fma(odd, r, even), r, 1.0), whole);
}

double OVERLOAD geo_exp10(double x)
{
    double limited = limit_d(x, -330.0, 309.0);
    double shifted = fma(limited, 0x1.a934f0979a371p1, ROUNDER_D);
    double whole = shifted - ROUNDER_D;
    double r = fma(whole, -0x1.34413509f0000p-2, limited); /* log10(2) in two parts */
    r = fma(whole, -0x1.e7fbcc47c4acdp-40, r);
    double z = r * M_LN10;
    double rest = fma(r, M_LN10, -z) + r * -0x1.f48ad494ea3e9p-53;
    double p = exp_poly_d(z);
    return scale_d(1.0 + (p + rest), as_long(shifted));
}

/* Returns 2^n (1 + p) - 2^-shift for p = e^r - 1, in units of 2^shift. */
static double exp_less_one(double p, long n, long shift)
{
    double s = as_double((n << 52) + ((1023 - shift) << 52));
    return fma(s, p, s - power_of_two_d((int)-shift));
}

double OVERLOAD geo_expm1(double x)
{
    long n;
    double rest;
    double r = exp_reduce_d(limit_d(x, -40.0, 710.0), &n, &rest) + rest;
    double result = 2.0 * exp_less_one(exp_poly_d(r), n, 1);
    return as_double(as_long(result) | (as_long(x) & SIGN_BIT_D)); /* keeps -0 */
}

double OVERLOAD geo_sinh(double x)
{
    double size = fabs(x);
    long n;
    double rest;
    double r = exp_reduce_d(size > 710.6 ? 710.6 : size, &n, &rest) + rest;
    double m = exp_less_one(exp_poly_d(r), n, 2);
    double whole = fma(m, 4.0, 1.0);
    whole = whole > 0x1p200 ? 0x1p200 : whole;
    return with_sign_d(2.0 * (m + quotient_d(m > 0x1p200 ? 1.0 : m, whole)), x);
}

double OVERLOAD geo_cosh(double x)
{
    double size = fabs(x);
    long n;
    double rest;
    double r = exp_reduce_d(size > 710.6 ? 710.6 : size, &n, &rest) + rest;
    double s = as_double((n << 52) + (1021L << 52));
    double e = fma(s, exp_poly_d(r), s);
    double other = e > 0x1p196 ? 0x1p200 : e * 16.0;
    double inverse = reciprocal_guess_d(other);
    return 2.0 * (e + fma(inverse, fma(-other, inverse, 1.0), inverse));
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
