// The kernel of docs/user/debugging.md.
typedef struct {
    float sum;
    int count;
} total;

static float weigh(float value, int distance)
{
    float weight = 1.0f / (1 + distance);
    return value * weight;
}

kernel void stencil(global const float *in, global float *out, int radius, float scale)
{
    int i = get_global_id(0);
    total t = {0.0f, 0};
    float nearest[4] = {0};
    float2 ends = (float2)(in[i], in[i] + 100.0f);
    for (int d = 0; d <= radius; d++) {
        if (i >= d) {
            t.sum += weigh(in[i - d], d);
            t.count++;
        }
        nearest[d & 3] = t.sum;
    }
    float result = t.sum * scale + ends.x;
    out[i] = result + nearest[radius & 3];
}
