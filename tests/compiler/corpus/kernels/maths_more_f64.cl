/* Functions with two results or results of another type, vectors, double, of OpenCL.std's maths. */
#include "corpus.clh"

__kernel void fract_f64(__global const double *x, __global double *out)
{
    double whole;
    out[2 * GID] = fract(x[GID], &whole);
    out[2 * GID + 1] = whole;
}

__kernel void modf_f64(__global const double *x, __global double *out)
{
    double whole;
    out[2 * GID] = modf(x[GID], &whole);
    out[2 * GID + 1] = whole;
}

__kernel void sincos_f64(__global const double *x, __global double *out)
{
    double cosine;
    out[2 * GID] = sincos(x[GID], &cosine);
    out[2 * GID + 1] = cosine;
}

__kernel void frexp_f64(__global const double *x, __global double *out, __global int *exponent)
{
    int e;
    out[GID] = frexp(x[GID], &e);
    exponent[GID] = isfinite(x[GID]) ? e : 0;
}

__kernel void ilogb_f64(__global const double *x, __global int *out)
{
    out[GID] = ilogb(x[GID]);
}

__kernel void remquo_f64(__global const double *x, __global const double *y, __global double *out,
                         __global int *quotient)
{
    int q = 0;
    out[GID] = remquo(x[GID], y[GID], &q) + 0; /* pocl does not keep the sign of a zero */
    quotient[GID] = isfinite(x[GID]) && isnormal(y[GID]) ? (q & 7) : 0;
}

__kernel void global_result_f64(__global const double *x, __global double *whole,
                                __global double *out)
{
    out[GID] = modf(x[GID], whole + GID);
}

__kernel void vectors2_f64(__global const double *x, __global double *out)
{
    double2 v = vload2(GID, x);
    vstore2(sqrt(fabs(v)) + floor(v), GID, out);
}

__kernel void vectors3_f64(__global const double *x, __global double *out)
{
    double3 v = vload3(GID, x);
    vstore3(fma(v, v.zxy, rint(v)), GID, out);
}

__kernel void vectors4_sin_f64(__global const double *x, __global double *out)
{
    vstore4(sin(vload4(GID, x)), GID, out);
}

__kernel void vectors8_exp_f64(__global const double *x, __global double *out)
{
    vstore8(exp(vload8(GID, x)), GID, out);
}

__kernel void vectors16_fmax_f64(__global const double *x, __global double *out)
{
    vstore16(fmax(vload16(GID, x), (double)3), GID, out);
}

__kernel void vectors4_pow_f64(__global const double *x, __global const double *y,
                               __global double *out)
{
    vstore4(pow(vload4(GID, x), vload4(GID, y)), GID, out);
}

__kernel void divergent_f64(__global const double *x, __global double *out)
{
    double v = x[GID], r;
    if (v > (double)30) {
        r = log(v);
    } else if (v > 0) {
        r = exp(-v);
    } else {
        r = sin(v) * sqrt(-v);
    }
    out[GID] = r;
}

__kernel void in_loop_f64(__global const double *x, __global double *out)
{
    double v = x[GID], sum = 0;
    for (int k = 0; k < (int)fabs(v) % 9; k++) {
        sum += cos(v + (double)k);
    }
    out[GID] = sum;
}
