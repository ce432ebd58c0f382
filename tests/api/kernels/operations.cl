/* Kernels whose operations are counted by hand (test_metric_operations.c). */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* 1 + 1 + 2 operations on floats of 32 bits; reads 4 bytes, writes 4 */
kernel void single(global float *data, float a)
{
    size_t i = get_global_id(0);
    float v = data[i];
    v = v * a;
    v = v + 1;
    data[i] = fma(v, a, v);
}

/* 3 on floats of 64 bits, one of them a root; reads 8 bytes, writes 8 */
kernel void wide(global double *data, double a)
{
    size_t i = get_global_id(0);
    data[i] = sqrt(data[i] / a) - a;
}

/* 2 on floats of 16 bits; reads 2 bytes, writes 2 */
kernel void narrow(global half *data, float a)
{
    size_t i = get_global_id(0);
    half v = data[i];
    data[i] = v * v - v;
}

/* 4 products of components and a dot product of 7; reads 16 bytes, writes 4 */
kernel void vectors(global const float4 *data, global float *out, float a)
{
    size_t i = get_global_id(0);
    float4 v = data[i];
    float4 w = v * v.yxwz;
    out[i] = dot(v, w);
}

/* Items i with i % 3 == 0: 1; each item: i % 4 products. */
kernel void divergent(global float *data)
{
    size_t i = get_global_id(0);
    float v = data[i];
    if (i % 3 == 0) { /* the store keeps producers from computing it for all items */
        data[i + get_global_size(0)] = v + 2;
    }
    for (uint k = 0; k < (i & 3); k++) {
        v = v * v;
    }
    data[i] = v;
}

/* Each item: 1; items that are not at the border: 2 more */
kernel void border(global const float *data, global float *out)
{
    size_t i = get_global_id(0);
    float v = data[i] * 3;
    if (i > 0 && i < get_global_size(0) - 1) {
        v = data[i - 1] + v + data[i + 1];
    }
    out[i] = v;
}

/* Reads 4 bytes in each of the ways, and writes 4 side by side: the index is read side by side. */
kernel void places(global const uint *data, global const uint *index, global uint *out)
{
    size_t i = get_global_id(0);
    out[i] = data[7] ^ data[3 * i] ^ data[index[i]];
}

/* Writes 4 bytes of local memory, reads 4 and writes 4, with two barriers that are needed. */
kernel void meet(global uint *out, local uint *turn)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    turn[i] = out[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint other = turn[n - 1 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    turn[i] = other;
    out[get_global_id(0)] = other;
}

/* 64 fused operations of 2, and reads 64 times 8 bytes, in rows and columns */
kernel void product(global const float *a, global const float *b, global float *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
    float sum = 0;
    for (uint k = 0; k < 64; k++) {
        sum = fma(a[y * 64 + k], b[k * width + x], sum);
    }
    out[y * width + x] = sum;
}

kernel void atomics(global uint *count)
{
    atomic_inc(count);
    atomic_max(count + 1, (uint)get_global_id(0));
}
