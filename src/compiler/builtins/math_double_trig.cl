/* Sine, cosine and tangent of double, also of multiples of pi; see math_trig.cl. */
#include "math_common.clh"

/* Below this angle, three parts of pi are sufficient. */
#define HUGE_ANGLE 0x1p30

#define INVERSE_PI 0x1.45f306dc9c883p-2
#define PI_1       0x1.921fb54442d18p+1
#define PI_2       0x1.1a62633145c07p-53
#define PI_3       -0x1.f1976b7ed8fbcp-109

/* Parts of 2^(30 + 32 i) / pi for exponents from 30 + 32 i on, 53 bits each. Bits that contribute
 * multiples of 2 are omitted. */
constant double inverse_pi[32][4] = {
    {0x1.45f306dp+28, 0x1.9391054a7f09dp-1, 0x1.7d1f534ddc0dap-55, 0x1.6295993c43904p-107},
    {0x1.f306dc9c882a5p+52, 0x1.fc2757d1f534cp-3, 0x1.dc0db6295993cp-55, 0x1.0e4107f9458ebp-109},
    {0x1.1054a7f09d5f4p+51, 0x1.f534ddc0db628p-3, 0x1.5993c439041fep-55, 0x1.458eaf7aef158p-109},
    {0x1.3abe8fa9a6ee0p+50, 0x1.b6c52b3278870p-4, 0x1.041fe5163abdep-55, 0x1.778ac36e48dc7p-108},
    {0x1.a6ee06db14accp+50, 0x1.3c439041fe514p-3, 0x1.1d5ef5de2b0dbp-54, 0x1.246e3a424dd2ep-107},
    {0x1.8a5664f10e410p+51, 0x1.fe5163abdebbcp-3, 0x1.586dc91b8e908p-57, 0x1.374b801924bbbp-109},
    {0x1.0e4107f9458eap+51, 0x1.ef5de2b0db922p-2, 0x1.71d2126e97003p-54, 0x1.24bba82746487p-109},
    {0x1.458eaf7aef158p+51, 0x1.b7246e3a424dcp-3, 0x1.2e006492eea08p-55, 0x1.d1921cfe1deb2p-107},
    {0x1.778ac36e48dc7p+52, 0x1.2126e97003248p-2, 0x1.77504e8c90e7fp-54, 0x1.deb1cb129a73fp-111},
    {0x1.2371d2126e970p+50, 0x1.924bba8274600p-9, 0x1.21cfe1deb1cb0p-55, 0x1.29a73ee88235fp-107},
    {0x1.374b801924bbap+51, 0x1.04e8c90e7f0eep-2, 0x1.58e5894d39f74p-54, 0x1.046bea5d76891p-108},
    {0x1.24bba82746486p+51, 0x1.3f877ac72c4a6p-1, 0x1.39f74411afa97p-54, 0x1.768909d338e05p-108},
    {0x1.a32439fc3bd63p+52, 0x1.2c4a69cfba208p-1, 0x1.afa975da24274p-54, 0x1.9c7026b45f7e4p-107},
    {0x1.deb1cb129a738p+49, 0x1.ba208d7d4baedp-1, 0x1.213a671c09ad0p-57, 0x1.7df904e64758ep-109},
    {0x1.4d39f74411af8p+50, 0x1.4baed1213a671p-1, 0x1.8135a2fbf209cp-54, 0x1.91d639835339fp-107},
    {0x1.046bea5d76890p+52, 0x1.3a671c09ad17dp-1, 0x1.f209cc8eb1cc1p-54, 0x1.5339f49c845f9p-107},
    {0x1.768909d338e04p+52, 0x1.ad17df904e647p-1, 0x1.639835339f49cp-55, 0x1.08bf177bf2507p-108},
    {0x1.38e04d68befc8p+52, 0x1.3991d63983530p-3, 0x1.cfa4e422fc5dep-54, 0x1.f9283b1ff8980p-107},
    {0x1.7df904e64758ep+51, 0x1.835339f49c844p-3, 0x1.f8bbdf9283b1ep-55, 0x1.f897ffde05981p-107},
    {0x1.23ac7306a673ep+52, 0x1.272117e2ef7e4p-1, 0x1.41d8ffc4bffefp-54, 0x1.6603fbcbc462dp-113},
    {0x1.4ce7d272117e2p+51, 0x1.defc941d8ffc4p-2, 0x1.7ffde05980feep-55, 0x1.2f118b5a0a6d2p-107},
    {0x1.08bf177bf2507p+52, 0x1.8ffc4bffef02cp-2, 0x1.80fef2f118b5ap-55, 0x1.4da3eda6cfd9ep-112},
    {0x1.f250763ff12ffp+52, 0x1.f7816603fbcbcp-1, 0x1.18b5a0a6d1f6cp-55, 0x1.367ecf27cb09bp-107},
    {0x1.f12fffbc0b301p+52, 0x1.fbcbc462d6829p-1, 0x1.68fb69b3f6793p-54, 0x1.cb09b74f463f6p-107},
    {0x1.6603fbcbc4620p+47, 0x1.ad05368fb69b2p-2, 0x1.f6793e584dba7p-54, 0x1.463f669e5fea3p-107},
    {0x1.788c5ad05368cp+50, 0x1.db4d9fb3c9f2cp-1, 0x1.36e9e8c7ecd3cp-56, 0x1.7fa8b5d49eeb2p-109},
    {0x1.4da3eda6cfd90p+48, 0x1.c9f2c26dd3d18p-1, 0x1.fb34f2ff516bap-54, 0x1.27bac7ebe5f18p-107},
    {0x1.b3f6793e584d8p+50, 0x1.d3d18fd9a797fp-1, 0x1.516ba93dd63f5p-54, 0x1.e5f17b3d0739fp-107},
    {0x1.96136e9e8c7ecp+52, 0x1.a797fa8b5d49ep-1, 0x1.d63f5f2f8bd9ep-54, 0x1.0739f78a5292fp-107},
    {0x1.18fd9a797fa8ap+51, 0x1.5d49eeb1faf97p-1, 0x1.8bd9e839cfbc5p-54, 0x1.4a4ba9afed7ecp-109},
    {0x1.7fa8b5d49eeb0p+51, 0x1.faf97c5ecf41cp-1, 0x1.cfbc529497535p-54, 0x1.fb5fb11f8d5d1p-107},
    {0x1.3dd63f5f2f8bcp+50, 0x1.9e839cfbc5294p-2, 0x1.2ea6bfb5fb11ep-55, 0x1.8d5d085603304p-107},
};

