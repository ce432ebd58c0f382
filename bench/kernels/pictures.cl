/* Image processing on buffers. */

/* Smooths a gray image but keeps edges: a bilateral filter of 5x5. */
__kernel void bilateral(__global const uchar *in, __global float *out, int width, int height,
                        float factor)
{
    int x = get_global_id(0), y = get_global_id(1);
    float centre = in[y * width + x], sum = 0.0f, weights = 0.0f;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            int sx = clamp(x + dx, 0, width - 1), sy = clamp(y + dy, 0, height - 1);
            float value = in[sy * width + sx], d = value - centre;
            float w = native_exp(-(dx * dx + dy * dy) * 0.125f - d * d * factor);
            sum += w * value;
            weights += w;
        }
    }
    out[y * width + x] = sum / weights;
}

#define SORT(a, b)                                                                                 \
    do {                                                                                           \
        uchar t = min(a, b);                                                                       \
        b = max(a, b);                                                                             \
        a = t;                                                                                     \
    } while (0)

/* The median of 3x3 pixels. */
__kernel void median3(__global const uchar *in, __global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    uchar v[9];
    for (int k = 0; k < 9; k++) {
        int sx = clamp(x + k % 3 - 1, 0, width - 1), sy = clamp(y + k / 3 - 1, 0, height - 1);
        v[k] = in[sy * width + sx];
    }
    SORT(v[1], v[2]);
    SORT(v[4], v[5]);
    SORT(v[7], v[8]);
    SORT(v[0], v[1]);
    SORT(v[3], v[4]);
    SORT(v[6], v[7]);
    SORT(v[1], v[2]);
    SORT(v[4], v[5]);
    SORT(v[7], v[8]);
    SORT(v[0], v[3]);
    SORT(v[5], v[8]);
    SORT(v[4], v[7]);
    SORT(v[3], v[6]);
    SORT(v[1], v[4]);
    SORT(v[2], v[5]);
    SORT(v[4], v[7]);
    SORT(v[4], v[2]);
    SORT(v[6], v[4]);
    SORT(v[4], v[2]);
    out[y * width + x] = v[4];
}

/* Applies the map of histogram equalisation. A work-group turns the histogram into the map, by a
 * scan in local memory. */
__kernel void equalise(__global const uchar *in, __global const uint *histogram,
                       __global uchar *out, uint per_item)
{
    __local uint sums[256];
    __local uchar map[256];
    uint lid = get_local_id(0);
    sums[lid] = histogram[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 256; d <<= 1) {
        uint add = lid >= d ? sums[lid - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    map[lid] = (sums[lid] * 255u) / sums[255];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first = get_group_id(0) * 256 * per_item + lid;
    for (uint i = 0; i < per_item; i++) {
        out[first + i * 256] = map[in[first + i * 256]];
    }
}

/* Resizes an image of four channels by bilinear interpolation. */
__kernel void resize(__global const uchar4 *in, __global uchar4 *out, int width, int height,
                     float scale)
{
    int x = get_global_id(0), y = get_global_id(1);
    float fx = (x + 0.5f) * scale - 0.5f, fy = (y + 0.5f) * scale - 0.5f;
    float bx = floor(fx), by = floor(fy);
    float wx = fx - bx, wy = fy - by;
    int x0 = clamp((int)bx, 0, width - 1), x1 = clamp((int)bx + 1, 0, width - 1);
    int y0 = clamp((int)by, 0, height - 1), y1 = clamp((int)by + 1, 0, height - 1);
    float4 a = convert_float4(in[y0 * width + x0]), b = convert_float4(in[y0 * width + x1]);
    float4 c = convert_float4(in[y1 * width + x0]), d = convert_float4(in[y1 * width + x1]);
    float4 top = a + (b - a) * wx, bottom = c + (d - c) * wx;
    out[y * get_global_size(0) + x] = convert_uchar4_sat(top + (bottom - top) * wy);
}

/* Computes colours from a Bayer pattern RGGB by averages of neighbours. */
__kernel void demosaic(__global const ushort *raw, __global uchar4 *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    int l = max(x - 1, 0), r = min(x + 1, width - 1);
    int u = max(y - 1, 0) * width, d = min(y + 1, height - 1) * width, m = y * width;
    int here = raw[m + x];
    int cross = (raw[u + x] + raw[d + x] + raw[m + l] + raw[m + r]) / 4;
    int corners = (raw[u + l] + raw[u + r] + raw[d + l] + raw[d + r]) / 4;
    int sides = (raw[m + l] + raw[m + r]) / 2, ends = (raw[u + x] + raw[d + x]) / 2;
    int red, green, blue;
    if ((y & 1) == 0) {
        if ((x & 1) == 0) {
            red = here;
            green = cross;
            blue = corners;
        } else {
            red = sides;
            green = here;
            blue = ends;
        }
    } else if ((x & 1) == 0) {
        red = ends;
        green = here;
        blue = sides;
    } else {
        red = corners;
        green = cross;
        blue = here;
    }
    out[m + x] = (uchar4)(red >> 8, green >> 8, blue >> 8, 255);
}

/* Converts NV12 to RGB: a plane of Y, then a plane of U and V at half the resolution. */
__kernel void nv12_to_rgb(__global const uchar *in, __global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    __global const uchar *chroma = in + width * height + (y / 2) * width + (x & ~1);
    int c = (in[y * width + x] - 16) * 298, d = chroma[0] - 128, e = chroma[1] - 128;
    __global uchar *pixel = out + (y * width + x) * 3;
    pixel[0] = clamp((c + 409 * e + 128) >> 8, 0, 255);
    pixel[1] = clamp((c - 100 * d - 208 * e + 128) >> 8, 0, 255);
    pixel[2] = clamp((c + 516 * d + 128) >> 8, 0, 255);
}

/* Blurs rows with a kernel of 17 weights, through local memory. */
__kernel void blur_rows(__global const float *in, __global float *out, __constant float *weights,
                        int width)
{
    __local float row[128 + 16];
    int lid = get_local_id(0), x = get_global_id(0), y = get_global_id(1);
    row[lid + 8] = in[y * width + x];
    if (lid < 8) {
        row[lid] = in[y * width + max(x - 8, 0)];
        row[lid + 136] = in[y * width + min(x + 128, width - 1)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 17; k++) {
        sum += weights[k] * row[lid + k];
    }
    out[y * width + x] = sum;
}

/* Transforms blocks of 8x8 by the discrete cosine transform, with a work-group for each block. */
__kernel void dct8(__global const float *in, __global float *out, __global const float *basis,
                   int width)
{
    __local float block[8][8], half_done[8][8], c[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    int i = get_global_id(1) * width + get_global_id(0);
    c[y][x] = basis[y * 8 + x];
    block[y][x] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 8; k++) {
        sum += c[x][k] * block[y][k];
    }
    half_done[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < 8; k++) {
        sum += c[y][k] * half_done[k][x];
    }
    out[i] = sum;
}
