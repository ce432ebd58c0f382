/* Roots of float by Newton steps for the inverse root, which need no division. */
#include "math_common.clh"

float OVERLOAD geo_rsqrt(float x)
{
    float r = inverse_root(x);
    if ((uint)as_int(x) - 0x00800000u >= 0x7f000000u) { /* denormal, not finite, not positive */
        r = 1.0f / sqrt(x);
    }
    return r;
}

/* z = x^(-1/3). An estimate has an error of 4 %; a quartic step reduces it to 2^-15. Then the
 * result is x z^2, with one step on the remainder. */
static inline float cube_root(float a)
{
    int third = (int)((float)as_int(a) * 0x1.555556p-2f);
    float z = as_float(0x54a21d2a - third);
    float e = fma(-a * z, z * z, 1.0f);
    z = fma(z * e, fma(e, fma(e, 0x1.61f9aep-3f, 0x1.c71c72p-3f), 0x1.555556p-2f), z);
    float square = z * z;
    float y = a * square;
    return fma(fma(-y * y, y, a), square * 0x1.555556p-2f, y);
}

float OVERLOAD geo_cbrt(float x)
{
    float size = fabs(x);
    float y = cube_root(size);
    if ((uint)as_int(size) - 0x00800000u >= 0x7f000000u) { /* zero, denormal, not finite */
        y = cube_root(size * 0x1p24f) * 0x1p-8f;
        y = size > 0.0f && size <= FLT_MAX ? y : size;
    }
    return with_sign(y, x);
}
