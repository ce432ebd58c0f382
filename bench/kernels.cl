/* Kernels of the benchmark. The sizes are in table.c. */
#define GID ((size_t)get_global_id(0))

__kernel void empty(void) {}

__kernel void saxpy(float a, __global const float *x, __global float *y)
{
    y[GID] = fma(a, x[GID], y[GID]);
}

__kernel void triad(__global float *out, __global const float *a, __global const float *b, float s)
{
    out[GID] = a[GID] + s * b[GID];
}

__kernel void sgemm_naive(__global const float *a, __global const float *b, __global float *c,
                          uint n)
{
    size_t column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (uint k = 0; k < n; k++) {
        sum = fma(a[row * n + k], b[k * n + column], sum);
    }
    c[row * n + column] = sum;
}

#define TILE 16

__kernel void sgemm_tiled(__global const float *a, __global const float *b, __global float *c,
                          uint n)
{
    __local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    size_t column = get_global_id(0), row = get_global_id(1), x = get_local_id(0),
           y = get_local_id(1);
    float sum = 0.0f;
    for (uint start = 0; start < n; start += TILE) {
        tile_a[y][x] = a[row * n + start + x];
        tile_b[y][x] = b[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++) {
            sum = fma(tile_a[y][k], tile_b[k][x], sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void nbody(__global const float4 *from, __global float4 *to, uint count)
{
    float4 body = from[GID];
    float3 pull = (float3)(0.0f);
    for (uint j = 0; j < count; j++) {
        float3 d = from[j].xyz - body.xyz;
        float inverse = 1.0f / sqrt(fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, 1e-3f))));
        pull = fma((float3)(from[j].w * inverse * inverse * inverse), d, pull);
    }
    to[GID] = (float4)(pull, body.w);
}

__kernel void mandelbrot(__global uint *out, uint width, float left, float top, float step_size,
                         uint limit)
{
    uint column = (uint)get_global_id(0), row = (uint)get_global_id(1);
    float cx = fma((float)column, step_size, left), cy = fma((float)row, step_size, top), x = 0.0f,
          y = 0.0f;
    uint n = 0;
    while (n < limit && fma(x, x, y * y) <= 4.0f) {
        float next = fma(x, x, fma(-y, y, cx));
        y = fma(2.0f * x, y, cy);
        x = next;
        n++;
    }
    out[row * width + column] = n;
}

__kernel void black_scholes(__global const float *random, __global float *call, __global float *put)
{
    float r = random[GID], s = 10.0f + 90.0f * r, k = 10.0f + 90.0f * (1.0f - r),
          t = 1.0f + 9.0f * r;
    float rate = 0.02f, sigma = 0.3f, root = sqrt(t);
    float d1 = (log(s / k) + (rate + sigma * sigma * 0.5f) * t) / (sigma * root),
          d2 = d1 - sigma * root;
    float n1 = 0.5f * erfc(-d1 * 0.70710678f), n2 = 0.5f * erfc(-d2 * 0.70710678f),
          discount = k * exp(-rate * t);
    call[GID] = s * n1 - discount * n2;
    put[GID] = discount * (1.0f - n2) - s * (1.0f - n1);
}

__kernel void sin_pow(__global const float *x, __global float *y)
{
    y[GID] = sin(x[GID] * 10.0f) + pow(x[GID] + 1.0f, 1.5f);
}

__kernel void reduce_tree(__global const float *in, __global float *out)
{
    __local float shared[256];
    size_t l = get_local_id(0);
    shared[l] = in[GID];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = 128; width > 0; width /= 2) {
        if (l < width) {
            shared[l] += shared[l + width];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        out[get_group_id(0)] = shared[0];
    }
}

__kernel void histogram(__global const uint *in, __global uint *out)
{
    __local uint bins[256];
    size_t l = get_local_id(0);
    bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; k++) {
        atomic_inc(&bins[(in[GID * 16 + k] >> 8) & 255]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&out[l], bins[l]);
}

__kernel void spmv(__global const uint *columns, __global const float *values,
                   __global const float *x, __global float *y, uint n)
{
    float sum = 0.0f;
    uint first = (uint)GID * 12, count = 4 + (uint)GID % 9;
    for (uint k = first; k < first + count; k++) {
        sum = fma(values[k], x[columns[k] % n], sum);
    }
    y[GID] = sum;
}

__kernel void transpose(__global const float *in, __global float *out, uint n)
{
    out[(size_t)get_global_id(0) * n + get_global_id(1)] =
        in[(size_t)get_global_id(1) * n + get_global_id(0)];
}
