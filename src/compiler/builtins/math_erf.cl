/* The error function of float. */
#include "math_exp_core.clh"

/* erfc(a) = e^(-a^2) u Q(u) with u = 1 / (a + 3): Q is nearly flat for all a >= 0. */
float OVERLOAD geo_erfc(float x)
{
    float size = fabs(x);
    float a = size > 10.1f ? 10.1f : size; /* where the result has vanished */
    float sum = a + 3.0f;
    float lost = a - (sum - 3.0f);
    float guess = reciprocal_guess(sum);
    float e = fma(-lost, guess, fma(-sum, guess, 1.0f));
    float u = fma(guess, e, guess);
    float t = fma(guess, e, guess - 0.2f); /* small: keeps more digits than u */
    float q = 0x1.8e0924p11f;              /* of t for 0 <= a <= 10.15; error 2^-25 */
    q = fma(q, t, 0x1.49e35p7f);
    q = fma(q, t, -0x1.d82c62p9f);
    q = fma(q, t, -0x1.113d76p8f);
    q = fma(q, t, 0x1.5fdda4p7f);
    q = fma(q, t, 0x1.77225cp7f);
    q = fma(q, t, 0x1.67d022p6f);
    q = fma(q, t, 0x1.d0fff8p4f);
    q = fma(q, t, 0x1.bdbd14p2f);
    q = fma(q, t, 0x1.46e80ep0f);
    float square = a * a;
    int n;
    float r = exp_reduce(-square, &n) - fma(a, a, -square);
    float v = u * q;
    float tail = scale(fma(exp_poly(r), v, v), n);
    return x < 0.0f ? 2.0f - tail : tail;
}
