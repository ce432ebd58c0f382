/* Linked with link_back.cl: each needs functions and variables of the other. */
int back_scale(int value);
int back_group_sum(int value, local int *scratch);
int back_subgroup_sum(int value);
int front_offset(int value);

extern global int back_table[4];
global int front_value = 1000;

int front_offset(int value)
{
    return value + 7;
}

kernel void front_use(global int *out)
{
    int i = (int)get_global_id(0);
    out[i] = back_scale(i) + back_table[i & 3];
}

kernel void front_write_table(int value)
{
    back_table[get_global_id(0) & 3] = value + (int)get_global_id(0);
}

kernel void front_group(global int *out, local int *scratch)
{
    int i = (int)get_global_id(0);
    out[i] = back_group_sum(i, scratch);
}

kernel void front_subgroup(global int *out)
{
    int i = (int)get_global_id(0);
    out[i] = back_subgroup_sum(i);
}
