/* Functions of two and three arguments, double, of OpenCL.std's maths. */
#include "corpus.clh"

#define TWO(name)                                                                                  \
    __kernel void name##_f64(__global const double *x, __global const double *y,                   \
                             __global double *out)                                                 \
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

__kernel void fma_f64(__global const double *x, __global const double *y, __global const double *z,
                      __global double *out)
{
    out[GID] = fma(x[GID], y[GID], z[GID]);
}

__kernel void mad_f64(__global const double *x, __global const double *y, __global const double *z,
                      __global double *out)
{
    out[GID] = mad(x[GID], y[GID], z[GID]);
}

__kernel void ldexp_f64(__global const double *x, __global const int *n, __global double *out)
{
    out[GID] = ldexp(x[GID], n[GID] % 200 - 100);
}

__kernel void pown_f64(__global const double *x, __global const int *n, __global double *out)
{
    out[GID] = pown(x[GID], n[GID] % 41 - 20);
}

__kernel void rootn_f64(__global const double *x, __global const int *n, __global double *out)
{
    out[GID] = rootn(x[GID], n[GID] % 19 - 9);
}
