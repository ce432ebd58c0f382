// More barriers than one switch has cases for.
#define STEP                                                                                       \
    row[turn * n + i] = v;                                                                         \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    v = 3 * v + row[turn * n + (i + 1) % n] + turn;                                                \
    turn = 1 - turn;
#define FOUR(x) x x x x

kernel void many(global const int *in, global int *out, local int *row)
{
    int turn = 0, i = get_local_id(0), n = get_local_size(0), v = in[get_global_id(0)];
    FOUR(FOUR(FOUR(FOUR(STEP))))
    FOUR(STEP)
    out[get_global_id(0)] = v;
}
