/* References for float arithmetic and the float instructions of OpenCL.std.
 *
 * Halfs are computed in double and rounded once. */
#include "reference.h"

#include <math.h>
#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

static float as_float(uint64_t bits)
{
    return (float)reference_decode(32, bits);
}

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

/* One set of formulas for both widths: T is float or double, F the suffix of C's functions. */
#define FORMULAS(T, F, BITS)                                                                       \
    static T fmod_signed_##T(T x, T y)                                                             \
    {                                                                                              \
        T rest = fmod##F(x, y);                                                                    \
        return rest != 0 && signbit(rest) != signbit(y) ? rest + y : rest;                         \
    }                                                                                              \
    static T fmin_##T(T x, T y)                                                                    \
    {                                                                                              \
        return isnan(x) ? y : y < x ? y : x;                                                       \
    }                                                                                              \
    static T fmax_##T(T x, T y)                                                                    \
    {                                                                                              \
        return isnan(x) ? y : y > x ? y : x;                                                       \
    }                                                                                              \
    static T core_##T(unsigned op, T x, T y)                                                       \
    {                                                                                              \
        switch (op) {                                                                              \
        case SpvOpFNegate:                                                                         \
            return -x;                                                                             \
        case SpvOpFAdd:                                                                            \
            return x + y;                                                                          \
        case SpvOpFSub:                                                                            \
            return x - y;                                                                          \
        case SpvOpFMul:                                                                            \
            return x * y;                                                                          \
        case SpvOpFDiv:                                                                            \
            return x / y;                                                                          \
        case SpvOpFRem:                                                                            \
            return fmod##F(x, y);                                                                  \
        default:                                                                                   \
            return fmod_signed_##T(x, y);                                                          \
        }                                                                                          \
    }                                                                                              \
    static T magnitude_##T(T x, T y, bool least)                                                   \
    {                                                                                              \
        T a = fabs##F(x), b = fabs##F(y);                                                          \
        if (least ? a < b : a > b) {                                                               \
            return x;                                                                              \
        }                                                                                          \
        if (least ? b < a : b > a) {                                                               \
            return y;                                                                              \
        }                                                                                          \
        return least ? fmin_##T(x, y) : fmax_##T(x, y);                                            \
    }                                                                                              \
    static T smooth_##T(T low, T high, T x)                                                        \
    {                                                                                              \
        T t = (x - low) / (high - low);                                                            \
        t = fmin_##T(fmax_##T(t, 0), 1);                                                           \
        return t * t * (3 - 2 * t);                                                                \
    }                                                                                              \
    static T ext_##T(unsigned op, T x, T y, T z)                                                   \
    {                                                                                              \
        switch (op) {                                                                              \
        case OpenCLstd_Ceil:                                                                       \
            return ceil##F(x);                                                                     \
        case OpenCLstd_Floor:                                                                      \
            return floor##F(x);                                                                    \
        case OpenCLstd_Trunc:                                                                      \
            return trunc##F(x);                                                                    \
        case OpenCLstd_Rint:                                                                       \
            return rint##F(x);                                                                     \
        case OpenCLstd_Round:                                                                      \
            return round##F(x);                                                                    \
        case OpenCLstd_Fabs:                                                                       \
            return fabs##F(x);                                                                     \
        case OpenCLstd_Copysign:                                                                   \
            return copysign##F(x, y);                                                              \
        case OpenCLstd_Fdim:                                                                       \
            return isnan(x) || isnan(y) ? (T)NAN : x > y ? x - y : 0;                              \
        case OpenCLstd_Fmax:                                                                       \
            return fmax_##T(x, y);                                                                 \
        case OpenCLstd_Fmin:                                                                       \
            return fmin_##T(x, y);                                                                 \
        case OpenCLstd_FMax_common:                                                                \
            return x < y ? y : x;                                                                  \
        case OpenCLstd_FMin_common:                                                                \
            return y < x ? y : x;                                                                  \
        case OpenCLstd_Fma:                                                                        \
            return fma##F(x, y, z);                                                                \
        case OpenCLstd_Maxmag:                                                                     \
            return magnitude_##T(x, y, false);                                                     \
        case OpenCLstd_Minmag:                                                                     \
            return magnitude_##T(x, y, true);                                                      \
        case OpenCLstd_Sqrt:                                                                       \
            return sqrt##F(x);                                                                     \
        case OpenCLstd_FClamp:                                                                     \
            return fmin_##T(fmax_##T(x, y), z);                                                    \
        case OpenCLstd_Degrees:                                                                    \
            return x * (T)57.295779513082320876798154814105;                                       \
        case OpenCLstd_Radians:                                                                    \
            return x * (T)0.017453292519943295769236907684886;                                     \
        case OpenCLstd_Mix:                                                                        \
            return x + (y - x) * z;                                                                \
        case OpenCLstd_Step:                                                                       \
            return y < x ? 0 : 1;                                                                  \
        case OpenCLstd_Smoothstep:                                                                 \
            return smooth_##T(x, y, z);                                                            \
        case OpenCLstd_Sign:                                                                       \
            return isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x;                                      \
        default:                                                                                   \
            return (T)NAN;                                                                         \
        }                                                                                          \
    }

