/* Barriers, local memory, private arrays, calls. */

kernel void reduce(global float *out, global const float *in, local float *scratch)
{
    int l = get_local_id(0);
    scratch[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (l < step) {
            scratch[l] += scratch[l + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        out[get_group_id(0)] = scratch[0];
    }
}

#define TILE 8
kernel void matmul(global float *c, global const float *a, global const float *b, int n)
{
    local float ta[TILE][TILE], tb[TILE][TILE];
    int x = get_global_id(0), y = get_global_id(1);
    int lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        ta[ly][lx] = a[y * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            sum += ta[ly][k] * tb[k][lx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void scan(global int *out,
                                                                 global const int *in)
{
    local int buffer[2][64];
    int l = get_local_id(0), from = 0;
    buffer[0][l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 64; step <<= 1) {
        buffer[1 - from][l] = buffer[from][l] + (l >= step ? buffer[from][l - step] : 0);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = buffer[from][l];
}

void exchange(local int *shared, int l, int n)
{
    int mine = shared[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[(l + 1) % n] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Barriers in a called function, in a loop, under branches that only look divergent. */
kernel void rotate_all(global int *out, global const int *in, local int *shared, int turns)
{
    int l = get_local_id(0), n = get_local_size(0);
    int value = in[get_global_id(0)], keep = value * 3;
    shared[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < turns; t++) {
        exchange(shared, l, n);
        if (in[get_group_id(0)] > -1000000) {
            exchange(shared, l, n);
            if (l == 0) {
                shared[0] += 1;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (in[l] == -1) {
                continue;
            }
            keep++;
        }
        keep += t;
    }
    out[get_global_id(0)] = shared[l] + keep;
}

/* The same value of a divergent-looking condition in all work-items decides about a barrier. */
kernel void shared_condition(global int *out, local int *flag, local int *data)
{
    int l = get_local_id(0), n = get_local_size(0);
    data[l] = l;
    if (l == 0) {
        *flag = get_group_id(0) & 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = flag[l - l];
    if (data[l] - l + mine) {
        data[l] = data[l] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine += data[n - 1 - l];
    }
    out[get_global_id(0)] = mine;
}

kernel void private_array(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    int table[16];
    for (int k = 0; k < 16; k++) {
        table[k] = in[(i + k) % n];
    }
    int sum = 0;
    for (int k = 0; k < 8; k++) {
        sum = sum * 3 + table[(in[i] + k) & 15];
    }
    out[i] = sum;
}

kernel void private_across_barrier(global int *out, global const int *in, local int *shared)
{
    int l = get_local_id(0), n = get_local_size(0);
    int table[5];
    for (int k = 0; k < 5; k++) {
        table[k] = in[get_global_id(0)] + k;
    }
    shared[l] = table[l % 5];
    barrier(CLK_LOCAL_MEM_FENCE);
    table[(l + 1) % 5] += shared[(l + 1) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 5; k++) {
        sum = sum * 7 + table[(k + l) % 5];
    }
    out[get_global_id(0)] = sum;
}

__attribute__((noinline)) int collatz(int v, int limit)
{
    int n = 0;
    while (v > 1 && n < limit) {
        v = (v & 1) ? 3 * v + 1 : v / 2;
        n++;
    }
    return n;
}

__attribute__((noinline)) float2 twist(float2 v, int turns)
{
    float2 history[4];
    for (int k = 0; k < 4; k++) {
        history[k] = v * (float)k;
    }
    int steps = collatz(turns, 20);
    v = history[steps & 3];
    return (float2)(v.y, -v.x);
}

kernel void calls(global float2 *out, global const int *in, int n)
{
    int i = get_global_id(0);
    float2 v = (float2)(i, in[i]);
    if (i < n && in[i] > 3) {
        v = twist(v, in[i]);
    }
    out[i] = v + (float)collatz(i, 100) + (float)get_local_id(0);
}

/* Results keep all their bits, those of signalling NaNs too. */
__attribute__((noinline)) float4 floats_of(global const int *in, int i)
{
    return as_float4((int4)(in[i], in[i] | 1, in[i] ^ 2, ~in[i])).wzyx;
}

__attribute__((noinline)) double3 doubles_of(global const int *in, int i)
{
    long high = (long)in[i] << 32;
    return as_double4((long4)(high + i, high + 1, high ^ 2, high)).zyx;
}

kernel void calls_bits(global int *floats, global long *doubles, global const int *in)
{
    int i = get_global_id(0);
    int4 f = as_int4(floats_of(in, i));
    long4 d = as_long4(doubles_of(in, i).xyzz);
    for (int k = 0; k < 4; k++) {
        floats[4 * i + k] = f[k];
        doubles[4 * i + k] = d[k];
    }
}

/* A loop with two entries; ids and private memory in it. */
__attribute__((noinline)) int two_entries(int v, int skip, global const int *in)
{
    int history[4] = {1, 2, 3, 4};
    int n = 0;
    if (skip) {
        goto middle;
    }
head:
    v = v * 3 + history[n & 3];
middle:
    history[v & 3] += v ^ (int)get_local_id(0);
    v += in[(get_local_id(1) + n) & 3];
    if (++n < (v & 7)) {
        goto head;
    }
    return v + history[skip & 3];
}

kernel void calls_irreducible(global int *out, global const int *in, int n)
{
    int i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    int x = in[i];
    if (i < n && (x & 4)) {
        x = two_entries(x, x & 3, in);
    }
    out[i] = x * 5 + two_entries(i, 0, in);
}

struct pair {
    int a;
    float b;
};
kernel void by_value(global float *out, struct pair p, float4 q)
{
    int i = get_global_id(0);
    if (i & 1) {
        p.a += i;
    }
    out[i] = p.a * p.b + q.z;
}
