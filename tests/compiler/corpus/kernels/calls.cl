/* Functions that are not inlined: chains, every kind of argument and result, calls under masks and
 * in loops. */
#include "corpus.clh"

#define OUTLINE __attribute__((noinline))

struct pair {
    int a;
    float b;
};

OUTLINE int add_three(int a, int b, int c)
{
    return a + b * 2 + c * 3;
}

OUTLINE int chain3(int x)
{
    return x < 0 ? -x : x + 1;
}

OUTLINE int chain2(int x)
{
    return chain3(x * 3) + chain3(x - 100);
}

OUTLINE int chain1(int x, int y)
{
    return chain2(x) - chain2(y);
}

OUTLINE float4 rotate4(float4 v, float by)
{
    return v.yzwx * by + v;
}

OUTLINE struct pair make_pair(int a, float b)
{
    struct pair p;
    p.a = a * 2;
    p.b = b + 0.5f;
    return p;
}

OUTLINE void store_pair(struct pair p, __global float *out, size_t at)
{
    out[at] = (float)p.a + p.b;
}

OUTLINE int first_set(uint bits)
{
    for (int k = 0; k < 32; k++) {
        if (bits & (1u << k)) {
            return k;
        }
    }
    return -1;
}

OUTLINE uint collatz(uint n)
{
    uint steps = 0;
    while (n > 1 && steps < 1000) {
        n = (n & 1) ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

OUTLINE void swap_private(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

OUTLINE int sum_local(__local const int *values, uint count)
{
    int sum = 0;
    for (uint k = 0; k < count; k++) {
        sum += values[k];
    }
    return sum;
}

OUTLINE int uniform_only(int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++) {
        sum += k * k;
    }
    return sum;
}

OUTLINE void maybe_store(__global int *out, size_t at, int value)
{
    if (value % 3 == 0) {
        return;
    }
    out[at] = value;
}

OUTLINE double wide_args(char a, short b, long c, float d, double e, uchar f)
{
    return (double)a + (double)b * 2 + (double)c * 3 + (double)d + e - (double)f;
}

OUTLINE bool is_even(int x)
{
    return (x & 1) == 0;
}

__kernel void call_simple(__global const int *a, __global const int *b, __global int *out)
{
    size_t i = GID;
    out[i] = add_three(a[i], b[i], (int)i);
}

__kernel void call_chain(__global const int *a, __global const int *b, __global int *out)
{
    size_t i = GID;
    out[i] = chain1(a[i], b[i]);
}

__kernel void call_divergent(__global const int *a, __global int *out)
{
    size_t i = GID;
    int result = 7;
    if (a[i] & 1) {
        result = chain2(a[i]);
    } else if (a[i] & 2) {
        result = add_three(a[i], 1, 2);
    }
    out[i] = result;
}

__kernel void call_vector(__global const float4 *a, __global const float *by, __global float4 *out)
{
    size_t i = GID;
    out[i] = rotate4(rotate4(a[i], by[i]), 2.0f);
}

__kernel void call_struct(__global const int *a, __global const float *b, __global float *out)
{
    size_t i = GID;
    struct pair p = make_pair(a[i], b[i]);
    p.a += 1;
    store_pair(p, out, i);
}

__kernel void call_early_return(__global const uint *a, __global int *out)
{
    size_t i = GID;
    out[i] = first_set(a[i] & (a[i] >> 3));
}

__kernel void call_loop(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    out[i] = collatz(a[i]);
}

__kernel void call_in_loop(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint sum = 0;
    for (uint k = 0; k < (a[i] & 15); k++) {
        sum += collatz(a[i] + k);
    }
    out[i] = sum;
}

__kernel void call_pointer(__global const int *a, __global int *out)
{
    size_t i = GID;
    int x = a[i], y = (int)i, z = 3;
    if (x > y) {
        swap_private(&x, &y);
    }
    swap_private(&y, &z);
    out[i] = x + 10 * y + 100 * z;
}

__kernel void call_array(__global const int *a, __global int *out)
{
    size_t i = GID;
    int values[5] = {a[i], 4, a[i] >> 3, 2, 1};
    for (int r = 0; r < 4; r++) {
        for (int k = 0; k < 4; k++) {
            if (values[k] > values[k + 1]) {
                swap_private(values + k, values + k + 1);
            }
        }
    }
    out[i] = values[0] + 3 * values[2] + 7 * values[4];
}

__kernel void call_local(__global const int *a, __global int *out)
{
    __local int shared[128];
    size_t l = get_local_id(0), n = get_local_size(0);
    shared[l] = a[GID];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[GID] = sum_local(shared, (uint)(l + 1)) - sum_local(shared, (uint)n);
}

__kernel void call_uniform(__global int *out, int n)
{
    size_t i = GID;
    out[i] = uniform_only(n) + (int)i;
}

__kernel void call_masked_store(__global const int *a, __global int *out)
{
    size_t i = GID;
    if (a[i] > 0) {
        maybe_store(out, i, a[i]);
    } else {
        maybe_store(out, i, (int)i);
    }
}

__kernel void call_wide_args(__global const int *a, __global const float *b, __global double *out)
{
    size_t i = GID;
    out[i] =
        wide_args((char)a[i], (short)a[i], (long)a[i] << 20, b[i], (double)b[i] * 0.5, (uchar)a[i]);
}

__kernel void call_bool(__global const int *a, __global int *out)
{
    size_t i = GID;
    out[i] = is_even(a[i]) ? 1 : is_even(a[i] >> 1) ? 2 : 3;
}

__kernel void called_kernel(__global int *out, int value)
{
    out[GID] += value;
}

__kernel void call_kernel(__global int *out)
{
    called_kernel(out, 5);
    called_kernel(out, 37);
}
