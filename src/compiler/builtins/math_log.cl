/* Logarithms of float. */
#include "math_log_core.clh"

static inline float log_split(int bits, float *k)
{
    int exponent = (bits - 0x3f3504f3) >> 23;
    *k = (float)exponent;
    return as_float(bits - (exponent << 23)) - 1.0f;
}

/* Splits x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2). If x has no finite logarithm, k is
 * the result: -infinity, infinity or NaN. */
static inline float log_reduce(float x, float *k)
{
    float f = log_split(as_int(x), k);
    if ((uint)as_int(x) - 0x00800000u >= 0x7f000000u) { /* denormal, not finite, not positive */
        float e;
        f = log_split(as_int(x * 0x1p23f), &e);
        e = x == 0.0f ? -INFINITY : e - 23.0f;
        e = x <= FLT_MAX ? e : x;
        *k = x < 0.0f ? NAN : e;
        f = x > 0.0f && x <= FLT_MAX ? f : 0.0f;
    }
    return f;
}

/* Returns k log(2) + part. Both parts of the constant are positive, because k may be infinite. */
static inline float times_log_2(float k, float part)
{
    return fma(k, 0x1.62e42ep-1f, fma(k, 0x1.efa39ep-25f, part));
}

float OVERLOAD geo_log(float x)
{
    float k;
    float f = log_reduce(x, &k);
    return times_log_2(k, log_poly(f));
}

float OVERLOAD geo_log2(float x)
{
    float k;
    float f = log_reduce(x, &k);
    float f2 = f * f;
    float even = 0x1.8ea9c4p-4f, odd = -0x1.5ac12cp-3f;
    even = fma(even, f2, 0x1.607ec4p-3f);
    even = fma(even, f2, 0x1.a3e5c6p-3f);
    even = fma(even, f2, 0x1.2780bep-2f);
    even = fma(even, f2, 0x1.ec707ep-2f);
    even = fma(even, f2, 0x1.5b7b8ep-26f);
    odd = fma(odd, f2, -0x1.6e60c4p-3f);
    odd = fma(odd, f2, -0x1.ec7876p-3f);
    odd = fma(odd, f2, -0x1.7154a2p-2f);
    odd = fma(odd, f2, -0x1.715476p-1f);
    float q = fma(odd, f, even);
    return fma(f, 0x1.715476p+0f, f * q) + k;
}

float OVERLOAD geo_log10(float x)
{
    float k;
    float f = log_reduce(x, &k);
    float f2 = f * f;
    float even = 0x1.0161bap-5f, odd = -0x1.ac4892p-5f;
    even = fma(even, f2, 0x1.a5979p-5f);
    even = fma(even, f2, 0x1.f9ba68p-5f);
    even = fma(even, f2, 0x1.63d236p-4f);
    even = fma(even, f2, 0x1.287a62p-3f);
    even = fma(even, f2, -0x1.5025f4p-27f);
    odd = fma(odd, f2, -0x1.b6bb2p-5f);
    odd = fma(odd, f2, -0x1.28980cp-4f);
    odd = fma(odd, f2, -0x1.bcb718p-4f);
    odd = fma(odd, f2, -0x1.bcb7b2p-3f);
    float q = fma(odd, f, even);
    return fma(k, 0x1.344134p-2f, fma(k, 0x1.09f7a0p-26f, fma(f, 0x1.bcb7b2p-2f, f * q)));
}

/* Returns log(1 + x) for a finite x > -1. With 1 + x = 2^k (1 + f), f includes the rounding error
 * of 1 + x. */
static inline float log_of_more(float x)
{
    float sum = x + 1.0f;
    float lost = x - (sum - 1.0f);
    int bits = as_int(sum);
    int exponent = (bits - 0x3f3504f3) >> 23;
    int down = ONE_BITS - (exponent << 23);
    float f = as_float(bits - (exponent << 23)) - 1.0f;
    f = fma(lost, as_float(down < 0 ? 0 : down), f);
    return times_log_2((float)exponent, log_poly(f));
}

float OVERLOAD geo_log1p(float x)
{
    float result = log_of_more(x);
    result = x > -1.0f ? result : x == -1.0f ? -INFINITY : NAN;
    return x == 0.0f || x > FLT_MAX ? x : result;
}

/* log(1 + 2 a / (1 - a)) / 2 */
float OVERLOAD geo_atanh(float x)
{
    float a = fabs(x), top = 2.0f * a, bottom = 1.0f - a;
    float r = reciprocal(bottom);
    float q = top * r;
    q = fma(fma(-q, bottom, top), r, q);
    float result = 0.5f * log_of_more(q);
    if (!(a < 1.0f)) {
        result = a == 1.0f ? INFINITY : NAN;
    }
    return with_sign(result, x);
}

/* With t = x - 1: log(1 + t + sqrt(t^2 + 2 t)). */
float OVERLOAD geo_acosh(float x)
{
    float t = x - 1.0f;
    float square = fma(t, t, t + t);
    float root = square * inverse_root(square < 0x1p-100f ? 0x1p-100f : square);
    float result = log_of_more(t + root);
    if (!(x >= 1.0f && x < 0x1p60f)) { /* for 2^60 and more: log(2 x) */
        result = x >= 1.0f && x <= FLT_MAX ? log_of_more(x) + M_LN2_F : x;
        result = x < 1.0f ? NAN : result;
    }
    return result;
}
