/* Roots of double by Newton steps for the inverse root, which need no division; see
 * math_root.cl. */
#include "math_common.clh"

/* z = x^(-1/3). An estimate from the upper half of the bits has an error of 4 %. Two quartic steps
 * reduce it to 2^-15, and to full precision. */
static inline double cube_root(double a)
{
    ulong third = ((ulong)as_long(a) >> 32) * 0x55555556UL;
    double z = as_double((long)((0x553eee4fUL << 32) - third));
    double e = fma(-a * z, z * z, 1.0);
    double p = fma(e, fma(e, 0x1.61f9add3c0ca4p-3, 0x1.c71c71c71c71cp-3), 0x1.5555555555555p-2);
    z = fma(z * e, p, z);
    e = fma(-a * z, z * z, 1.0);
    z = fma(z * e, fma(e, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), z);
    double square = z * z;
    double y = a * square;
    return fma(fma(-y * y, y, a), square * 0x1.5555555555555p-2, y);
}

double OVERLOAD geo_cbrt(double x)
{
    double size = fabs(x);
    double y = cube_root(size);
    if ((ulong)as_long(size) - 0x0010000000000000UL >= 0x7fe0000000000000UL) {
        y = cube_root(size * 0x1p54) * 0x1p-18;
        y = size > 0.0 && size <= DBL_MAX ? y : size;
    }
    return with_sign_d(y, x);
}

double OVERLOAD geo_rsqrt(double x)
{
    double r = inverse_root_d(x);
    r = fma(fma(-x * r, r, 1.0), 0.5 * r, r);
    if (!(x > 0x1p-1000 && x < 0x1p1000)) {
        r = 1.0 / sqrt(x);
    }
    return r;
}

/* Returns sqrt(a^2 + b^2). a is the larger magnitude, and its square must be a normal number. */
static inline double root_of_squares(double a, double b)
{
    double sum = fma(a, a, b * b);
    double r = inverse_root_d(sum);
    double y = sum * r;
    return fma(fma(-y, y, sum), 0.5 * r, y);
}

double OVERLOAD geo_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    double large = a > b ? a : b, small = a > b ? b : a;
    double result = root_of_squares(large, small);
    if (!(large > 0x1p-400 && large < 0x1p480)) {
        bool up = large < 1.0;
        double factor = up ? 0x1p600 : 0x1p-600;
        result = root_of_squares(large * factor, small * factor) * (up ? 0x1p-600 : 0x1p600);
        result = large == 0.0 ? 0.0 : result;
        result = isnan(x) || isnan(y) ? (double)NAN : result;
        result = isinf(x) || isinf(y) ? (double)INFINITY : result;
    }
    return result;
}
