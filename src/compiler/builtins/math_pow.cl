/* Powers of float: 2^(y log2 x), with logarithm and product in double. If x is not a normal
 * positive number, a rare branch converts it to the common form. This form has a normal number, a
 * term to add to its logarithm (which may be infinite or NaN), and the sign of the result. */
#include "math_exp_core.clh"

/* The base of a power, in a form that covers all special cases. */
struct base {
    float x;   /* normal and positive; ignored if log is not finite */
    float log; /* to be added to log2(x) */
    int sign;  /* sign bit of the result */
};

static inline bool is_rare(float x)
{
    return (uint)as_int(x) - 0x00800000u >= 0x7f000000u;
}

/* Returns the form of |x| for special cases. Powers of it are NaN where those of powr are, for
 * example for 0^0. */
static inline struct base rare_base(float x)
{
    float size = fabs(x);
    bool tiny = size < 0x1p-126f;
    struct base base = {tiny ? size * 0x1p23f : size, tiny ? -23.0f : 0.0f, 0};
    base.log = size == 0.0f ? -INFINITY : base.log;
    base.log = size <= FLT_MAX ? base.log : size;
    return base;
}

static inline float power(struct base base, double y)
{
    /* x = 2^e (1 + f) with 1 + f from sqrt(1/2) to sqrt(2) */
    int bits = as_int(base.x);
    int exponent = (bits - 0x3f3504f3) >> 23;
    float f = as_float(bits - (exponent << 23)) - 1.0f;
    float e = (float)exponent + base.log;
    /* log2(1 + f) / f; error 2^-33. Terms that are multiplied by f^4 need only float precision. */
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
    double whole = rint(t);
    float r = (float)(t - whole);
    float result = geo_scale(fma(exp2_poly(r), r, 1.0f), (float)whole);
    return as_float(as_int(result) | base.sign);
}

float OVERLOAD geo_pow(float x, float y)
{
    struct base base = {x, 0.0f, 0};
    float exponent = y;
    if (is_rare(x) || !(fabs(y) <= FLT_MAX)) {
        float half_y = y * 0.5f;
        bool whole = rint(y) == y;
        bool odd = whole && rint(half_y) != half_y;
        bool one = y == 0.0f || fabs(x) == 1.0f;
        base = rare_base(x);
        base.x = one ? 1.0f : base.x;
        base.log = one ? 0.0f : base.log;
        exponent = one ? 0.0f : y;
        base.log = x < 0.0f && x >= -FLT_MAX && !whole ? NAN : base.log;
        base.sign = odd ? as_int(x) & SIGN_BIT : 0;
    }
    return power(base, exponent);
}

float OVERLOAD geo_powr(float x, float y)
{
    struct base base = {x, 0.0f, 0};
    if (is_rare(x)) {
        base = rare_base(x);
        base.log = x < 0.0f ? NAN : base.log;
    }
    return power(base, y);
}

float OVERLOAD geo_pown(float x, int n)
{
    struct base base = {x, 0.0f, 0};
    if (is_rare(x)) {
        base = rare_base(x);
        base.x = n == 0 ? 1.0f : base.x;
        base.log = n == 0 ? 0.0f : base.log;
        base.sign = n & 1 ? as_int(x) & SIGN_BIT : 0;
    }
    return power(base, (double)n);
}

float OVERLOAD geo_rootn(float x, int n)
{
    struct base base = {x, 0.0f, 0};
    if (is_rare(x) || n == 0) {
        base = rare_base(x);
        base.log = n == 0 || (x < 0.0f && (n & 1) == 0) ? NAN : base.log;
        base.sign = n & 1 ? as_int(x) & SIGN_BIT : 0;
    }
    double inverse = reciprocal_guess_d(fabs((double)n));
    return power(base, n < 0 ? -inverse : inverse);
}
