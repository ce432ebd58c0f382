/* Kernels whose first code lacks what most launches do not need (test_spirv_restricted.c). */

static global int total;

/* Each item knows its place and its group's size. */
kernel void places(global ulong *out)
{
    size_t i = get_global_id(0) - get_global_offset(0);
    out[i] = get_global_id(0) * 100 + get_local_size(0);
}

/* The launcher may choose other groups. */
kernel void thirds(global int *out)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    out[y * get_global_size(0) + x] = (int)(x * 1000 + y) / 3;
}

kernel void reversed(global int *out, local int *items)
{
    uint i = (uint)get_local_id(0), last = (uint)get_local_size(0) - 1;
    items[i] = (int)get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = items[last - i];
}

/* All code of the kernel uses the module's one variable. */
kernel void count(global int *out)
{
    out[get_global_id(0)] = (int)get_local_id(0);
    atomic_add(&total, 1);
}

kernel void counted(global int *out)
{
    if (get_global_id(0) == 0) {
        *out = total;
    }
}

/* A chunk whose lanes disagree starts again with masks. */
kernel void bounded(global int *out, int n)
{
    int i = (int)get_global_id(0);
    if (i < n) {
        out[i] = i * 7 + (int)get_local_size(0);
    }
}

__attribute__((noinline)) static int seventh(int value)
{
    return value / 7 + value % 5;
}

kernel void calls(global int *out)
{
    int i = (int)get_global_id(0);
    out[i] = seventh(i) + seventh(i + 1) + (int)get_local_size(0);
}

/* Fewer and fewer items of the group add, which are not whole chunks in the end. */
kernel void sums(global int *out, local int *items)
{
    uint i = (uint)get_local_id(0);
    items[i] = (int)get_global_id(0);
    for (uint left = (uint)get_local_size(0) / 2; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < left) {
            items[i] += items[i + left];
        }
    }
    if (i == 0) {
        out[get_group_id(0)] = items[0];
    }
}
