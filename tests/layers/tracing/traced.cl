/* Kernels for test_zetrace.py. */
kernel void step(global uint *values)
{
    values[get_global_id(0)] += 1;
}

/* 2 operations, reads 4 bytes and writes 4 */
kernel void scale(global float *values)
{
    values[get_global_id(0)] = fma(values[get_global_id(0)], 0.5f, 1.0f);
}
