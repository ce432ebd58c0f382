/* A kernel for each class of accesses, and for each reason of a width. */

kernel void classes(global float *out, global const float *in, global const int *index, int n)
{
    int i = get_global_id(0);
    float uniform_load = in[n];
    float consecutive = in[i];
    float reversed = in[n - i];
    float strided = in[3 * i];
    float gathered = in[index[i]];
    out[i] = uniform_load + consecutive + reversed + strided + gathered;
}

kernel void count(global const int *in, local int *bins, global int *out, int n)
{
    int lid = get_local_id(0);
    bins[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&bins[in[i] & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = bins[lid];
}

kernel __attribute__((reqd_work_group_size(2, 8, 1))) void narrow(global int *out)
{
    out[get_global_id(1) * 2 + get_global_id(0)] = get_local_id(0);
}

kernel __attribute__((intel_reqd_sub_group_size(8))) void group(global int *out)
{
    out[get_global_id(0)] = sub_group_reduce_add((int)get_global_id(0));
}

kernel void wide(global uchar *out, global const uchar *in)
{
    out[get_global_id(0)] = in[get_global_id(0)] + 1;
}