FORMULAS(float, f, 32)
FORMULAS(double, , 64)

uint64_t reference_float(const struct harness_case *test, const uint64_t *v)
{
    switch (harness_type_bits(test->result)) {
    case 16: {
        long double x = reference_decode(16, v[0]), y = reference_decode(16, v[1]);
        if (test->op == SpvOpFNegate) {
            return v[0] ^ 0x8000;
        }
        if (test->op == SpvOpFMod) {
            double rest = fmod((double)x, (double)y);
            bool differs = rest != 0 && signbit(rest) != signbit((double)y);
            return reference_encode(16, differs ? rest + (double)y : rest, REFERENCE_RTE);
        }
        return reference_encode(16, core_double(test->op, (double)x, (double)y), REFERENCE_RTE);
    }
    case 32:
        return float_bits(core_float(test->op, as_float(v[0]), as_float(v[1])));
    default:
        return double_bits(core_double(test->op, (double)reference_decode(64, v[0]),
                                       (double)reference_decode(64, v[1])));
    }
}

static uint64_t next_after(uint32_t width, uint64_t x, uint64_t y)
{
    if (width == 64) {
        return double_bits(
            nextafter((double)reference_decode(64, x), (double)reference_decode(64, y)));
    }
    if (width == 32) {
        return float_bits(nextafterf(as_float(x), as_float(y)));
    }
    long double a = reference_decode(16, x), b = reference_decode(16, y);
    if (isnan(a) || isnan(b)) {
        return 0x7e00;
    }
    if (a == b) {
        return y;
    }
    if (a == 0) {
        return (b < 0 ? 0x8000 : 0) | 1;
    }
    return (a < b) == (a > 0) ? x + 1 : x - 1;
}

uint64_t reference_ext_float(const struct harness_case *test, const uint64_t *v)
{
    uint32_t width = harness_type_bits(test->result);
    switch (test->op) {
    case OpenCLstd_Ldexp: {
        int64_t k = (int32_t)v[1];
        long double x = reference_decode(width, v[0]);
        k = k > 20000 ? 20000 : k < -20000 ? -20000 : k;
        /* Exact for every result but those that vanish or overflow in any width. */
        long double scaled = ldexpl(x, (int)(k > 8000 ? 8000 : k < -8000 ? -8000 : k));
        return isnan(x) ? reference_encode(width, x, REFERENCE_RTE)
                        : reference_encode(width, scaled, REFERENCE_RTE);
    }
    case OpenCLstd_Nextafter:
        return next_after(width, v[0], v[1]);
    case OpenCLstd_Bitselect:
        return (v[0] & ~v[2]) | (v[1] & v[2]);
    case OpenCLstd_Select:
        return v[2] ? v[1] : v[0];
    case OpenCLstd_Nan:
        return v[0] | (width == 16 ? 0x7e00 : width == 32 ? 0x7fc00000 : 0x7ff8000000000000);
    default:
        break;
    }
    if (width == 32) {
        return float_bits(ext_float(test->op, as_float(v[0]), as_float(v[1]), as_float(v[2])));
    }
    if (width == 64) {
        return double_bits(ext_double(test->op, (double)reference_decode(64, v[0]),
                                      (double)reference_decode(64, v[1]),
                                      (double)reference_decode(64, v[2])));
    }
    /* fma in double is rounded before half; everything else is exact or decided by float first. */
    if (test->op == OpenCLstd_Fma) {
        double sum = fma((double)reference_decode(16, v[0]), (double)reference_decode(16, v[1]),
                         (double)reference_decode(16, v[2]));
        return reference_encode(16, sum, REFERENCE_RTE);
    }
    float result = ext_float(test->op, (float)reference_decode(16, v[0]),
                             (float)reference_decode(16, v[1]), (float)reference_decode(16, v[2]));
    return reference_encode(16, result, REFERENCE_RTE);
}
