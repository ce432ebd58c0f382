/* Inverse trigonometric and hyperbolic functions, float, of OpenCL.std's maths. */
#include "corpus.clh"

#define ONE(name)                                                                                  \
    __kernel void name##_f32(__global const float *x, __global float *out)                         \
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