/* Returns x modulo 2, exactly, between -1 and 1. */
static inline double modulo_two(double x)
{
    return fma(rint(x * 0.5), -2.0, x);
}

/* Returns a + b and adds the rounding error to *lost. */
static inline double sum_exact(double a, double b, double *lost)
{
    double sum = a + b;
    double back = sum - a;
    *lost += (a - (sum - back)) + (b - back);
    return sum;
}

/* Returns |x| / pi minus the nearest integer, in two parts. The lowest bit of *n is that of the
 * integer. */
static double huge_turns(double x, long *n, double *rest)
{
    int index = clamp((int)(as_long(x) >> 52) - (1023 + 30), 0, 32 * 31 + 31) >> 5;
    double scaled = as_double(as_long(x) - ((long)(30 + 32 * index) << 52));
    scaled = x <= DBL_MAX ? scaled : (double)NAN;
    double c = inverse_pi[index][0], first = scaled * c;
    double sum = modulo_two(first) + modulo_two(fma(scaled, c, -first)); /* exact */
    c = inverse_pi[index][1];
    double second = scaled * c, second_rest = fma(scaled, c, -second);
    c = inverse_pi[index][2];
    double third = scaled * c, third_rest = fma(scaled, c, -third);
    third_rest = fma(scaled, inverse_pi[index][3], third_rest);
    second = modulo_two(second);
    double whole = rint(sum + second);
    *n = as_long(whole + ROUNDER_D);
    sum -= whole;
    double low = 0.0;
    double result = sum_exact(sum, second, &low);
    result = sum_exact(result, second_rest, &low);
    result = sum_exact(result, third, &low);
    *rest = 0.0;
    return sum_exact(result, low + third_rest, rest);
}

