/* Trigonometric functions of float. Sine and cosine are computed as the sine of the distance to
 * their nearest zero, which is at most pi / 2. */
#include "math_trig_core.clh"

/* sin(r + rest) for |r| <= pi / 2; error 2^-30. */
static float sin_poly(float r, float rest)
{
    float s = r * r;
    float p = -0x1.ab44fep-26f;
    p = fma(p, s, 0x1.7252a2p-19f);
    p = fma(p, s, -0x1.a0204ep-13f);
    p = fma(p, s, 0x1.11112ep-7f);
    p = fma(p, s, -0x1.555556p-3f);
    return fma(p, r * s, rest) + r;
}

float OVERLOAD geo_sin(float x)
{
    float size = fabs(x);
    float shifted = fma(size, INVERSE_PI, ROUNDER);
    float whole = shifted - ROUNDER;
    int n = as_int(shifted);
    float r = fma(whole, -PI_1, size); /* exact */
    float rest = whole * -PI_3;
    r = fma(whole, -PI_2, r);
    if (!(size < HUGE_ANGLE)) {
        r = (float)(huge_turns(size, &n) * M_PI);
        rest = 0.0f;
    }
    int sign = (as_int(x) & SIGN_BIT) ^ (n << 31);
    return as_float(as_int(sin_poly(r, rest)) ^ sign);
}

/* cos(x) = sin(x + pi / 2) */
float OVERLOAD geo_cos(float x)
{
    float size = fabs(x);
    float shifted = fma(size, INVERSE_PI, -0.5f) + ROUNDER;
    float whole = (shifted - ROUNDER) + 0.5f;
    int n = as_int(shifted) + 1;
    float r = fma(whole, -PI_1, size);
    float rest = whole * -PI_3;
    r = fma(whole, -PI_2, r);
    if (!(size < HUGE_ANGLE)) {
        double turns = huge_turns(size, &n);
        n += turns > 0.0;
        r = (float)((turns > 0.0 ? turns - 0.5 : turns + 0.5) * M_PI);
        rest = 0.0f;
    }
    return negate_odd(sin_poly(r, rest), n);
}

/* Reduces an angle: size = n pi / 2 + r + rest with |r| <= pi / 4. Returns r. */
static inline float quarter_reduce(float size, int *n, float *rest)
{
    float shifted = fma(size, 2.0f * INVERSE_PI, ROUNDER);
    float whole = shifted - ROUNDER;
    float r = fma(whole, -0.5f * PI_1, size);
    *n = as_int(shifted);
    *rest = whole * (-0.5f * PI_3);
    r = fma(whole, -0.5f * PI_2, r);
    if (!(size < HUGE_ANGLE)) {
        int halves;
        double turns = huge_turns(size, &halves);
        double quarter = rint(2.0 * turns);
        *n = 2 * halves + (int)as_long(quarter + ROUNDER_D);
        r = (float)(fma(quarter, -0.5, turns) * M_PI);
        *rest = 0.0f;
    }
    return r;
}

float OVERLOAD geo_sincos(float x, private float *cosine)
{
    int n;
    float rest;
    float r = quarter_reduce(fabs(x), &n, &rest);
    float s = r * r;
    /* errors 2^-32 and 2^-33 for |r| <= pi / 4 */
    float p = 0x1.75d454p-19f;
    p = fma(p, s, -0x1.a0402ap-13f);
    p = fma(p, s, 0x1.11115cp-7f);
    p = fma(p, s, -0x1.555556p-3f);
    float sine_part = fma(p, r * s, rest) + r;
    float q = 0x1.99e9b4p-16f;
    q = fma(q, s, -0x1.6c0c2cp-10f);
    q = fma(q, s, 0x1.55554ap-5f);
    float cosine_part = fma(q, s * s, fma(-r, rest, fma(s, -0.5f, 1.0f)));
    bool swap = n & 1;
    *cosine = negate_odd(swap ? sine_part : cosine_part, (n + 1) >> 1);
    float sine = negate_odd(swap ? cosine_part : sine_part, n >> 1);
    return as_float(as_int(sine) ^ (as_int(x) & SIGN_BIT));
}

float OVERLOAD geo_tan(float x)
{
    int n;
    float rest;
    float r = quarter_reduce(fabs(x), &n, &rest);
    float s = r * r;
    /* error 2^-28 for |r| <= pi / 4 */
    float p = 0x1.31a29p-8f;
    p = fma(p, s, -0x1.1f871p-11f);
    p = fma(p, s, 0x1.7569d6p-7f);
    p = fma(p, s, 0x1.58aa64p-6f);
    p = fma(p, s, 0x1.bb50aap-5f);
    p = fma(p, s, 0x1.110a64p-3f);
    p = fma(p, s, 0x1.55557p-2f);
    float t = fma(p, r * s, rest) + r;
    t = n & 1 ? -reciprocal(t) : t;
    return as_float(as_int(t) ^ (as_int(x) & SIGN_BIT));
}
