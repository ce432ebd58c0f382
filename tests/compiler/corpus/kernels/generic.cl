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

/* Pointers of items in a row. The first items of a group are off, and their pointers lie before the array. */
__kernel void generic_rows(__global int *in, __global int *out)
{
    __local int shared[128];
    size_t i = GID, l = get_local_id(0);
    shared[l] = in[i] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    int found = 0;
    if (l >= 3) {
        int *p = shared + l - 3;
        __local int *q = to_local(p);
        found = (q ? *q : -1) + (to_global(p) ? 1000000 : 0) + (to_private(p) ? 2000000 : 0);
    }
    int *g = in + i;
    __global int *r = to_global(g);
    out[2 * i] = found;
    out[2 * i + 1] = (r ? *r : -1) + (to_local(g) ? 1000000 : 0) + (to_private(g) ? 2000000 : 0);
}

/* Each item's pointer leads to another kind of memory. */
__kernel void generic_kinds(__global int *in, __global int *out)
{
    __local int shared[128];
    size_t i = GID, l = get_local_id(0);
    int mine = (int)i;
    shared[l] = 7 * (int)i;
    int *of_group = shared + l, *of_all = in + i, *of_item = &mine;
    int *p = i % 3 == 0 ? of_item : i % 3 == 1 ? of_group : of_all;
    __global int *g = to_global(p);
    __local int *s = to_local(p);
    __private int *m = to_private(p);
    out[i] = (g ? *g : 0) + (s ? *s : 0) + (m ? *m : 0) + (g ? 1 : 0) + (s ? 2 : 0) + (m ? 4 : 0);
}

__kernel void generic_fences(__global int *in, __global int *out)
{
    __local int shared[128];
    size_t i = GID, l = get_local_id(0);
    shared[l] = in[i];
    int *of_group = shared + l, *of_all = in + i;
    int *mixed = in[i] & 1 ? of_all : of_group;
    out[3 * i] = (int)get_fence(of_group);
    out[3 * i + 1] = (int)get_fence(of_all);
    out[3 * i + 2] = (int)get_fence(mixed) + *mixed;
}
