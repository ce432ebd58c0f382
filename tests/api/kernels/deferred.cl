/* Kernels that are built one at a time (test_spirv_deferred.c) and share variables and functions. */

global int counter = 5;
global int pattern[4] = {1, 2, 3, 4};
static global int hidden[8] = {7, 7, 7, 7, 7, 7, 7, 7};
static global ulong place = 1;
constant int table[4] = {10, 20, 30, 40};
static constant int squares[4] = {0, 1, 4, 9};

int scaled(int value)
{
    return value * table[value & 3] + pattern[value & 3];
}

kernel void write(int value)
{
    int i = (int)get_global_id(0);
    hidden[i & 7] += value + i;
    if (i == 0) {
        counter = value;
    }
}

kernel void read(global int *out)
{
    int i = (int)get_global_id(0);
    out[i] = hidden[i & 7] + counter + table[i & 3] + squares[i & 3];
}

kernel void scale(global int *out)
{
    int i = (int)get_global_id(0);
    out[i] = scaled(i);
}

kernel void remember(global int *where)
{
    if (get_global_id(0) == 0) {
        place = (ulong)where;
    }
}

kernel void recall(int value)
{
    if (get_global_id(0) == 0) {
        *(global int *)place = value;
    }
}

__attribute__((reqd_work_group_size(8, 1, 1))) kernel void group(global int *out)
{
    local int sums[8];
    int i = (int)get_local_id(0);
    sums[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[7 - i] + scaled(i);
}

kernel void by_twin(global int *out)
{
    out[get_global_id(0)] = 3;
}

kernel void call_twin(global int *out)
{
    by_twin(out);
    out[get_global_id(0)] += scaled(1);
}
