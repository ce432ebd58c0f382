/* Kernels that access memory near null, each kind of access. */
struct node {
    int number;
    global int *values;
    global struct node *next;
};

kernel void reads(global const int *p, global int *out, ulong first)
{
    size_t i = get_global_id(0);
    out[i] = p[first + i] + 1;
}

kernel void writes(global int *p, global int *out)
{
    size_t i = get_global_id(0);
    p[i] = 7;
    p[100 * i + 3] = 9;
    out[i] = p[i] + 2;
}

kernel void looks(global const int *p, global ulong *out)
{
    size_t i = get_global_id(0);
    out[i] = (ulong)p + (p == 0 ? 10 + (uint)p[i] : 1000);
}

kernel void members(global const struct node *node, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = node->values[i] + node->next->next->number + node->next->values[3 * i] + 3;
    node->next->values[i] = 5;
}

kernel void atomics(global int *p, global int *out)
{
    size_t i = get_global_id(0);
    atomic_inc(p + i);
    atomic_cmpxchg(p + 2 * i, 0, 1);
    out[i] = p[i] + 4;
}

kernel void vectors(global const int *p, global short *q, global int *out)
{
    size_t i = get_global_id(0);
    int4 v = vload4(i, p) + ((global const int4 *)p)[i];
    vstore3((short3)(1, 2, 3), i, q);
    vstore_half((float)i, i, (global half *)q);
    out[i] = v.x + v.y + v.z + v.w + (int)vload_half(i, (global const half *)q) + 5;
}

kernel void copies(global const int *p, global int *out, local int *rows)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    event_t done = async_work_group_copy(rows, p, n, 0);
    wait_group_events(1, &done);
    out[get_global_id(0)] = rows[i] + 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    done = async_work_group_copy((global int *)p, rows, n, done);
    wait_group_events(1, &done);
}

/* `p` moves in a loop; which of two pointers is read differs between items. */
kernel void walks(global const int *p, global const int *q, global int *out, uint count)
{
    size_t i = get_global_id(0);
    int sum = 7;
    for (global const int *at = p + i; at != p + i + count; at++) {
        sum += *at;
    }
    global const int *chosen = i & 1 ? p : q;
    out[i] = sum + chosen[i];
}

kernel void wild(ulong address, global int *out)
{
    *(global int *)(address + 4 * get_global_id(0)) = 1;
    out[get_global_id(0)] = 1;
}

/* Tells nothing: no item accesses the pointer. */
kernel void keeps_away(global const int *p, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = p ? p[i] : 8;
}
