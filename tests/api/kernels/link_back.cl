/* Linked with link_front.cl. What is static here belongs to this module, also when the code that
 * uses it runs in a kernel of another. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

int front_offset(int value);
int back_scale(int value);
int back_group_sum(int value, local int *scratch);
int back_subgroup_sum(int value);

extern global int front_value;
global int back_table[4] = {10, 20, 30, 40};
static global int back_counter = 5;
static constant int back_factors[2] = {3, 4};

static int helper(int value)
{
    atomic_inc((volatile global int *)&back_counter);
    return value * back_factors[value & 1];
}

int back_scale(int value)
{
    return helper(value) + front_offset(value) + front_value;
}

int back_group_sum(int value, local int *scratch)
{
    int l = (int)get_local_id(0), n = (int)get_local_size(0), sum = 0;
    scratch[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        sum += scratch[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

int back_subgroup_sum(int value)
{
    return sub_group_reduce_add(value);
}

kernel void back_read_counter(global int *out)
{
    out[0] = back_counter;
}

kernel void back_read_table(global int *out)
{
    out[get_global_id(0)] = back_table[get_global_id(0)];
}
