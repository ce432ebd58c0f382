/* native_ functions of float that are faster than the exact ones: normal positive arguments only,
 * and errors that grow with the result. The others are the exact ones. */
#include "math_exp_core.clh"
#include "math_log_core.clh"

/* log2(x) = k + log2(1 + f) */
static inline float native_reduce(float x, float *k)
{
    int bits = as_int(x);
    int exponent = (bits - 0x3f3504f3) >> 23;
    *k = (float)exponent;
    return as_float(bits - (exponent << 23)) - 1.0f;
}

float OVERLOAD geo_native_log2(float x)
{
    float k;
    float f = native_reduce(x, &k);
    return fma(log_poly(f), 0x1.715476p+0f, k);
}

float OVERLOAD geo_native_log(float x)
{
    float k;
    float f = native_reduce(x, &k);
    return fma(k, 0x1.62e43p-1f, log_poly(f));
}

float OVERLOAD geo_native_log10(float x)
{
    float k;
    float f = native_reduce(x, &k);
    return fma(k, 0x1.344136p-2f, log_poly(f) * 0x1.bcb7b2p-2f);
}

float OVERLOAD geo_native_powr(float x, float y)
{
    float t = limit(y * geo_native_log2(x), -126.0f, 128.0f);
    float shifted = t + ROUNDER;
    float r = t - (shifted - ROUNDER);
    return scale(fma(exp2_poly(r), r, 1.0f), as_int(shifted));
}
