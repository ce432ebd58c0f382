/* The kernels of kernels.c. To make its PTX: geoidc --emit ptx --target sm_80 kernels.cl */
kernel void reverse(global const uint *in, global uint *out, local uint *line, uint bias)
{
    size_t place = get_local_id(0), last = get_local_size(0) - 1;
    line[place] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = line[last - place] * get_work_dim() + bias;
}

kernel void store(global uint *out)
{
    out[get_global_id(0)] = 1;
}
