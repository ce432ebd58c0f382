/* A kernel for test_zetrace.py. */
kernel void step(global uint *values)
{
    values[get_global_id(0)] += 1;
}
