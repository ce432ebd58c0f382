/* Half precision arithmetic: every operation rounds to half. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void half_mad(global const half *a, global half *b, global int *order)
{
    size_t i = get_global_id(0);
    half product = a[i] * b[i];
    order[i] = a[i] < b[i];
    b[i] = product + a[i] / b[i];
}
