/* The same kernels as dpcpp.spvasm, which says them the way DPC++ does. */
#include "corpus.clh"

struct params {
    uint scale, shift;
};

__kernel void raw_argument(__global const uint *in, __global uint *out, struct params p)
{
    size_t i = get_global_id(0) - get_global_offset(0);
    out[i] = in[i] * p.scale + p.shift;
}

__kernel void local_neighbours(__global double *data, __local double *shared)
{
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    shared[l] = data[i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    double sum = 0.0;
    for (size_t k = l > 0 ? l - 1 : 0; k <= (l + 1 < n ? l + 1 : n - 1); k++) {
        sum += shared[k];
    }
    data[i] = sum;
}
