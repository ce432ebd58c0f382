/* The error functions of double; see math_erf.cl. */
#include "math_double_core.clh"

/* erfc(a) = e^(-a^2) u Q(u - 9/64) with u = 1 / (a + 4), 0 <= a <= 27.35; error 2^-54. */
static double erfc_tail(double a)
{
    double sum = a + 4.0;
    double lost = a - (sum - 4.0);
    double guess = reciprocal_guess_d(sum);
    double e = fma(-lost, guess, fma(-sum, guess, 1.0));
    double u = fma(guess, e, guess);
    double t = fma(guess, e, guess - 0.140625);
    double t2 = t * t;
    double even = -0x1.bc55c29d42e30p+32, odd = 0x1.c4001ac49f60bp+34;
    even = fma(even, t2, 0x1.20926e8f57aa0p+30);
    even = fma(even, t2, -0x1.ac3808f896977p+26);
    even = fma(even, t2, 0x1.4e0883566f39ap+21);
    even = fma(even, t2, 0x1.0d0a4fabd4015p+21);
    even = fma(even, t2, -0x1.69f6ddc2bf86ap+19);
    even = fma(even, t2, 0x1.8c98144e34c03p+16);
    even = fma(even, t2, 0x1.a267a1618022bp+14);
    even = fma(even, t2, 0x1.d671b460d6f0ap+10);
    even = fma(even, t2, 0x1.02bfff5f3fe59p+6);
    even = fma(even, t2, 0x1.3b35b725c71c9p+0);
    odd = fma(odd, t2, -0x1.3f8b60223f7ffp+32);
    odd = fma(odd, t2, 0x1.551d229b75441p+29);
    odd = fma(odd, t2, -0x1.73214258fcbaap+26);
    odd = fma(odd, t2, 0x1.90cb03f3e85c9p+23);
    odd = fma(odd, t2, -0x1.4840c9808e935p+20);
    odd = fma(odd, t2, -0x1.cb1668f0451edp+15);
    odd = fma(odd, t2, 0x1.0a65e66d516a5p+16);
    odd = fma(odd, t2, 0x1.eccbcbc669472p+12);
    odd = fma(odd, t2, 0x1.792f364cf2bbap+8);
    odd = fma(odd, t2, 0x1.32b1220caf334p+3);
    double q = fma(odd, t, even);
    double square = a * a;
    long n;
    double rest;
    double r = exp_reduce_d(-square, &n, &rest);
    r += rest - fma(a, a, -square);
    double v = u * q;
    return scale_d(fma(exp_poly_d(r), v, v), n);
}

double OVERLOAD geo_erfc(double x)
{
    double size = fabs(x);
    double tail = erfc_tail(size > 27.3 ? 27.3 : size); /* beyond this the result is zero */
    return x < 0.0 ? 2.0 - tail : tail;
}

double OVERLOAD geo_erf(double x)
{
    double a = fabs(x);
    double s = a * a;
    double s2 = s * s;
    /* erf(a) for a <= 1; error 2^-53 */
    double even = 0x1.d4913a927f013p-27, odd = -0x1.a4a7fc74cc3c9p-31;
    even = fma(even, s2, 0x1.b96d81bf9c97ep-20);
    even = fma(even, s2, 0x1.f9a293c9da07fp-14);
    even = fma(even, s2, 0x1.565bccea43ca4p-8);
    even = fma(even, s2, 0x1.ce2f21a03dc0fp-4);
    even = fma(even, s2, -0x1.4bed25e0bdad2p-54);
    odd = fma(odd, s2, -0x1.5ba0febb039b3p-23);
    odd = fma(odd, s2, -0x1.f4c83ce19ccd7p-17);
    odd = fma(odd, s2, -0x1.c02dae5d98b5cp-11);
    odd = fma(odd, s2, -0x1.b82ce31169a99p-6);
    odd = fma(odd, s2, -0x1.812746b037942p-2);
    double p = fma(odd, s, even);
    double near = fma(a, 0x1.20dd750429b6dp0, p * a);
    /* log2(erfc(a)) for a from 1 to 6, where erf is 1; error of erf 2^-54 */
    double t = (a > 6.0 ? 6.0 : a) - 1.25; /* makes terms cancel where erfc vanishes */
    double t2 = t * t;
    double high_even = 0x1.b9b6981c2018cp-36, high_odd = -0x1.d0cbd583d338cp-32;
    high_even = fma(high_even, t2, 0x1.867df818fb905p-29);
    high_even = fma(high_even, t2, -0x1.091eb917770a8p-25);
    high_even = fma(high_even, t2, -0x1.1a0e44dc67a52p-19);
    high_even = fma(high_even, t2, -0x1.0622bd7ee0238p-16);
    high_even = fma(high_even, t2, 0x1.75542f727e5d4p-12);
    high_even = fma(high_even, t2, 0x1.705be70248bd8p-7);
    high_even = fma(high_even, t2, -0x1.419dc30a8adbap0);
    high_even = fma(high_even, t2, -0x1.d93b7b3fd231fp1);
    high_odd = fma(high_odd, t2, -0x1.e23b01f56d7a7p-28);
    high_odd = fma(high_odd, t2, 0x1.a1ce71ca1528cp-22);
    high_odd = fma(high_odd, t2, 0x1.f4761a0b8ca0dp-18);
    high_odd = fma(high_odd, t2, -0x1.e622f34b5b5d7p-17);
    high_odd = fma(high_odd, t2, -0x1.2fde961a1821fp-9);
    high_odd = fma(high_odd, t2, -0x1.825034781b4d8p-5);
    high_odd = fma(high_odd, t2, -0x1.1b4025315d8b6p2);
    double q = fma(high_odd, t, high_even);
    double shifted = q + ROUNDER_D;
    double r = (q - (shifted - ROUNDER_D)) * M_LN2;
    double power = as_double((as_long(shifted) << 52) + ONE_BITS_D);
    double far = 1.0 - fma(exp_poly_d(r), power, power);
    return with_sign_d(a < 1.0 ? near : far, x);
}
