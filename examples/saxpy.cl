/* Computes y = a x + y with one work-item per element. The last group may extend past the end. */
__kernel void saxpy(float a, __global const float *x, __global float *y, uint count)
{
    size_t i = get_global_id(0);
    if (i < count) {
        y[i] = fma(a, x[i], y[i]);
    }
}
