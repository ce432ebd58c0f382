/* Powers of double: 2^(y log2 x). The logarithm is kept in two doubles, because its error is
 * multiplied by up to 1024. math_pow.cl explains the rare cases. */
#include "math_double_core.clh"

/* The base of a power, in a form that covers all special cases. */
struct base {
    double x;   /* normal and positive; ignored if log is not finite */
    double log; /* to be added to log2(x) */
    long sign;  /* sign bit of the result */
};

static inline bool is_rare(double x)
{
    return (ulong)as_long(x) - 0x0010000000000000UL >= 0x7fe0000000000000UL;
}

static inline struct base rare_base(double x)
{
    double size = fabs(x);
    bool tiny = size < 0x1p-1022;
    struct base base = {tiny ? size * 0x1p54 : size, tiny ? -54.0 : 0.0, 0};
    base.log = size == 0.0 ? -(double)INFINITY : base.log;
    base.log = size <= DBL_MAX ? base.log : size;
    return base;
}

/* log2(x) = *high + *low to 2^-63. */
static inline void log2_exact(struct base base, double *high, double *low)
{
    /* x = 2^e (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), s = f / (2 + f) */
    long bits = as_long(base.x) - 0x3fe6a09e667f3bcdL + (1023L << 52);
    double e = as_double((long)((ulong)bits >> 52) | 0x4330000000000000L) - (0x1p52 + 1023.0);
    e += base.log;
    double f = as_double((bits & 0xfffffffffffffL) + 0x3fe6a09e667f3bcdL) - 1.0;
    double bottom = f + 2.0;
    double bottom_low = f - (bottom - 2.0);
    double inverse = reciprocal_guess_d(bottom);
    inverse = fma(inverse, fma(-bottom, inverse, 1.0), inverse);
    double s = f * inverse;
    double s_low = fma(-s, bottom_low, fma(-s, bottom, f)) * inverse;
    /* log2(1 + f) = s (c1 + c3 s^2 + s^4 q(s^2)); error 2^-65 */
    const double c1 = 0x1.71547652b82fep1, c1_low = 0x1.777d0ffda0d24p-55;
    const double c3 = 0x1.ec709dc3a03fdp-1, c3_low = 0x1.d27f05548af0cp-55;
    double t = s * s;
    double t_low = fma(s, s, -t) + 2.0 * s * s_low;
    double u = t * t;
    double even = 0x1.877d04b7d6336p-3, odd = 0x1.878230bff10cbp-3;
    even = fma(even, u, 0x1.c6a1b45598e18p-3);
    odd = fma(odd, u, 0x1.0c9a5d4e39f8bp-2);
    even = fma(even, u, 0x1.484b1436b81ffp-2);
    odd = fma(odd, u, 0x1.a61762a73765ep-2);
    even = fma(even, u, 0x1.2776c50ef9dcdp-1);
    double q = fma(odd, t, even);
    double cube = s * t;
    double cube_low = fma(s, t, -cube) + fma(s, t_low, s_low * t);
    double a = s * c1, b = cube * c3;
    double a_low = fma(s, c1_low, fma(s_low, c1, fma(s, c1, -a)));
    double b_low = fma(cube, c3_low, fma(cube_low, c3, fma(cube, c3, -b)));
    double tail = cube * t * q;
    double c = b + tail;
    b_low += (b - c) + tail;
    double sum = a + c;
    double sum_low = ((a - sum) + c) + (a_low + b_low);
    *high = e + sum;
    *low = ((e - *high) + sum) + sum_low;
}

/* Returns x^y for the exponent y + y_low. Returns NaN where powr does, for example for 0^0. */
static inline double power(struct base base, double y, double y_low)
{
    double high, low;
    log2_exact(base, &high, &low);
    double t = y * high;
    double t_low = fma(y, low, fma(y, high, -t)) + y_low * high;
    double limited = limit_d(t, -1100.0, 1030.0);
    t_low = t == limited ? t_low : 0.0;
    double shifted = limited + ROUNDER_D;
    double r = limited - (shifted - ROUNDER_D);
    double z = r * M_LN2;
    double z_low = fma(r, M_LN2, -z) + fma(r, 0x1.abc9e3b39803fp-56, t_low * M_LN2);
    double p = exp_poly_d(z);
    double result = scale_d(1.0 + (p + fma(z_low, p, z_low)), as_long(shifted));
    return as_double(as_long(result) | base.sign);
}

double OVERLOAD geo_pow(double x, double y)
{
    struct base base = {x, 0.0, 0};
    double exponent = y;
    if (is_rare(x) || !(fabs(y) <= DBL_MAX)) {
        double half_y = y * 0.5;
        bool whole = rint(y) == y;
        bool odd = whole && rint(half_y) != half_y;
        bool one = y == 0.0 || fabs(x) == 1.0;
        base = rare_base(x);
        base.x = one ? 1.0 : base.x;
        base.log = one ? 0.0 : base.log;
        exponent = one ? 0.0 : y;
        base.log = x < 0.0 && x >= -DBL_MAX && !whole ? (double)NAN : base.log;
        base.sign = odd ? as_long(x) & SIGN_BIT_D : 0;
    }
    return power(base, exponent, 0.0);
}

double OVERLOAD geo_powr(double x, double y)
{
    struct base base = {x, 0.0, 0};
    if (is_rare(x)) {
        base = rare_base(x);
        base.log = x < 0.0 ? (double)NAN : base.log;
    }
    return power(base, y, 0.0);
}

double OVERLOAD geo_pown(double x, int n)
{
    struct base base = {x, 0.0, 0};
    if (is_rare(x)) {
        base = rare_base(x);
        base.x = n == 0 ? 1.0 : base.x;
        base.log = n == 0 ? 0.0 : base.log;
        base.sign = n & 1 ? as_long(x) & SIGN_BIT_D : 0;
    }
    return power(base, (double)n, 0.0);
}

double OVERLOAD geo_rootn(double x, int n)
{
    struct base base = {x, 0.0, 0};
    double y = 1.0 / (double)n;
    if (is_rare(x) || n == 0) {
        base = rare_base(x);
        base.log = n == 0 || (x < 0.0 && (n & 1) == 0) ? (double)NAN : base.log;
        base.sign = n & 1 ? as_long(x) & SIGN_BIT_D : 0;
    }
    return power(base, y, n == 0 ? 0.0 : fma(-y, (double)n, 1.0) * y);
}
