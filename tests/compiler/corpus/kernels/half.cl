/* Half as a storage format: vload_half and vstore_half of every width, to and from float and
 * double. */
#include "corpus.clh"

__kernel void load(__global const half *in, __global float *out)
{
    out[GID] = vload_half(GID, in);
}

__kernel void store(__global const float *in, __global half *out)
{
    vstore_half(in[GID], GID, out);
}

__kernel void store_double(__global const double *in, __global half *out)
{
    vstore_half(in[GID], GID, out);
}

#define WIDE(N)                                                                                    \
    __kernel void load##N(__global const half *in, __global float *out)                            \
    {                                                                                              \
        vstore##N(vload_half##N(GID, in), GID, out);                                               \
    }                                                                                              \
    __kernel void store##N(__global const float *in, __global half *out)                           \
    {                                                                                              \
        vstore_half##N(vload##N(GID, in) * 2.0f, GID, out);                                        \
    }

WIDE(2)
WIDE(3)
WIDE(4)
WIDE(8)
WIDE(16)

__kernel void aligned4(__global const half *in, __global half *out)
{
    float4 v = vloada_half4(GID, in);
    vstorea_half4(v.wzyx, GID, out);
}

__kernel void aligned3(__global const half *in, __global half *out)
{
    float3 v = vloada_half3(GID, in);
    vstorea_half3(v.zxy + 1.0f, GID, out);
}

__kernel void round_trip_divergent(__global const half *in, __global half *out)
{
    float x = vload_half(GID, in);
    if (x > 0.0f) {
        vstore_half(x * 0.5f, GID, out);
    } else {
        vstore_half(x - 1.0f, GID, out);
    }
}

__kernel void in_local(__global const half *in, __global half *out, __local half *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    vstore_half(vload_half(GID, in), l, shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore_half(vload_half(n - 1 - l, shared) * 3.0f, GID, out);
}

__kernel void rounded(__global const float *in, __global half *out)
{
    size_t i = GID;
    vstore_half_rte(in[i], 4 * i, out);
    vstore_half_rtz(in[i], 4 * i + 1, out);
    vstore_half_rtp(in[i], 4 * i + 2, out);
    vstore_half_rtn(in[i], 4 * i + 3, out);
}
