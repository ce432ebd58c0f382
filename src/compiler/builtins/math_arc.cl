/* Inverse trigonometric functions of float. */
#include "math_common.clh"

/* 1 / pi = INVERSE_PI + INVERSE_PI_LOW */
#define INVERSE_PI     0x1.45f306p-2f
#define INVERSE_PI_LOW 0x1.b9391p-27f
/* pi / 2 = HALF_PI + HALF_PI_LOW */
#define HALF_PI     0x1.921fb6p+0f
#define HALF_PI_LOW -0x1.777a5cp-25f

static inline float by_pi(float x)
{
    return fma(x, INVERSE_PI, x * INVERSE_PI_LOW);
}

/* (atan(z) - z) / z^3 for |z| <= 1; error 2^-27 of atan. */
static inline float atan_poly(float s)
{
    float p = -0x1.a3d1cap-10f;
    p = fma(p, s, 0x1.486234p-7f);
    p = fma(p, s, -0x1.e253b2p-6f);
    p = fma(p, s, 0x1.cbbbcep-5f);
    p = fma(p, s, -0x1.5387e4p-4f);
    p = fma(p, s, 0x1.bee108p-4f);
    p = fma(p, s, -0x1.23f38ap-3f);
    p = fma(p, s, 0x1.998d1cp-3f);
    return fma(p, s, -0x1.555526p-2f);
}

/* Returns atan(a) for 0 <= a <= 1, and -atan(1 / a) for larger a. */
static inline float atan_reduced(float a, bool beyond)
{
    float z = beyond ? -reciprocal(a > 0x1p60f ? 0x1p60f : a) : a;
    float s = z * z;
    return fma(atan_poly(s), z * s, z);
}

float OVERLOAD geo_atan(float x)
{
    float size = fabs(x);
    bool beyond = size > 1.0f;
    float part = atan_reduced(size, beyond);
    return with_sign(beyond ? (part + HALF_PI_LOW) + HALF_PI : part, x);
}

float OVERLOAD geo_atanpi(float x)
{
    float size = fabs(x);
    bool beyond = size > 1.0f;
    float part = by_pi(atan_reduced(size, beyond));
    return with_sign(beyond ? part + 0.5f : part, x);
}

/* asin(z) for 0 <= z <= 1/2, s = z^2; error 2^-30. */
static inline float asin_poly(float z, float s)
{
    float p = 0x1.3fa3b6p-5f;
    p = fma(p, s, 0x1.b2cf88p-7f);
    p = fma(p, s, 0x1.076298p-5f);
    p = fma(p, s, 0x1.6c4c5ep-5f);
    p = fma(p, s, 0x1.333b88p-4f);
    p = fma(p, s, 0x1.555544p-3f);
    return fma(p, z * s, z);
}

/* Returns asin(|x|) if |x| <= 1/2. Beyond, it returns asin(sqrt((1 - |x|) / 2)), which is half of
 * the difference to pi / 2. The result is NaN for |x| > 1. */
static inline float asin_reduced(float size, bool beyond)
{
    float s = beyond ? fma(size, -0.5f, 0.5f) : size * size;
    return asin_poly(beyond ? sqrt(s) : size, s);
}

float OVERLOAD geo_asin(float x)
{
    float size = fabs(x);
    bool beyond = size > 0.5f;
    float part = asin_reduced(size, beyond);
    return with_sign(beyond ? fma(part, -2.0f, HALF_PI_LOW) + HALF_PI : part, x);
}

float OVERLOAD geo_asinpi(float x)
{
    float size = fabs(x);
    bool beyond = size > 0.5f;
    float part = by_pi(asin_reduced(size, beyond));
    return with_sign(beyond ? fma(part, -2.0f, 0.5f) : part, x);
}

float OVERLOAD geo_acos(float x)
{
    float size = fabs(x);
    bool beyond = size > 0.5f;
    float part = asin_reduced(size, beyond);
    float signed_part = as_float(as_int(part) ^ (as_int(x) & SIGN_BIT));
    float near = HALF_PI - (signed_part - HALF_PI_LOW);
    float far = 2.0f * signed_part;
    far = x < 0.0f ? (far + 2.0f * HALF_PI_LOW) + 2.0f * HALF_PI : far;
    return beyond ? far : near;
}

float OVERLOAD geo_acospi(float x)
{
    float size = fabs(x);
    bool beyond = size > 0.5f;
    float part = by_pi(asin_reduced(size, beyond));
    float signed_part = as_float(as_int(part) ^ (as_int(x) & SIGN_BIT));
    float far = fma(signed_part, 2.0f, x < 0.0f ? 1.0f : 0.0f);
    return beyond ? far : 0.5f - signed_part;
}
