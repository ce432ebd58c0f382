/* Trigonometric and hyperbolic functions, float, of OpenCL.std's maths. */
#include "corpus.clh"

#define ONE(name)                                                                                  \
    __kernel void name##_f32(__global const float *x, __global float *out)                         \
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
