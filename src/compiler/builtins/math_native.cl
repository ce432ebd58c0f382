/* The native_ functions of float that are faster than the exact ones. They take normal positive
 * arguments only, and their errors grow with the result. The other native_ functions are the
 * exact ones. */
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

/* Divisions and roots start from the processor's estimate (`guess`), which one Newton step
 * improves. The step gives NaN if an operand or the quotient is zero or infinite; then the estimate
 * is the result. */
static inline float better(float guess, float step, float rest)
{
    float result = fma(step, rest, guess);
    return isnan(result) ? guess : result;
}

static inline float divide(float x, float y)
{
    float r = geo_guess_inverse(y);
    float q = x * r;
    return better(q, r, fma(-q, y, x));
}

static inline float recip(float x)
{
    float r = geo_guess_inverse(x);
    return better(r, r, fma(-x, r, 1.0f));
}

/* Returns x itself if the estimate is infinite. This happens for zeros, and for denormals on
 * processors whose estimate takes them for zeros (RSQRTPS does, VRSQRT14PS does not). */
static inline float root(float x)
{
    float r = geo_guess_inverse_root(x);
    float y = x * r;
    float better_y = fma(fma(-y, y, x), 0.5f * r, y);
    return isinf(r) || x == INFINITY ? x : better_y;
}

static inline float inverse(float x)
{
    float r = geo_guess_inverse_root(x);
    return better(r, 0.5f * r, fma(-x * r, r, 1.0f));
}

float OVERLOAD geo_native_divide(float x, float y)
{
    return divide(x, y);
}

float OVERLOAD geo_half_divide(float x, float y)
{
    return divide(x, y);
}

float OVERLOAD geo_native_recip(float x)
{
    return recip(x);
}

float OVERLOAD geo_half_recip(float x)
{
    return recip(x);
}

float OVERLOAD geo_native_sqrt(float x)
{
    return root(x);
}

/* Scales denormals, so that every processor has an estimate for them. */
float OVERLOAD geo_half_sqrt(float x)
{
    bool tiny = fabs(x) < 0x1p-126f;
    float y = root(tiny ? x * 0x1p24f : x);
    return tiny ? y * 0x1p-12f : y;
}

float OVERLOAD geo_native_rsqrt(float x)
{
    return inverse(x);
}

float OVERLOAD geo_half_rsqrt(float x)
{
    return inverse(x);
}

/* OpenCL C has these functions for float only, but SPIR-V modules may call them for double. */
double OVERLOAD geo_native_divide(double x, double y)
{
    return x / y;
}

double OVERLOAD geo_half_divide(double x, double y)
{
    return x / y;
}

double OVERLOAD geo_native_recip(double x)
{
    return 1.0 / x;
}

double OVERLOAD geo_half_recip(double x)
{
    return 1.0 / x;
}

double OVERLOAD geo_native_sqrt(double x)
{
    return sqrt(x);
}

double OVERLOAD geo_half_sqrt(double x)
{
    return sqrt(x);
}

/* sin(r) for |r| <= pi / 2; error 2^-18 */
static inline float sine(float r)
{
    float s = r * r;
    float p = fma(-0x1.8b3e4ep-13f, s, 0x1.10c46cp-7f);
    p = fma(p, s, -0x1.5554aep-3f);
    return fma(p, r * s, r);
}

float OVERLOAD geo_native_sin(float x)
{
    float shifted = fma(x, 0x1.45f306p-2f, ROUNDER);
    float whole = shifted - ROUNDER;
    float r = fma(whole, 0x1.777a5cp-24f, fma(whole, -0x1.921fb6p+1f, x));
    return negate_odd(sine(r), as_int(shifted));
}

/* cos(x) = sin(x + pi / 2) */
float OVERLOAD geo_native_cos(float x)
{
    float shifted = fma(x, 0x1.45f306p-2f, -0.5f) + ROUNDER;
    float whole = (shifted - ROUNDER) + 0.5f;
    float r = fma(whole, 0x1.777a5cp-24f, fma(whole, -0x1.921fb6p+1f, x));
    return negate_odd(sine(r), as_int(shifted) + 1);
}

float OVERLOAD geo_native_tan(float x)
{
    return divide(geo_native_sin(x), geo_native_cos(x));
}

/* Computes pow with relaxed maths. Results for 0^0 and infinities are unspecified. */
float OVERLOAD geo_native_pow(float x, float y)
{
    float result = geo_native_powr(fabs(x), y);
    float half_y = y * 0.5f;
    bool whole = rint(y) == y, odd = whole && rint(half_y) != half_y;
    result = x == 0.0f ? (y > 0.0f ? 0.0f : INFINITY) : result;
    result = x < 0.0f && !whole ? NAN : result;
    return as_float(as_int(result) | (odd ? as_int(x) & SIGN_BIT : 0));
}
