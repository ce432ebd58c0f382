/* Functions with two results or results of another type, vectors, float, of OpenCL.std's maths. */
#include "corpus.clh"

__kernel void fract_f32(__global const float *x, __global float *out)
{
    float whole;
    out[2 * GID] = fract(x[GID], &whole);
    out[2 * GID + 1] = whole;
}

__kernel void modf_f32(__global const float *x, __global float *out)
{
    float whole;
    out[2 * GID] = modf(x[GID], &whole);
    out[2 * GID + 1] = whole;
}

__kernel void sincos_f32(__global const float *x, __global float *out)
{
    float cosine;
    out[2 * GID] = sincos(x[GID], &cosine);
    out[2 * GID + 1] = cosine;
}

__kernel void frexp_f32(__global const float *x, __global float *out, __global int *exponent)
{
    int e;
    out[GID] = frexp(x[GID], &e);
    exponent[GID] = isfinite(x[GID]) ? e : 0;
}

__kernel void ilogb_f32(__global const float *x, __global int *out)
{
    out[GID] = ilogb(x[GID]);
}

__kernel void remquo_f32(__global const float *x, __global const float *y, __global float *out,
                         __global int *quotient)
{
    int q = 0;
    out[GID] = remquo(x[GID], y[GID], &q) + 0; /* pocl does not keep the sign of a zero */
    quotient[GID] = isfinite(x[GID]) && isnormal(y[GID]) ? (q & 7) : 0;
}

__kernel void global_result_f32(__global const float *x, __global float *whole, __global float *out)
{
    out[GID] = modf(x[GID], whole + GID);
}

__kernel void vectors2_f32(__global const float *x, __global float *out)
{
    float2 v = vload2(GID, x);
    vstore2(sqrt(fabs(v)) + floor(v), GID, out);
}

__kernel void vectors3_f32(__global const float *x, __global float *out)
{
    float3 v = vload3(GID, x);
    vstore3(fma(v, v.zxy, rint(v)), GID, out);
}

__kernel void vectors4_sin_f32(__global const float *x, __global float *out)
{
    vstore4(sin(vload4(GID, x)), GID, out);
}

__kernel void vectors8_exp_f32(__global const float *x, __global float *out)
{
    vstore8(exp(vload8(GID, x)), GID, out);
}

__kernel void vectors16_fmax_f32(__global const float *x, __global float *out)
{
    vstore16(fmax(vload16(GID, x), (float)3), GID, out);
}

__kernel void vectors4_pow_f32(__global const float *x, __global const float *y,
                               __global float *out)
{
    vstore4(pow(vload4(GID, x), vload4(GID, y)), GID, out);
}

__kernel void divergent_f32(__global const float *x, __global float *out)
{
    float v = x[GID], r;
    if (v > (float)30) {
        r = log(v);
    } else if (v > 0) {
        r = exp(-v);
    } else {
        r = sin(v) * sqrt(-v);
    }
    out[GID] = r;
}

__kernel void in_loop_f32(__global const float *x, __global float *out)
{
    float v = x[GID], sum = 0;
    for (int k = 0; k < (int)fabs(v) % 9; k++) {
        sum += cos(v + (float)k);
    }
    out[GID] = sum;
}

#define ONE(name)                                                                                  \
    __kernel void name##_f32(__global const float *x, __global float *out)                         \
    {                                                                                              \
        out[GID] = name(x[GID]);                                                                   \
    }

ONE(half_cos)
ONE(half_exp)
ONE(half_log2)
ONE(half_rsqrt)
ONE(half_sqrt)
ONE(native_sin)
ONE(native_exp2)
ONE(native_log)
ONE(native_recip)
ONE(native_rsqrt)

__kernel void native_divide_f32(__global const float *x, __global const float *y,
                                __global float *out)
{
    out[GID] = native_divide(x[GID], y[GID]);
}

__kernel void half_powr_f32(__global const float *x, __global const float *y, __global float *out)
{
    out[GID] = half_powr(x[GID], y[GID]);
}
