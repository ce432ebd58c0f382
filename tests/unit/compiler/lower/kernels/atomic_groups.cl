/* Atomics of an item on local memory: several whose results are unused, and single ones. `in` has
 * two words for each item. The first is a number below 40, which is different for all items of a group in `reads`. */

#define ITEMS 40
#define LID   get_local_id(0)

/* Adds up records of four words. */
kernel void records(global const uint *in, global uint *out)
{
    local uint sums[ITEMS * 4];
    uint key = in[2 * get_global_id(0)], value = in[2 * get_global_id(0) + 1];
    for (uint i = 0; i < 4; i++) {
        sums[LID * 4 + i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sums[key * 4], value);
    atomic_sub(&sums[key * 4 + 1], value >> 8);
    atomic_inc(&sums[key * 4 + 2]);
    atomic_xor(&sums[key * 4 + 3], value * 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++) {
        out[get_group_id(0) * ITEMS * 4 + i * ITEMS + LID] = sums[i * ITEMS + LID];
    }
}

/* Only some items add, to more words than one group has. Words lie before and far behind the first
 * one, and one belongs to the neighbour. */
kernel void some(global const uint *in, global uint *out)
{
    local uint sums[ITEMS * 4];
    uint key = in[2 * get_global_id(0)], value = in[2 * get_global_id(0) + 1];
    for (uint i = 0; i < 4; i++) {
        sums[LID * 4 + i] = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (value & 4) {
        atomic_add(&sums[key + ITEMS], value);
        atomic_inc(&sums[key]);
        atomic_dec(&sums[key + ITEMS * 2]);
        atomic_or(&sums[key + ITEMS * 3], value);
        atomic_add(&sums[LID ^ 1], 7);
        atomic_add(&sums[key + ITEMS], value >> 1);
        atomic_add(&sums[(key ^ 1) + ITEMS], 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++) {
        out[get_group_id(0) * ITEMS * 4 + i * ITEMS + LID] = sums[i * ITEMS + LID];
    }
}

/* The result depends on the order of operations: each item executes its own in turn. */
kernel void orders(global const uint *in, global uint *out)
{
    local uint cells[ITEMS * 4];
    uint key = in[2 * get_global_id(0)], value = in[2 * get_global_id(0) + 1];
    for (uint i = 0; i < 4; i++) {
        cells[LID * 4 + i] = i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&cells[key], value);
    atomic_xor(&cells[key], value >> 3);
    atomic_max(&cells[key], value >> 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++) {
        out[get_group_id(0) * ITEMS * 4 + i * ITEMS + LID] = cells[i * ITEMS + LID];
    }
}

/* The result of one operation is used, and only some items execute the other. */
kernel void singles(global const uint *in, global uint *out)
{
    local uint cells[ITEMS * 4];
    uint key = in[2 * get_global_id(0)], value = in[2 * get_global_id(0) + 1];
    for (uint i = 0; i < 4; i++) {
        cells[LID * 4 + i] = i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = atomic_add(&cells[key], value);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (value & 4) {
        atomic_xor(&cells[key + ITEMS], value >> 3);
    }
    cells[LID + ITEMS * 2] = before;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++) {
        out[get_group_id(0) * ITEMS * 4 + i * ITEMS + LID] = cells[i * ITEMS + LID];
    }
}

/* Between its atomics an item reads and writes the words that they change. */
kernel void reads(global const uint *in, global uint *out)
{
    local uint cells[ITEMS * 4];
    uint key = in[2 * get_global_id(0)], value = in[2 * get_global_id(0) + 1];
    for (uint i = 0; i < 4; i++) {
        cells[LID * 4 + i] = i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&cells[key], value);
    uint seen = cells[key];
    atomic_add(&cells[key + ITEMS], seen);
    cells[key + ITEMS] *= 3;
    atomic_add(&cells[key + ITEMS], value);
    atomic_add(&cells[key + ITEMS * 2], in[2 * get_global_id(0)]);
    atomic_add(&cells[key + ITEMS * 3], value);
    cells[key + ITEMS * 3] = key;
    atomic_inc(&cells[key + ITEMS * 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++) {
        out[get_group_id(0) * ITEMS * 4 + i * ITEMS + LID] = cells[i * ITEMS + LID];
    }
}
