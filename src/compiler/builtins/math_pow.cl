/* Powers of float: 2^(y log2 x), the logarithm and the product in double. */
#include "math_common.clh"

/* |x|^y for a size x >= 0. NaN where powr has it: 0^0, infinity^0, 1^infinity. */
static inline float power(float x, double y)
{
    /* x = 2^e (1 + f) with 1 + f from sqrt(1/2) to sqrt(2) */
    bool tiny = x < 0x1p-126f;
    int bits = as_int(tiny ? x * 0x1p23f : x);
    int exponent = (bits - 0x3f3504f3) >> 23;
    double f = as_float(bits - (exponent << 23)) - 1.0f;
    float e = (float)(exponent - (tiny ? 23 : 0));
    e = x == 0.0f ? -INFINITY : e;
    e = x <= FLT_MAX ? e : x;
    double p = 0x1.3d0324d0576efp-4; /* log2(1 + f) / f; error 2^-35 */
    p = fma(p, f, -0x1.249b1a8fec9b6p-3);
    p = fma(p, f, 0x1.2876406193346p-3);
    p = fma(p, f, -0x1.252c2c31a1881p-3);
    p = fma(p, f, 0x1.4527dfbc1e671p-3);
    p = fma(p, f, -0x1.7141981e9e903p-3);
    p = fma(p, f, 0x1.a63f5c836213ep-3);
    p = fma(p, f, -0x1.ec72b526c42p-3);
    p = fma(p, f, 0x1.2776519f8d46fp-2);
    p = fma(p, f, -0x1.715470968727ap-2);
    p = fma(p, f, 0x1.ec709ebc89428p-2);
    p = fma(p, f, -0x1.715476565ebf4p-1);
    p = fma(p, f, 0x1.71547652a1cffp0);
    double t = y * fma(p, f, (double)e);
    t = t < -160.0 ? -160.0 : t;
    t = t > 130.0 ? 130.0 : t;
    double shifted = t + ROUNDER_D;
    float r = (float)(t - (shifted - ROUNDER_D));
    float q = 0x1.44252ap-13f; /* (2^r - 1) / r for |r| <= 1/2; error 2^-27 of 2^r */
    q = fma(q, r, 0x1.5ef604p-10f);
    q = fma(q, r, 0x1.3b2a48p-7f);
    q = fma(q, r, 0x1.c6af9cp-5f);
    q = fma(q, r, 0x1.ebfbep-3f);
    q = fma(q, r, 0x1.62e43p-1f);
    return scale(fma(q, r, 1.0f), (int)as_long(shifted));
}

/* The sign bit of x^y: that of x where y is odd. */
static inline int power_sign(float x, bool odd)
{
    return odd ? as_int(x) & SIGN_BIT : 0;
}

float OVERLOAD geo_pow(float x, float y)
{
    float size = fabs(x);
    float result = power(size, y);
    float half_y = y * 0.5f;
    bool whole = rint(y) == y;
    bool odd = whole && rint(half_y) != half_y;
    result = size == 1.0f || y == 0.0f ? 1.0f : result;
    result = x < 0.0f && x >= -FLT_MAX && !whole ? NAN : result;
    return as_float(as_int(result) ^ power_sign(x, odd));
}

float OVERLOAD geo_powr(float x, float y)
{
    float result = power(fabs(x), y);
    return x < 0.0f ? NAN : result;
}

float OVERLOAD geo_pown(float x, int n)
{
    float result = power(fabs(x), (double)n);
    result = n == 0 ? 1.0f : result;
    return as_float(as_int(result) ^ power_sign(x, n & 1));
}

float OVERLOAD geo_rootn(float x, int n)
{
    float result = power(fabs(x), 1.0 / (double)n);
    result = n == 0 || (x < 0.0f && (n & 1) == 0) ? NAN : result;
    return as_float(as_int(result) ^ power_sign(x, n & 1));
}
