/* Generic pointers and program-scope variables (OpenCL C 3.0 with its optional features). */
#include "corpus.clh"

__attribute__((noinline)) int sum_of(const int *values, int count)
{
    int sum = 0;
    for (int k = 0; k < count; k++) {
        sum += values[k] * (k + 1);
    }
    return sum;
}

__kernel void generic_spaces(__global const int *in, __global int *out)
{
    __local int shared[4];
    size_t i = GID;
    int mine[4];
    for (int k = 0; k < 4; k++) {
        mine[k] = in[i] + k;
    }
    if (get_local_id(0) == 0) {
        for (int k = 0; k < 4; k++) {
            shared[k] = k * 11;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[3 * i] = sum_of(mine, 4);
    out[3 * i + 1] = sum_of(shared, 4);
    out[3 * i + 2] = sum_of(in, 3);
}

__kernel void generic_select(__global int *in, __global int *out)
{
    size_t i = GID;
    int mine[2] = {(int)i, -(int)i};
    int *here = mine, *there = in + i;
    int *p = (i % 3) ? here : there;
    p[0] += 5;
    out[i] = p[0] * 2 + mine[1];
}

__attribute__((noinline)) void bump(int *value, int by)
{
    if (by > 0) {
        *value += by;
    }
}

__kernel void generic_write(__global int *data, __global const int *by)
{
    size_t i = GID;
    int mine = 1;
    bump(&mine, by[i]);
    bump(data + i, by[i] * mine);
}

__kernel void generic_vectors(__global const float *in, __global float *out)
{
    size_t i = GID;
    float mine[8];
    vstore4((float4)(1.0f, 2.0f, 3.0f, 4.0f), 0, mine);
    vstore4(vload4(i, in), 1, mine);
    float4 v = vload4(1, mine) + vload4(0, mine).wzyx;
    vstore4(v, i, out);
}
