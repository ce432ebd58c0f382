/* Built-in functions that libclc's SPIR-V lacks, or that ours replace. Named geo_<name>: resolve.c looks for these
 * before libclc's <name>. Scalar only: vectors are taken apart before. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define OVERLOAD __attribute__((overloadable))

/* Inside of libclc, under a name of its own. */
float OVERLOAD __clc_ldexp(float x, int exponent);
double OVERLOAD __clc_ldexp(double x, int exponent);

float OVERLOAD geo_ldexp(float x, int exponent)
{
    return __clc_ldexp(x, exponent);
}

double OVERLOAD geo_ldexp(double x, int exponent)
{
    return __clc_ldexp(x, exponent);
}

float OVERLOAD geo_rsqrt(float x)
{
    return 1.0f / sqrt(x);
}

double OVERLOAD geo_rsqrt(double x)
{
    return 1.0 / sqrt(x);
}

float OVERLOAD geo_fdim(float x, float y)
{
    return isnan(x) || isnan(y) ? NAN : x > y ? x - y : 0.0f;
}

double OVERLOAD geo_fdim(double x, double y)
{
    return isnan(x) || isnan(y) ? (double)NAN : x > y ? x - y : 0.0;
}

float OVERLOAD geo_maxmag(float x, float y)
{
    return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y);
}

double OVERLOAD geo_maxmag(double x, double y)
{
    return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y);
}

float OVERLOAD geo_minmag(float x, float y)
{
    return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y);
}

double OVERLOAD geo_minmag(double x, double y)
{
    return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y);
}

/* Neighbours by counting representations: sign-magnitude to two's complement, one step, back. */
float OVERLOAD geo_nextafter(float x, float y)
{
    int a = as_int(x), b = as_int(y);
    if (isnan(x) || isnan(y)) {
        return x + y;
    }
    int ordered_a = a < 0 ? INT_MIN - a : a;
    int ordered_b = b < 0 ? INT_MIN - b : b;
    if (ordered_a == ordered_b) {
        return y;
    }
    ordered_a += ordered_a < ordered_b ? 1 : -1;
    return as_float(ordered_a < 0 ? INT_MIN - ordered_a : ordered_a);
}

double OVERLOAD geo_nextafter(double x, double y)
{
    long a = as_long(x), b = as_long(y);
    if (isnan(x) || isnan(y)) {
        return x + y;
    }
    long ordered_a = a < 0 ? LONG_MIN - a : a;
    long ordered_b = b < 0 ? LONG_MIN - b : b;
    if (ordered_a == ordered_b) {
        return y;
    }
    ordered_a += ordered_a < ordered_b ? 1 : -1;
    return as_double(ordered_a < 0 ? LONG_MIN - ordered_a : ordered_a);
}

/* libclc's float versions miss OpenCL's 16 units in the last place (erfc beyond 7, tgamma from 9); in double there is room. */
float OVERLOAD geo_erfc(float x)
{
    return (float)erfc((double)x);
}

float OVERLOAD geo_tgamma(float x)
{
    return (float)tgamma((double)x);
}

float OVERLOAD geo_nan(int code)
{
    return as_float(0x7fc00000 | (code & 0x3fffff));
}

double OVERLOAD geo_nan(long code)
{
    return as_double(0x7ff8000000000000L | (code & 0x7ffffffffffffL));
}

float OVERLOAD geo_native_recip(float x)
{
    return 1.0f / x;
}

float OVERLOAD geo_half_recip(float x)
{
    return 1.0f / x;
}

float OVERLOAD geo_native_divide(float x, float y)
{
    return x / y;
}

float OVERLOAD geo_half_divide(float x, float y)
{
    return x / y;
}

float OVERLOAD geo_native_sqrt(float x)
{
    return sqrt(x);
}

float OVERLOAD geo_half_sqrt(float x)
{
    return sqrt(x);
}

float OVERLOAD geo_native_rsqrt(float x)
{
    return 1.0f / sqrt(x);
}

float OVERLOAD geo_half_rsqrt(float x)
{
    return 1.0f / sqrt(x);
}
