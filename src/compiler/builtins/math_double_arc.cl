/* Inverse sine and cosine of double; see math_arc.cl. */
#include "math_common.clh"

/* pi / 2 = HALF_PI + HALF_PI_LOW */
#define HALF_PI     0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54

/* Returns sqrt(s) for s = 0 or 2^-60 < s <= 1/4, by Newton steps from 1 / sqrt(s). NaN for s <
 * 0. */
static inline double root(double s)
{
    double r = inverse_root_d(s + 0x1p-200);
    double y = s * r;
    return s < 0.0 ? (double)NAN : fma(fma(-y, y, s), 0.5 * r, y);
}

/* Returns asin(|x|) if |x| <= 1/2. Beyond, it returns asin(sqrt((1 - |x|) / 2)), which is half of
 * the difference to pi / 2. */
static inline double asin_reduced(double size, bool beyond)
{
    double s = beyond ? fma(size, -0.5, 0.5) : size * size;
    double z = beyond ? root(s) : size;
    double s2 = s * s;
    /* (asin(z) - z) / z^3 for z <= 1/2; error 2^-57 of asin */
    double even = 0x1.1a814c575d66dp-5, odd = -0x1.8af312cd640b7p-6;
    even = fma(even, s2, 0x1.8972e68f8cc97p-6);
    even = fma(even, s2, 0x1.6a791bcca4ec1p-7);
    even = fma(even, s2, 0x1.ca5b144bab3c5p-7);
    even = fma(even, s2, 0x1.6e8c099972c75p-6);
    even = fma(even, s2, 0x1.6db6db775eb08p-5);
    even = fma(even, s2, 0x1.55555555555ccp-3);
    odd = fma(odd, s2, 0x1.6294fb4e386a5p-9);
    odd = fma(odd, s2, 0x1.73c2370e51876p-7);
    odd = fma(odd, s2, 0x1.1c473ae86abf2p-6);
    odd = fma(odd, s2, 0x1.f1c718deea7cep-6);
    odd = fma(odd, s2, 0x1.3333333325739p-4);
    return fma(fma(odd, s, even), z * s, z);
}

double OVERLOAD geo_asin(double x)
{
    double size = fabs(x);
    bool beyond = size > 0.5;
    double part = asin_reduced(size, beyond);
    return with_sign_d(beyond ? fma(part, -2.0, HALF_PI_LOW) + HALF_PI : part, x);
}

double OVERLOAD geo_acos(double x)
{
    double size = fabs(x);
    bool beyond = size > 0.5;
    double part = asin_reduced(size, beyond);
    double signed_part = as_double(as_long(part) ^ (as_long(x) & SIGN_BIT_D));
    double near = HALF_PI - (signed_part - HALF_PI_LOW);
    double far = 2.0 * signed_part;
    far = x < 0.0 ? (far + 2.0 * HALF_PI_LOW) + 2.0 * HALF_PI : far;
    return beyond ? far : near;
}
