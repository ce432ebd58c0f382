/* Trigonometric and hyperbolic functions, double, of OpenCL.std's maths. */
#include "corpus.clh"

#define ONE(name)                                                                                  \
    __kernel void name##_f64(__global const double *x, __global double *out)                       \
    {                                                                                              \
        out[GID] = name(x[GID]);                                                                   \
    }

ONE(cos)
ONE(cosh)
ONE(cospi)
ONE(sin)
ONE(sinh)
ONE(sinpi)
ONE(tan)
ONE(tanh)
ONE(tanpi)
