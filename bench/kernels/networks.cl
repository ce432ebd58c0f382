/* Layers of neural networks. */

/* Computes the softmax of each row. A work-group handles one row. */
__kernel void softmax_rows(__global const float *in, __global float *out, int columns)
{
    __local float scratch[256];
    int lid = get_local_id(0), size = get_local_size(0);
    __global const float *row = in + get_group_id(0) * columns;
    __global float *result = out + get_group_id(0) * columns;

    float largest = -INFINITY;
    for (int i = lid; i < columns; i += size) {
        largest = fmax(largest, row[i]);
    }
    scratch[lid] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s >>= 1) {
        if (lid < s) {
            scratch[lid] = fmax(scratch[lid], scratch[lid + s]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    largest = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (int i = lid; i < columns; i += size) {
        float e = exp(row[i] - largest);
        result[i] = e;
        sum += e;
    }
    scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s >>= 1) {
        if (lid < s) {
            scratch[lid] += scratch[lid + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float scale = 1.0f / scratch[0];
    for (int i = lid; i < columns; i += size) {
        result[i] *= scale;
    }
}

/* Normalises each row to mean 0 and variance 1, then applies a scale and an offset per column. */
__kernel void layer_norm(__global const float *in, __global const float *gamma,
                         __global const float *beta, __global float *out, int columns, float eps)
{
    __local float sums[128], squares[128];
    int lid = get_local_id(0), size = get_local_size(0);
    size_t base = (size_t)get_group_id(0) * columns;
    float sum = 0.0f, square = 0.0f;
    for (int i = lid; i < columns; i += size) {
        float x = in[base + i];
        sum += x;
        square += x * x;
    }
    sums[lid] = sum;
    squares[lid] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s /= 2) {
        if (lid < s) {
            sums[lid] += sums[lid + s];
            squares[lid] += squares[lid + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float mean = sums[0] / columns;
    float variance = squares[0] / columns - mean * mean;
    float factor = rsqrt(variance + eps);
    for (int i = lid; i < columns; i += size) {
        out[base + i] = (in[base + i] - mean) * factor * gamma[i] + beta[i];
    }
}

#define HEAD 64

/* Computes attention for one query per work-group, with one item per element of the head. */
__kernel void attention(__global const float *q, __global const float *k, __global const float *v,
                        __global float *out, int keys)
{
    __local float query[HEAD], scores[512], scratch[HEAD];
    int lid = get_local_id(0);
    size_t row = get_group_id(0);
    query[lid] = q[row * HEAD + lid] * 0.125f;
    barrier(CLK_LOCAL_MEM_FENCE);

    float largest = -INFINITY;
    for (int j = lid; j < keys; j += HEAD) {
        float dot_product = 0.0f;
        for (int d = 0; d < HEAD; d++) {
            dot_product += query[d] * k[j * HEAD + d];
        }
        scores[j] = dot_product;
        largest = fmax(largest, dot_product);
    }
    scratch[lid] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = HEAD / 2; s > 0; s >>= 1) {
        if (lid < s) {
            scratch[lid] = fmax(scratch[lid], scratch[lid + s]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    largest = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (int j = lid; j < keys; j += HEAD) {
        float e = exp(scores[j] - largest);
        scores[j] = e;
        sum += e;
    }
    scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = HEAD / 2; s > 0; s >>= 1) {
        if (lid < s) {
            scratch[lid] += scratch[lid + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float total = scratch[0], result = 0.0f;
    for (int j = 0; j < keys; j++) {
        result += scores[j] * v[j * HEAD + lid];
    }
    out[row * HEAD + lid] = result / total;
}

/* A 3x3 convolution with zero padding: one item per output pixel and output channel. */
__kernel void conv2d(__global const float *in, __global const float *weights, __global float *out,
                     int width, int height, int channels)
{
    int x = get_global_id(0), y = get_global_id(1), o = get_global_id(2);
    float sum = 0.0f;
    for (int c = 0; c < channels; c++) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int sx = x + dx, sy = y + dy;
                if (sx >= 0 && sx < width && sy >= 0 && sy < height) {
                    sum += in[(c * height + sy) * width + sx] *
                           weights[((o * channels + c) * 3 + dy + 1) * 3 + dx + 1];
                }
            }
        }
    }
    out[(o * height + y) * width + x] = fmax(sum, 0.0f);
}

/* A 3x3x3 convolution of a volume. Coordinates outside are clamped to the border. */
__kernel void conv3d(__global const float *in, __constant float *weights, __global float *out,
                     int n)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    float sum = 0.0f;
    for (int dz = -1; dz <= 1; dz++) {
        int cz = clamp(z + dz, 0, n - 1);
        for (int dy = -1; dy <= 1; dy++) {
            int cy = clamp(y + dy, 0, n - 1);
            for (int dx = -1; dx <= 1; dx++) {
                int cx = clamp(x + dx, 0, n - 1);
                sum = mad(in[(cz * n + cy) * n + cx], weights[((dz + 1) * 3 + dy + 1) * 3 + dx + 1],
                          sum);
            }
        }
    }
    out[(z * n + y) * n + x] = sum;
}

/* Max pooling with a window of 3x3 and a stride of 2. */
__kernel void max_pool(__global const float *in, __global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), c = get_global_id(2);
    int out_width = get_global_size(0), out_height = get_global_size(1);
    float best = -INFINITY;
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            int sx = 2 * x + dx, sy = 2 * y + dy;
            if (sx < width && sy < height) {
                best = fmax(best, in[(c * height + sy) * width + sx]);
            }
        }
    }
    out[(c * out_height + y) * out_width + x] = best;
}

/* y = A x. A work-group of 64 computes one element. */
__kernel void gemv_rows(__global const float *a, __global const float *x, __global float *y,
                        int columns)
{
    __local float partial[64];
    int lid = get_local_id(0), row = get_group_id(0);
    float sum = 0.0f;
    for (int i = lid; i < columns; i += get_local_size(0)) {
        sum += a[(size_t)row * columns + i] * x[i];
    }
    partial[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (lid < s) {
            partial[lid] += partial[lid + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        y[row] = partial[0];
    }
}

/* y = A x with one item per row. */
__kernel void gemv_item(__global const float *a, __global const float *x, __global float *y,
                        int columns)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int i = 0; i < columns; i++) {
        sum += a[(size_t)row * columns + i] * x[i];
    }
    y[row] = sum;
}

/* y = transposed A times x. */
__kernel void gemv_columns(__global const float *a, __global const float *x, __global float *y,
                           int rows, int columns)
{
    int column = get_global_id(0);
    float sum = 0.0f;
    for (int i = 0; i < rows; i++) {
        sum += a[(size_t)i * columns + column] * x[i];
    }
    y[column] = sum;
}

/* y = A x, where A consists of 16-bit floats. */
__kernel void gemv_half(__global const half *a, __global const float *x, __global float *y,
                        int columns)
{
    __local float partial[64];
    int lid = get_local_id(0), row = get_group_id(0);
    float sum = 0.0f;
    for (int i = lid * 4; i < columns; i += get_local_size(0) * 4) {
        float4 values = vload_half4(0, a + (size_t)row * columns + i);
        sum += dot(values, vload4(0, x + i));
    }
    partial[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (lid < s) {
            partial[lid] += partial[lid + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        y[row] = partial[0];
    }
}

/* C = A times transposed B for bytes with signs, with sums of 32 bits. */
__kernel void gemm_int8(__global const char4 *a, __global const char4 *b, __global int *c, int n,
                        int quads)
{
    int column = get_global_id(0), row = get_global_id(1);
    int sum = 0;
    for (int i = 0; i < quads; i++) {
        char4 x = a[row * quads + i], y = b[column * quads + i];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    c[row * n + column] = sum;
}

/* The activation GELU in its form with tanh. */
__kernel void gelu(__global const float *in, __global float *out, float range)
{
    size_t i = get_global_id(0);
    float x = (in[i] - 0.5f) * range;
    out[i] = 0.5f * x * (1.0f + tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
}
