/* What decorated.spvasm says by decorations and types of its own. */
#include "corpus.clh"

__kernel void volatile_uniform(__global const volatile int *in, __global int *out)
{
    size_t i = GID;
    if (i % 3) {
        out[i] = in[0] + in[1];
    }
}

__kernel void vector_of_one(__global const int *in, __global int *out)
{
    size_t i = GID;
    out[i] = i % 3 ? 2 * in[i] : 0;
}
