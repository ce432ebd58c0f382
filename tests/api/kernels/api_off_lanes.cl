#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable

// Lanes from 8 on read what those below hold, which are off there: some number, but a number, of
// which no bit is left.
__attribute__((intel_reqd_sub_group_size(16))) kernel void
off_lanes(global const uint *a, global const uint *none, global uint *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    uint lane = get_sub_group_local_id();
    if (lane >= 8) {
        uint v;
        if (lane & 2) {
            v = a[i] * 3;
        } else {
            v = a[i] + 5;
        }
        out[i] = none[i] & sub_group_shuffle_xor(v, 8);
        out[n + i] = none[i] & sub_group_shuffle(v, lane & 7);
        out[2 * n + i] = none[i] & sub_group_shuffle(v, none[i]);
    }
}
