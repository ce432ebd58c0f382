/* Kernels for the tests of geoidc. The line numbers are those of the report in the user's page. */

kernel void scale(global float *out, global const float *in, float factor)
{
    size_t i = get_global_id(0);
    out[i] = in[i] * factor;
}

kernel void pick(global int *out, global const int *in, global const int *index)
{
    size_t i = get_global_id(0);
    if (index[i] >= 0)
        out[i] = in[index[i]];
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void total(global int *out,
                                                                  global const int *in)
{
    local int part[64];
    size_t lid = get_local_id(0);
    part[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
    for (size_t step = 32; step > 0; step /= 2) {
        if (lid < step)
            part[lid] += part[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        out[get_group_id(0)] = part[0];
}