/* sin(r + rest) for |r| <= pi / 2, limited to 1; error 2^-61. */
static double sin_poly(double r, double rest)
{
    double s = r * r;
    double u = s * s;
    double even = -0x1.ae422fbf4d3ddp-41, odd = 0x1.8810af71404dfp-49;
    even = fma(even, u, -0x1.ae6454be27174p-26);
    even = fma(even, u, -0x1.a01a01a01468p-13);
    even = fma(even, u, -0x1.5555555555555p-3);
    odd = fma(odd, u, 0x1.6123c7a609a02p-33);
    odd = fma(odd, u, 0x1.71de3a526f19bp-19);
    odd = fma(odd, u, 0x1.11111111110c2p-7);
    double p = fma(odd, s, even);
    double result = fma(p, r * s, rest) + r;
    result = result > 1.0 ? 1.0 : result;
    return result < -1.0 ? -1.0 : result;
}

/* Scales the rest by cos(r). For huge angles the rest can be half a unit of r, and its influence
 * falls towards pi / 2. */
static inline double huge_rest(double r, double rest)
{
    return rest * fma(r * r, -0x1.9f02f6222c720p-2, 1.0);
}

double OVERLOAD geo_sin(double x)
{
    double size = fabs(x);
    double shifted = fma(size, INVERSE_PI, ROUNDER_D);
    double whole = shifted - ROUNDER_D;
    long n = as_long(shifted);
    double r = fma(whole, -PI_1, size); /* exact */
    double rest = whole * -PI_3;
    r = fma(whole, -PI_2, r);
    if (!(size < HUGE_ANGLE)) {
        double low;
        double turns = huge_turns(size, &n, &low);
        r = turns * PI_1;
        rest = huge_rest(r, fma(turns, PI_1, -r) + fma(turns, PI_2, low * PI_1));
    }
    long sign = (as_long(x) & SIGN_BIT_D) ^ (n << 63);
    return as_double(as_long(sin_poly(r, rest)) ^ sign);
}

/* cos(x) = sin(x + pi / 2) */
double OVERLOAD geo_cos(double x)
{
    double size = fabs(x);
    double shifted = fma(size, INVERSE_PI, -0.5) + ROUNDER_D;
    double whole = (shifted - ROUNDER_D) + 0.5;
    long n = as_long(shifted) + 1;
    double r = fma(whole, -PI_1, size);
    double rest = whole * -PI_3;
    r = fma(whole, -PI_2, r);
    if (!(size < HUGE_ANGLE)) {
        double low;
        double turns = huge_turns(size, &n, &low);
        n += turns > 0.0;
        double near = turns > 0.0 ? turns - 0.5 : turns + 0.5;
        low += turns - (turns > 0.0 ? near + 0.5 : near - 0.5);
        r = near * PI_1;
        rest = huge_rest(r, fma(near, PI_1, -r) + fma(near, PI_2, low * PI_1));
    }
    return negate_odd_d(sin_poly(r, rest), n);
}

