/* Kernels of the API tests: one for each kind of argument and attribute. */

#include "ids.cl"

kernel void scale(global float *out, global const float *in, float factor, uint count)
{
    size_t i = get_global_id(0);
    if (i < count) {
        out[i] = in[i] * factor;
    }
}

struct pair {
    int first;
    long second;
};

kernel void by_value(global long *out, struct pair pair, int4 vector, char small)
{
    out[0] = pair.first;
    out[1] = pair.second;
    out[2] = vector.x + vector.y + vector.z + vector.w;
    out[3] = small;
}

kernel void widths(global ulong *out, ulong wide, uint narrow)
{
    out[0] = wide;
    out[1] = narrow;
}

kernel void sum_group(global int *out, global const int *in, local int *scratch)
{
    local int total;
    size_t l = get_local_id(0), n = get_local_size(0);
    scratch[l] = in[get_global_id(0)];
    if (l == 0) {
        total = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t stride = n / 2; stride > 0; stride /= 2) {
        if (l < stride) {
            scratch[l] += scratch[l + stride];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        total += scratch[0];
        out[get_group_id(0)] = total;
    }
}

kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global uint *out)
{
    out[get_global_linear_id()] = (uint)get_local_linear_id();
}

constant float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};

kernel void look_up(global float *out, uint index)
{
    out[get_global_id(0)] = table[(index + get_global_id(0)) & 3];
}
