// More barriers than one switch has cases for, in a kernel that keeps its one body and a switch that
// leads into it: items may have returned before.
#define STEP                                                                                       \
    row[turn * n + i] = v;                                                                         \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    v = 3 * v + row[turn * n + (i + 1) % n] + turn;                                                \
    turn = 1 - turn;
#define FOUR(x) x x x x

kernel void many_after_return(global const int *in, global int *out, local int *row, int gone)
{
    int turn = 0, i = get_local_id(0), n = get_local_size(0), v = in[get_global_id(0)];
    if (i == gone) {
        return;
    }
    FOUR(FOUR(FOUR(FOUR(STEP))))
    FOUR(STEP)
    out[get_global_id(0)] = v;
}