/* Returns tan(r + rest) for |r| <= pi / 4, or -1 / tan(r + rest) if `swap` is set. */
static double tan_poly(double r, double rest, bool swap)
{
    /* sine and cosine; errors 2^-56 and 2^-63 */
    double s = r * r;
    double p = 0x1.5d62c04568387p-33;
    p = fma(p, s, -0x1.ae5dacf5d96fdp-26);
    p = fma(p, s, 0x1.71de346ae2198p-19);
    p = fma(p, s, -0x1.a01a019aa6e9bp-13);
    p = fma(p, s, 0x1.111111110ea9ap-7);
    p = fma(p, s, -0x1.555555555553dp-3);
    double sine = fma(p, r * s, rest) + r;
    double q = -0x1.8fb080bca7be2p-37;
    q = fma(q, s, 0x1.1ee9f033656fap-29);
    q = fma(q, s, -0x1.27e4f81167081p-22);
    q = fma(q, s, 0x1.a01a019cbe19dp-16);
    q = fma(q, s, -0x1.6c16c16c15218p-10);
    q = fma(q, s, 0x1.555555555554cp-5);
    double cosine = fma(q, s * s, fma(-r, rest, fma(s, -0.5, 1.0)));
    return quotient_d(swap ? -cosine : sine, swap ? sine : cosine);
}

double OVERLOAD geo_tan(double x)
{
    double size = fabs(x);
    double shifted = fma(size, 2.0 * INVERSE_PI, ROUNDER_D);
    double whole = shifted - ROUNDER_D;
    long n = as_long(shifted);
    double r = fma(whole, -0.5 * PI_1, size);
    double rest = whole * (-0.5 * PI_3);
    r = fma(whole, -0.5 * PI_2, r);
    if (!(size < HUGE_ANGLE)) {
        double low;
        double turns = huge_turns(size, &n, &low);
        double quarter = rint(2.0 * turns);
        n = as_long(quarter + ROUNDER_D);
        double near = fma(quarter, -0.5, turns);
        r = near * PI_1;
        rest = fma(near, PI_1, -r) + fma(near, PI_2, low * PI_1);
    }
    bool swap = n & 1;
    double result = tan_poly(r, rest, swap);
    result = r == 0.0 && !swap ? r : result;
    return as_double(as_long(result) ^ (as_long(x) & SIGN_BIT_D));
}

/* ---- multiples of pi: reductions are exact, zeros have the signs of OpenCL C 7.5.1 ---- */

/* Returns the rounding error of `product`, which is pi * r. */
static inline double pi_rest(double r, double product)
{
    return fma(r, PI_2, fma(r, PI_1, -product));
}

/* Computes sin(pi t) for |t| <= 1 from the distance to the nearest of -1, 0 and 1. */
double OVERLOAD geo_sinpi(double x)
{
    double size = fabs(x);
    double t = fma(rint(size * 0.5), -2.0, size);
    double near = fabs(t), far = 1.0 - near;
    double r = with_sign_d(far < near ? far : near, t);
    double angle = r * PI_1;
    double result = sin_poly(angle, huge_rest(angle, pi_rest(r, angle))); /* never -0 */
    return as_double(as_long(result) ^ (as_long(x) & SIGN_BIT_D));
}

/* cos(pi t) = sin(pi (1/2 - |t|)) */
double OVERLOAD geo_cospi(double x)
{
    double t = fma(rint(x * 0.5), -2.0, x);
    double r = 0.5 - fabs(t);
    double angle = r * PI_1;
    return sin_poly(angle, huge_rest(angle, pi_rest(r, angle)));
}

double OVERLOAD geo_tanpi(double x)
{
    double size = fabs(x);
    double t = fma(floor(size * 0.5), -2.0, size);
    double shifted = fma(t, 2.0, ROUNDER_D);
    double r = fma(shifted - ROUNDER_D, -0.5, t);
    long n = as_long(shifted);
    double angle = r * PI_1;
    double result = tan_poly(angle, pi_rest(r, angle), n & 1);
    double exact = as_double((n & 1 ? 0x7ff0000000000000L : 0L) ^ ((n << 62) & SIGN_BIT_D));
    result = r == 0.0 ? exact : result;
    return as_double(as_long(result) ^ (as_long(x) & SIGN_BIT_D));
}
