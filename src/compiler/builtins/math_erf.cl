/* The error functions of float. */
#include "math_exp_core.clh"

/* erfc(a) = e^(-a^2) u Q(u) with u = 1 / (a + 3): Q is nearly flat for all a >= 0. */
float OVERLOAD geo_erfc(float x)
{
    float size = fabs(x);
    float a = size > 10.1f ? 10.1f : size; /* beyond this the result is zero */
    float sum = a + 3.0f;
    float lost = a - (sum - 3.0f);
    float guess = geo_guess_inverse(sum);
    float e = fma(-lost, guess, fma(-sum, guess, 1.0f));
    e = fma(e, e, e);
    float u = fma(guess, e, guess);
    float t = fma(guess, e, guess - 0.2f); /* small, so it keeps more digits than u */
    float t2 = t * t;                      /* of t for 0 <= a <= 10.15; error 2^-25 */
    float even = 0x1.49e35p7f, odd = 0x1.8e0924p11f;
    even = fma(even, t2, -0x1.113d76p8f);
    even = fma(even, t2, 0x1.77225cp7f);
    even = fma(even, t2, 0x1.d0fff8p4f);
    even = fma(even, t2, 0x1.46e80ep0f);
    odd = fma(odd, t2, -0x1.d82c62p9f);
    odd = fma(odd, t2, 0x1.5fdda4p7f);
    odd = fma(odd, t2, 0x1.67d022p6f);
    odd = fma(odd, t2, 0x1.bdbd14p2f);
    float q = fma(odd, t, even);
    float square = a * a;
    int n;
    float r = exp_reduce(-square, &n) - fma(a, a, -square);
    float v = u * q;
    float tail = scale(fma(exp_poly(r), v, v), n);
    return x < 0.0f ? 2.0f - tail : tail;
}

float OVERLOAD geo_erf(float x)
{
    float a = fabs(x);
    float s = a * a;
    /* erf(a) for a <= 1; error 2^-27 */
    float p = 0x1.406f1cp-14f;
    p = fma(p, s, -0x1.a0476ap-11f);
    p = fma(p, s, 0x1.537068p-8f);
    p = fma(p, s, -0x1.b7e24ep-6f);
    p = fma(p, s, 0x1.ce2b46p-4f);
    p = fma(p, s, -0x1.81273p-2f);
    p = fma(p, s, -0x1.22c74ap-24f);
    float near = fma(a, 0x1.20dd76p+0f, p * a);
    /* log2(erfc(a)) for a from 0.95 to 4, where erf is 1; error of erf 2^-29 */
    float t = (a > 4.0f ? 4.0f : a) - 2.25f;
    float q = 0x1.23772ep-12f;
    q = fma(q, t, -0x1.367f2p-11f);
    q = fma(q, t, 0x1.0dc328p-8f);
    q = fma(q, t, -0x1.3aebdp-6f);
    q = fma(q, t, -0x1.5948c8p0f);
    q = fma(q, t, -0x1.c2da2ap2f);
    q = fma(q, t, -0x1.2d592ap3f);
    float shifted = q + ROUNDER;
    float r = q - (shifted - ROUNDER);
    float power = power_of_two(as_int(shifted));
    float far = 1.0f - fma(exp2_poly(r) * r, power, power);
    return with_sign(a < 1.0f ? near : far, x);
}
