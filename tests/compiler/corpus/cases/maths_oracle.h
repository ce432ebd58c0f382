/* OpenCL's maths as long double functions with OpenCL's bounds, float and double: what
 * cases/maths.c compares with. */
#ifndef GEOID_TESTS_CORPUS_MATHS_ORACLE_H
#define GEOID_TESTS_CORPUS_MATHS_ORACLE_H

#include <math.h>

#include "../maths.h"

#define PI 3.141592653589793238462643383279502884L

static inline long double oracle_acospi(long double x)
{
    return acosl(x) / PI;
}

static inline long double oracle_asinpi(long double x)
{
    return asinl(x) / PI;
}

static inline long double oracle_atanpi(long double x)
{
    return atanl(x) / PI;
}

static inline long double oracle_atan2pi(long double y, long double x)
{
    return atan2l(y, x) / PI;
}

/* x modulo 2 is exact; what is left is brought near to zero, where sin is exact enough. */
static inline long double oracle_sinpi(long double x)
{
    long double r = fmodl(x, 2.0L);
    if (fabsl(r) > 1.5L) {
        r -= copysignl(2.0L, r);
    } else if (fabsl(r) > 0.5L) {
        r = copysignl(1.0L, r) - r;
    }
    return sinl(PI * r);
}

static inline long double oracle_cospi(long double x)
{
    long double r = fabsl(fmodl(x, 2.0L));
    return oracle_sinpi(r > 1.0L ? r - 1.5L : 0.5L - r);
}

static inline long double oracle_tanpi(long double x)
{
    return oracle_sinpi(x) / oracle_cospi(x);
}

static inline long double oracle_rsqrt(long double x)
{
    return 1.0L / sqrtl(x);
}

static inline long double oracle_recip(long double x)
{
    return 1.0L / x;
}

static inline long double oracle_divide(long double x, long double y)
{
    return x / y;
}

static inline long double oracle_divide_overflowing(long double x, long double y)
{
    return x / y * 0x1p+220L;
}

static inline long double oracle_recip_overflowing(long double x)
{
    return 0x1p+140L / x;
}

static inline long double oracle_maxmag(long double x, long double y)
{
    return fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y);
}

static inline long double oracle_minmag(long double x, long double y)
{
    return fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y);
}

static inline long double oracle_max3(long double x)
{
    return fmaxl(x, 3.0L);
}

static inline long double oracle_mad(long double x, long double y, long double z)
{
    return x * y + z;
}

/* Defined for x >= 0 alone; indeterminate forms give NaN. */
static inline long double oracle_powr(long double x, long double y)
{
    if (x < 0.0L || isnan(x) || isnan(y) || ((x == 0.0L || isinf(x)) && y == 0.0L) ||
        (x == 1.0L && isinf(y))) {
        return (long double)NAN;
    }
    return fabsl(powl(x, y));
}

/* The kernels bring n into a small range first. */
static inline long double oracle_ldexp(long double x, long double n)
{
    return ldexpl(x, (int)n % 200 - 100);
}

static inline long double oracle_pown(long double x, long double n)
{
    return powl(x, (long double)((int)n % 41 - 20));
}

static inline long double oracle_rootn(long double x, long double n)
{
    int k = (int)n % 19 - 9;
    if (k == 0 || (x < 0.0L && k % 2 == 0)) {
        return (long double)NAN;
    }
    long double magnitude = powl(fabsl(x), 1.0L / (long double)k);
    return k % 2 == 0 ? magnitude : copysignl(magnitude, x);
}

/* X(function, exact counterpart, bound for float, bound for double) */
#define MATHS_TRIG(X)                                                                              \
    X(sin, sinl, 4, 4)                                                                             \
    X(sinh, sinhl, 4, 4)                                                                           \
    X(sinpi, oracle_sinpi, 4, 4)                                                                   \
    X(cos, cosl, 4, 4)                                                                             \
    X(cosh, coshl, 4, 4)                                                                           \
    X(cospi, oracle_cospi, 4, 4)                                                                   \
    X(tan, tanl, 5, 5)                                                                             \
    X(tanh, tanhl, 5, 5)                                                                           \
    X(tanpi, oracle_tanpi, 6, 6)

#define MATHS_ARC(X)                                                                               \
    X(acos, acosl, 4, 4)                                                                           \
    X(acosh, acoshl, 4, 4)                                                                         \
    X(acospi, oracle_acospi, 5, 5)                                                                 \
    X(asin, asinl, 4, 4)                                                                           \
    X(asinh, asinhl, 4, 4)                                                                         \
    X(asinpi, oracle_asinpi, 5, 5)                                                                 \
    X(atan, atanl, 5, 5)                                                                           \
    X(atanh, atanhl, 5, 5)                                                                         \
    X(atanpi, oracle_atanpi, 5, 5)

/* 0: the result is a value of the type; 0.5: correctly rounded */
#define MATHS_EXP(X)                                                                               \
    X(cbrt, cbrtl, 2, 2)                                                                           \
    X(ceil, ceill, 0, 0)                                                                           \
    X(erf, erfl, 16, 16)                                                                           \
    X(erfc, erfcl, 16, 16)                                                                         \
    X(exp, expl, 3, 3)                                                                             \
    X(exp2, exp2l, 3, 3)                                                                           \
    X(exp10, exp10l, 3, 3)                                                                         \
    X(expm1, expm1l, 3, 3)                                                                         \
    X(fabs, fabsl, 0, 0)                                                                           \
    X(floor, floorl, 0, 0)                                                                         \
    X(log, logl, 3, 3)                                                                             \
    X(log2, log2l, 3, 3)                                                                           \
    X(log10, log10l, 3, 3)                                                                         \
    X(log1p, log1pl, 2, 2)                                                                         \
    X(logb, logbl, 0, 0)                                                                           \
    X(rint, rintl, 0, 0)                                                                           \
    X(round, roundl, 0, 0)                                                                         \
    X(rsqrt, oracle_rsqrt, 2, 2)                                                                   \
    X(sqrt, sqrtl, 3, 0.501)                                                                       \
    X(tgamma, tgammal, 16, 16)                                                                     \
    X(trunc, truncl, 0, 0)

#define MATHS_TWO(X)                                                                               \
    X(atan2, atan2l, 6, 6)                                                                         \
    X(atan2pi, oracle_atan2pi, 6, 6)                                                               \
    X(copysign, copysignl, 0, 0)                                                                   \
    X(fdim, fdiml, 0.501, 0.501)                                                                   \
    X(fmax, fmaxl, 0, 0)                                                                           \
    X(fmin, fminl, 0, 0)                                                                           \
    X(fmod, fmodl, 0, 0)                                                                           \
    X(hypot, hypotl, 4, 4)                                                                         \
    X(maxmag, oracle_maxmag, 0, 0)                                                                 \
    X(minmag, oracle_minmag, 0, 0)                                                                 \
    X(pow, powl, 16, 16)                                                                           \
    X(powr, oracle_powr, 16, 16)                                                                   \
    X(remainder, remainderl, 0, 0)

#define MATHS_THREE(X)                                                                             \
    X(fma, fmal, 0.501, 0.501)                                                                     \
    X(mad, oracle_mad, 1e9, 1e9)

/* With an integer as second argument. */
#define MATHS_INT(X)                                                                               \
    X(ldexp, oracle_ldexp, 0.501, 0.501)                                                           \
    X(pown, oracle_pown, 16, 16)                                                                   \
    X(rootn, oracle_rootn, 16, 16)

#endif
