/* Rows of items that are computed together: such as agree about every branch, and such as do not. */
#include "corpus.clh"

#define X  get_global_id(0)
#define Y  get_global_id(1)
#define AT (Y * get_global_size(0) + X)

/* Rows 2 and 3 agree, rows 1 and 2 do not. */
__kernel void pairs_agree(__global const int *in, __global int *out)
{
    int sum = 0;
    if (Y & 2) {
        for (int k = 0; k < 9; k++) {
            sum += in[(AT + k) % (get_global_size(0) * get_global_size(1))] * k;
        }
    } else {
        for (int k = 0; k < 5; k++) {
            sum ^= in[(AT + 3 * k) % (get_global_size(0) * get_global_size(1))] + k;
        }
    }
    out[AT] = sum;
}

/* Some rows return before anything is written. */
__kernel void some_rows_return(__global const int *in, __global int *out, int rows)
{
    int y = (int)Y, sum = 0;
    if (y % 3 == rows) {
        return;
    }
    for (int k = 0; k < 12; k++) {
        sum += in[(size_t)k] * (y + 1) + in[X];
    }
    out[AT] = sum;
}

/* Asked twice, the second time behind a branch that all may take. */
__kernel void asked_twice(__global const int *in, __global int *out)
{
    int sum = in[AT];
    if (Y > 2) {
        sum *= 3;
        if (Y & 1) {
            for (int k = 0; k < 7; k++) {
                sum += in[k] ^ (int)Y;
            }
        }
        sum -= (int)Y;
    }
    out[AT] = sum;
}

/* A loop that turns as often as the row says. */
__kernel void rows_turn_apart(__global const int *in, __global int *out)
{
    int sum = 0;
    for (size_t k = 0; k <= Y; k++) {
        sum += in[k % 8] * (int)(X + k);
    }
    out[AT] = sum;
}

/* Between barriers: rows of the group agree in one piece and not in another. */
__kernel void between_barriers(__global const int *in, __global int *out)
{
    __local int cells[256];
    size_t l = get_local_id(1) * get_local_size(0) + get_local_id(0);
    int sum = 0;
    cells[l] = in[AT];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(1) % 3) {
        for (int k = 0; k < 6; k++) {
            sum += cells[k] * (int)get_local_id(1) + k;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    cells[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = 0; k < get_local_size(1); k++) {
        sum += cells[k * get_local_size(0) + get_local_id(0)] * (int)(get_local_id(1) + 1);
    }
    out[AT] = sum;
}
