/* A module with kernels that do not build, each for another reason. The module itself is valid. */
global int good_runs;

kernel void good(global int *out)
{
    out[get_global_id(0)] = 1;
    atomic_inc(&good_runs);
}

kernel void too_much_local_memory(global uchar *out)
{
    local uchar big[1100000000];
    big[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = big[get_global_id(0)];
}

/* When it is built ahead, the kernels before it are done. */
kernel void last(global int *out)
{
    out[get_global_id(0)] = 2;
}
