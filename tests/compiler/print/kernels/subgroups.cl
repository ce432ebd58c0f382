kernel __attribute__((intel_reqd_sub_group_size(8))) void subgroups(global const int *in,
                                                                    global int *out)
{
    int i = (int)get_global_id(0), lane = (int)get_sub_group_local_id();
    out[i] = 0;
    if (in[i] & 1) {
        printf("%d lane %d\n", i, lane);
    }
    for (int k = 0; k < lane % 3; k++) {
        printf("%d turn %d\n", i, k);
    }
}
