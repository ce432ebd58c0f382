/* Local memory: static and as arguments, of every type, through called functions, packed beside
 * each other. */
#include "corpus.clh"

#define LOCAL_BARRIER barrier(CLK_LOCAL_MEM_FENCE)

struct entry {
    int key;
    double value;
    short tags[3];
};

__kernel void static_scalar(__global const int *in, __global int *out)
{
    __local int sum;
    __local char flag;
    if (get_local_id(0) == 0) {
        sum = in[GID];
        flag = 3;
    }
    LOCAL_BARRIER;
    out[GID] = sum + flag + in[GID];
}

__kernel void static_arrays(__global const int *in, __global int *out)
{
    __local char bytes[130];
    __local double doubles[128];
    __local int ints[2][128];
    size_t l = get_local_id(0), n = get_local_size(0);
    bytes[l + 1] = (char)in[GID];
    doubles[l] = in[GID] * 0.5;
    ints[0][l] = in[GID];
    ints[1][n - 1 - l] = in[GID];
    LOCAL_BARRIER;
    out[GID] = bytes[n - l] + (int)doubles[(l + 1) % n] + ints[0][n - 1 - l] - ints[1][l];
}

__kernel void static_structs(__global const int *in, __global int *out)
{
    __local struct entry table[128];
    size_t l = get_local_id(0), n = get_local_size(0);
    table[l].key = in[GID];
    table[l].value = (double)l;
    for (int k = 0; k < 3; k++) {
        table[l].tags[k] = (short)(in[GID] >> k);
    }
    LOCAL_BARRIER;
    struct entry e = table[(l * 3 + 1) % n];
    __local const struct entry *p = &table[n - 1 - l];
    out[GID] = e.key + (int)e.value + p->tags[l % 3];
}

__kernel void argument_two(__global const int *in, __global int *out, __local short *a,
                           __local long *b)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    a[l] = (short)in[GID];
    b[l] = (long)in[GID] << 16;
    LOCAL_BARRIER;
    out[GID] = a[n - 1 - l] + (int)(b[(l + 1) % n] >> 14);
}

__kernel void argument_odd_size(__global const uchar *in, __global uchar *out, __local uchar *a,
                                __local uchar *b, __local float4 *c)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    a[l] = in[GID];
    b[l] = (uchar)(in[GID] + 1);
    c[l] = (float4)((float)in[GID]);
    LOCAL_BARRIER;
    out[GID] = (uchar)(a[(l + 1) % n] + b[n - 1 - l] + (uchar)c[n - 1 - l].w);
}

__kernel void argument_and_static(__global const int *in, __global int *out, __local int *a)
{
    __local int b[128];
    size_t l = get_local_id(0), n = get_local_size(0);
    a[l] = in[GID];
    b[l] = -in[GID];
    LOCAL_BARRIER;
    __local int *p = (l & 1) ? a : b;
    out[GID] = p[(l + 1) % n];
}

int take(__local const int *p, size_t at, size_t n)
{
    return p[at % n] * 2;
}

__kernel void through_function(__global const int *in, __global int *out, __local int *a)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    a[l] = in[GID];
    LOCAL_BARRIER;
    out[GID] = take(a, l + 1, n) - (n > 1 ? take(a + 1, l, n - 1) : 0);
}

__kernel void vector_alignment(__global const float *in, __global float *out)
{
    __local char shift[3];
    __local float8 wide[64];
    size_t l = get_local_id(0), n = get_local_size(0);
    shift[l % 3] = 1;
    wide[l % 64] = (float8)(in[GID]);
    wide[l % 64].s5 = (float)l;
    LOCAL_BARRIER;
    out[GID] = wide[0].s0 * 0.0f + wide[l % 64].s5 + shift[0] + (float)(n % 7);
}

__kernel void pointer_in_loop(__global const int *in, __global int *out, __local int *a)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    a[l] = in[GID];
    LOCAL_BARRIER;
    int sum = 0;
    for (__local const int *p = a + l; p < a + n; p += 2) {
        sum += *p;
    }
    out[GID] = sum;
}

__kernel void matmul(__global const float *a, __global const float *b, __global float *c)
{
    __local float ta[8][8], tb[8][8];
    size_t x = get_local_id(0), y = get_local_id(1), column = get_global_id(0),
           row = get_global_id(1);
    size_t n = get_global_size(0);
    float sum = 0.0f;
    for (size_t start = 0; start < n; start += 8) {
        ta[y][x] = a[row * n + start + x];
        tb[y][x] = b[(start + y) * n + column];
        LOCAL_BARRIER;
        for (int k = 0; k < 8; k++) {
            sum += ta[y][k] * tb[k][x];
        }
        LOCAL_BARRIER;
    }
    c[row * n + column] = sum;
}
