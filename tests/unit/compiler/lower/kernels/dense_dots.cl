/* Dot products of vectors that lie in memory as rows. */

kernel void dots(global const float4 *a, global const float *b, global const half *h,
                 global float *out, int count)
{
    int i = (int)get_global_id(0);
    if (i < count) {
        float4 y = vload4(i, b);
        out[2 * i] = dot(a[i], y);
        out[2 * i + 1] = dot(vload_half4(i, h), y);
    }
}
