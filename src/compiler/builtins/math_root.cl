/* Roots of float by steps towards the inverse root, which need no division. */
#include "math_common.clh"

/* A normal x > 0: a guess within 4 %, then two cubic steps. */
float OVERLOAD geo_rsqrt(float x)
{
    float r = as_float(0x5f3759df - (as_int(x) >> 1));
    float e = fma(-x * r, r, 1.0f);
    r = fma(r * e, fma(e, 0.375f, 0.5f), r);
    e = fma(-x * r, r, 1.0f);
    r = fma(r * e, fma(e, 0.375f, 0.5f), r);
    if ((uint)as_int(x) - 0x00800000u >= 0x7f000000u) { /* denormal, not finite, not positive */
        r = 1.0f / sqrt(x);
    }
    return r;
}

/* z = x^(-1/3), then x z^2 and one step with the remainder. */
float OVERLOAD geo_cbrt(float x)
{
    float size = fabs(x);
    bool tiny = size < 0x1p-126f;
    float a = tiny ? size * 0x1p24f : size;
    int third = (int)((float)as_int(a) * 0x1.555556p-2f);
    float z = as_float(0x54a21d2a - third);
    float az = a * z;
    float e = fma(-az * z, z, 1.0f);
    z = fma(z * e, fma(e, fma(e, 0x1.61f9aep-3f, 0x1.c71c72p-3f), 0x1.555556p-2f), z);
    az = a * z;
    e = fma(-az * z, z, 1.0f);
    z = fma(z * e, fma(e, 0x1.c71c72p-3f, 0x1.555556p-2f), z);
    float y = a * z * z;
    float square = y * y;
    float rest = fma(-y, square, a) - y * fma(y, y, -square);
    y = fma(rest, z * z * 0x1.555556p-2f, y);
    y = tiny ? y * 0x1p-8f : y;
    y = size <= FLT_MAX ? y : size;
    return with_sign(y, x);
}
