/* Functions of two and three arguments, float, of OpenCL.std's maths. */
#include "corpus.clh"

#define TWO(name)                                                                                  \
    __kernel void name##_f32(__global const float *x, __global const float *y,                     \
                             __global float *out)                                                  \
    {                                                                                              \
        out[GID] = name(x[GID], y[GID]);                                                           \
    }

TWO(atan2)
TWO(atan2pi)
TWO(copysign)
TWO(fdim)
TWO(fmax)
TWO(fmin)
TWO(fmod)
TWO(hypot)
TWO(maxmag)
TWO(minmag)
TWO(nextafter)
TWO(pow)
TWO(powr)
TWO(remainder)

__kernel void fma_f32(__global const float *x, __global const float *y, __global const float *z,
                      __global float *out)
{
    out[GID] = fma(x[GID], y[GID], z[GID]);
}

__kernel void mad_f32(__global const float *x, __global const float *y, __global const float *z,
                      __global float *out)
{
    out[GID] = mad(x[GID], y[GID], z[GID]);
}

__kernel void ldexp_f32(__global const float *x, __global const int *n, __global float *out)
{
    out[GID] = ldexp(x[GID], n[GID] % 200 - 100);
}

__kernel void pown_f32(__global const float *x, __global const int *n, __global float *out)
{
    out[GID] = pown(x[GID], n[GID] % 41 - 20);
}

__kernel void rootn_f32(__global const float *x, __global const int *n, __global float *out)
{
    out[GID] = rootn(x[GID], n[GID] % 19 - 9);
}
