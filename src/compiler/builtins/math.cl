/* Mathematical functions that libclc lacks, or that replace libclc's. They are named geo_<name>;
 * expand.c looks for these names before libclc's <name>. All are scalar, because vectors are split
 * before. */
#include "math_common.clh"

/* Multiplies in steps. All but the last keep every digit, so only the last one may round to a
 * denormal. */
float OVERLOAD geo_ldexp(float x, int n)
{
    for (int i = 0; i < 2; i++) {
        if (n > 127) {
            x *= 0x1p127f;
            n -= 127;
        } else if (n < -126) {
            x *= 0x1p-102f;
            n += 102;
        }
    }
    return x * power_of_two(clamp(n, -126, 127));
}

/* The fraction of zeros and infinities is a zero of the same sign; that of other integers is +0. */
#define FRACT(name, type, one, limit)                                                              \
    type OVERLOAD name(type x, private type *whole)                                                \
    {                                                                                              \
        type below = floor(x), rest = x - below;                                                   \
        *whole = below;                                                                            \
        rest = rest < limit ? rest : limit;                                                        \
        rest = isinf(x) || x == 0 ? copysign(0 * one, x) : rest;                                   \
        return isnan(x) ? x : rest;                                                                \
    }
FRACT(geo_fract, float, 1.0f, 0x1.fffffep-1f)
FRACT(geo_fract, double, 1.0, 0x1.fffffffffffffp-1)
FRACT(geo_f16_fract, float, 1.0f, 0x1.ffcp-1f) /* for halves, computed in float */

/* The gamma function by Lanczos' approximation, which has 13 terms and is a rational function of
 * degree 12 with the g below. With y = x + g - 1/2, it is (sum(x) / exp(y)) * y^(x - 1/2). The
 * result of libclc, exp(lgamma), has errors of up to 60 units in the last place. */
#define LANCZOS_TERMS 13
constant double lanczos_top[LANCZOS_TERMS] = {
    23531376880.41075968857200767, 42919803642.64909876895789904, 35711959237.35566804944018545,
    17921034426.03720969991975575, 6039542586.352028005064291644, 1439720407.311721673663223072,
    248874557.8620541565114603864, 31426415.58540019438061423162, 2876370.628935372441225409051,
    186056.2653952234950402949897, 8071.672002365816210638002902, 210.8242777515793458725097339,
    2.506628274631000270164908177,
};
constant double lanczos_bottom[LANCZOS_TERMS] = {
    0.0,       39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0,
    2637558.0, 357423.0,   32670.0,     1925.0,      66.0,        1.0,
};
#define LANCZOS_G 6.024680040776729583740234375

static double lanczos_sum(double x)
{
    double top = 0.0, bottom = 0.0;
    /* starts with the highest or lowest power, which avoids overflow */
    double t = x < 5.0 ? x : 1.0 / x;
    for (int i = 0; i < LANCZOS_TERMS; i++) {
        int term = x < 5.0 ? LANCZOS_TERMS - 1 - i : i;
        top = top * t + lanczos_top[term];
        bottom = bottom * t + lanczos_bottom[term];
    }
    return top / bottom;
}

double OVERLOAD geo_tgamma(double x)
{
    const double shift = LANCZOS_G - 0.5;
    double a = fabs(x);
    if (x == 0.0) {
        return copysign((double)INFINITY, x);
    }
    if (isnan(x) || (x < 0.0 && (isinf(x) || floor(x) == x))) {
        return (double)NAN;
    }
    if (a < 1e-20) {
        return 1.0 / x;
    }
    if (x > 172.0) {
        return (double)INFINITY;
    }
    if (x < -185.0) {
        return fma(floor(a * 0.5), -2.0, a) < 1.0 ? -0.0 : 0.0;
    }
    double y = a + shift;
    /* the rounding error of y as a relative error of the result, whose logarithm changes by -g /
     * y */
    double lost = a > shift ? shift - (y - a) : a - (y - shift);
    double correction = 1.0 - lost * LANCZOS_G / y;
    double half_power = pow(y, 0.5 * a - 0.25);
    double sum = lanczos_sum(a);
    if (x > 0.0) {
        return sum / exp(y) * correction * half_power * half_power;
    }
    /* reflection: gamma(-a) = -pi / (a sin(pi a) gamma(a)) */
    return -M_PI / sinpi(a) / a * exp(y) / sum / correction / half_power / half_power;
}

/* libclc's float versions exceed OpenCL's 16 units in the last place (erfc above 7, tgamma from 9).
 * These compute in double. */
float OVERLOAD geo_tgamma(float x)
{
    return (float)tgamma((double)x);
}

float OVERLOAD geo_lgamma(float x)
{
    return (float)lgamma((double)x);
}

double OVERLOAD libclc_lgamma_r(double x, private int *sign);

/* Sets *sign to the sign of gamma, which is negative between -1 and 0, between -3 and -2, and so
 * on. It is 0 at poles. */
double OVERLOAD geo_lgamma_r(double x, private int *sign)
{
    double below = floor(x), half_below = 0.5 * below;
    bool odd = floor(half_below) != half_below;
    double result = libclc_lgamma_r(x, sign);
    *sign = x > 0.0 ? 1 : x == below ? 0 : odd ? -1 : 1;
    return result;
}

float OVERLOAD geo_lgamma_r(float x, private int *sign)
{
    return (float)lgamma_r((double)x, sign);
}

/* Returns NaN for NaN. libclc's function is sign() for a scalar, which returns 0. */
float OVERLOAD geo_normalize(float x)
{
    return isnan(x) ? x : sign(x);
}

double OVERLOAD geo_normalize(double x)
{
    return isnan(x) ? x : sign(x);
}
