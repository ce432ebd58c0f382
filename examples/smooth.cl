/* Makes each value the mean of itself and the values beside it. */
__kernel void smooth(__global const float *in, __global float *out, int count)
{
    int i = (int)get_global_id(0);
    if (i < count) {
        float sum = 0.0f;
        int used = 0;
        for (int k = i - 1; k <= i + 1; k++) {
            if (k >= 0 && k < count) {
                sum += in[k];
                used++;
            }
        }
        out[i] = sum / (float)used;
    }
}
