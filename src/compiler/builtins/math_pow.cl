/* Powers of float: 2^(y log2 x), the logarithm and the product in double. */
#include "math_exp_core.clh"

/* |x|^y for a size x >= 0. NaN where powr has it: 0^0, infinity^0, 1^infinity. */
static inline float power(float x, double y)
{
    /* x = 2^e (1 + f) with 1 + f from sqrt(1/2) to sqrt(2) */
    bool tiny = x < 0x1p-126f;
    int bits = as_int(tiny ? x * 0x1p23f : x);
    int exponent = (bits - 0x3f3504f3) >> 23;
    float f = as_float(bits - (exponent << 23)) - 1.0f;
    float e = (float)(exponent - (tiny ? 23 : 0));
    e = x == 0.0f ? -INFINITY : e;
    e = x <= FLT_MAX ? e : x;
    /* log2(1 + f) / f; error 2^-33. What is multiplied by f^4 needs no more than float. */
    float f2 = f * f;
    float odd = fma(-0x1.61d77ap-4f, f2, -0x1.4182aep-3f);
    odd = fma(odd, f2, -0x1.6eaf2cp-3f);
    odd = fma(odd, f2, -0x1.ec8d86p-3f);
    float even = fma(0x1.3d3d6cp-3f, f2, 0x1.459e6ap-3f);
    even = fma(even, f2, 0x1.a6160cp-3f);
    even = fma(even, f2, 0x1.277732p-2f);
    double wide = f;
    double p = fma(odd, f, even);
    p = fma(p, wide, -0x1.715435b335595p-2);
    p = fma(p, wide, 0x1.ec709c02ed365p-2);
    p = fma(p, wide, -0x1.7154767bdc0ffp-1);
    p = fma(p, wide, 0x1.71547652ef532p0);
    double t = y * fma(p, wide, (double)e);
    t = t < -160.0 ? -160.0 : t;
    t = t > 130.0 ? 130.0 : t;
    double shifted = t + ROUNDER_D;
    float r = (float)(t - (shifted - ROUNDER_D));
    return scale(fma(exp2_poly(r), r, 1.0f), (int)as_long(shifted));
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
