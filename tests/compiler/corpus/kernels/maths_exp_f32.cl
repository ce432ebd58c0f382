/* Exponentials, logarithms, roots, rounding, float, of OpenCL.std's maths. */
#include "corpus.clh"

#define ONE(name)                                                                                  \
    __kernel void name##_f32(__global const float *x, __global float *out)                         \
    {                                                                                              \
        out[GID] = name(x[GID]);                                                                   \
    }

ONE(cbrt)
ONE(ceil)
ONE(erf)
ONE(erfc)
ONE(exp)
ONE(exp2)
ONE(exp10)
ONE(expm1)
ONE(fabs)
ONE(floor)
ONE(log)
ONE(log2)
ONE(log10)
ONE(log1p)
ONE(logb)
ONE(rint)
ONE(round)
ONE(rsqrt)
ONE(sqrt)
ONE(tgamma)
ONE(lgamma)
ONE(trunc)
