/* Logarithms of double. x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), s = f / (2 + f):
 * log(1 + f) = 2 atanh(s). */
#include "math_common.clh"

static inline double log_split(double x, double *k)
{
    /* biased so that the exponent field changes at 1 / sqrt(2) instead of 1 */
    long bits = as_long(x) - 0x3fe6a09e667f3bcdL + (1023L << 52);
    long exponent = (long)((ulong)bits >> 52);
    *k = as_double(exponent | 0x4330000000000000L) - (0x1p52 + 1023.0);
    return as_double((bits & 0xfffffffffffffL) + 0x3fe6a09e667f3bcdL) - 1.0;
}

/* Splits x as above. If x has no finite logarithm, k is the result. */
static inline double log_reduce(double x, double *k)
{
    double f = log_split(x, k);
    if ((ulong)as_long(x) - 0x0010000000000000UL >= 0x7fe0000000000000UL) {
        double e;
        f = log_split(x * 0x1p54, &e);
        e = x == 0.0 ? -(double)INFINITY : e - 54.0;
        e = x <= DBL_MAX ? e : x;
        *k = x < 0.0 ? (double)NAN : e;
        f = x > 0.0 && x <= DBL_MAX ? f : 0.0;
    }
    return f;
}

/* Returns log(1 + f) - 2 s. With `exact` it includes the rounding error of s. */
static inline double log_low(double f, double *s_out, bool exact)
{
    double bottom = f + 2.0;
    double inverse = reciprocal_guess_d(bottom);
    double s = f * inverse;
    s = fma(fma(-s, bottom, f), inverse, s);
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
    *s_out = s;
    return exact ? fma(p, t * s, 2.0 * inverse * fma(-s, bottom, f)) : p * (t * s);
}

static double times_log_2(double k, double part)
{
    return fma(k, 0x1.62e42fefap-1, fma(k, 0x1.cf79abc9e3b3ap-40, part));
}

/* Returns (2 s + low) * factor, where the factor is in two parts. */
static double log_times(double s, double low, double factor, double factor_low)
{
    double high = 2.0 * s;
    double a = high * factor;
    return a + fma(low, factor, fma(high, factor_low, fma(high, factor, -a)));
}

double OVERLOAD geo_log(double x)
{
    double k, s;
    double low = log_low(log_reduce(x, &k), &s, false);
    return times_log_2(k, fma(2.0, s, low));
}

double OVERLOAD geo_log2(double x)
{
    double k, s;
    double low = log_low(log_reduce(x, &k), &s, false);
    return k + log_times(s, low, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}

double OVERLOAD geo_log10(double x)
{
    double k, s;
    double low = log_low(log_reduce(x, &k), &s, false);
    double part = log_times(s, low, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
    return fma(k, 0x1.34413509f0000p-2, fma(k, 0x1.e7fbcc47c4acdp-40, part));
}

/* 1 + x = 2^k (1 + f); the rounding error of 1 + x is added to the logarithm. */
double OVERLOAD geo_log1p(double x)
{
    double sum = x + 1.0;
    double lost = x - (sum - 1.0);
    double k, s;
    double f = log_reduce(sum, &k);
    long exponent = (as_long(sum) - 0x3fe6a09e667f3bcdL) & (0xfffL << 52);
    long bits = ONE_BITS_D - exponent;
    double down = as_double(bits < 0 ? 0 : bits);
    double low = log_low(f, &s, true);
    /* lost / (1 + f) */
    low = fma(lost * down, fma(f, fma(f, 0.8, -1.0), 1.0), low);
    double result = times_log_2(k, fma(2.0, s, low));
    result = sum <= DBL_MAX ? result : x;
    return x == 0.0 ? x : result;
}
