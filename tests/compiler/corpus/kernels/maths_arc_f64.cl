/* Inverse trigonometric and hyperbolic functions, double, of OpenCL.std's maths. */
#include "corpus.clh"

#define ONE(name)                                                                                  \
    __kernel void name##_f64(__global const double *x, __global double *out)                       \
    {                                                                                              \
        out[GID] = name(x[GID]);                                                                   \
    }

ONE(acos)
ONE(acosh)
ONE(acospi)
ONE(asin)
ONE(asinh)
ONE(asinpi)
ONE(atan)
ONE(atanh)
ONE(atanpi)
