/* What decorated.spvasm says by decorations. */
#include "corpus.clh"

__kernel void volatile_uniform(__global const volatile int *in, __global int *out)
{
    size_t i = GID;
    if (i % 3) {
        out[i] = in[0] + in[1];
    }
}
