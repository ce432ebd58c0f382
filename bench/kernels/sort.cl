/* Passes of sorts. */
#define GID   ((size_t)get_global_id(0))
#define GROUP 256

/* Makes one exchange of a bitonic sort, with an item per key. Every second item does the work. */
__kernel void bitonic(__global uint *keys, uint distance, uint size)
{
    uint i = (uint)GID, partner = i ^ distance;
    if (partner > i) {
        uint a = keys[i], b = keys[partner];
        if ((a > b) == ((i & size) == 0)) {
            keys[i] = b;
            keys[partner] = a;
        }
    }
}

/* Sorts 512 keys in local memory in each group. */
__kernel void bitonic_local(__global const uint *in, __global uint *out)
{
    __local uint keys[2 * GROUP];
    uint l = (uint)get_local_id(0);
    size_t first = get_group_id(0) * 2 * GROUP;
    keys[l] = in[first + l];
    keys[l + GROUP] = in[first + l + GROUP];
    for (uint size = 2; size <= 2 * GROUP; size *= 2) {
        for (uint distance = size / 2; distance > 0; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint low = 2 * l - (l & (distance - 1)), high = low + distance;
            uint a = keys[low], b = keys[high];
            if ((a > b) == ((low & size) == 0)) {
                keys[low] = b;
                keys[high] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + l] = keys[l];
    out[first + l + GROUP] = keys[l + GROUP];
}

#define DIGITS  16
#define PER_KEY 16

/* Counts each digit in the 4,096 keys of a group. Results are sorted by digit, then by group. */
__kernel void radix_count(__global const uint *in, __global uint *out, uint shift)
{
    __local uint counts[DIGITS];
    uint l = (uint)get_local_id(0);
    size_t first = get_group_id(0) * GROUP * PER_KEY;
    if (l < DIGITS) {
        counts[l] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < PER_KEY; i++) {
        atomic_inc(&counts[(in[first + i * GROUP + l] >> shift) & (DIGITS - 1)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < DIGITS) {
        out[l * get_num_groups(0) + get_group_id(0)] = counts[l];
    }
}

/* Sorts 4,096 keys of each group by one digit, stably. An item counts the digits of 16 consecutive
 * keys. The counts of all items are scanned by digit, which gives each item the places of its
 * keys. */
__kernel void radix_local(__global const uint *in, __global uint *out, uint shift)
{
    __local ushort counts[DIGITS * GROUP];
    __local uint sums[2][GROUP];
    uint l = (uint)get_local_id(0), from = 0, before;
    size_t first = get_group_id(0) * GROUP * PER_KEY;
    uint places[DIGITS] = {0};
    for (uint i = 0; i < PER_KEY; i++) {
        places[(in[first + l * PER_KEY + i] >> shift) & (DIGITS - 1)]++;
    }
    for (uint digit = 0; digit < DIGITS; digit++) {
        counts[digit * GROUP + l] = (ushort)places[digit];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < DIGITS; i++) {
        sum += counts[l * DIGITS + i];
    }
    sums[0][l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = 1; offset < GROUP; offset *= 2) {
        sums[1 - from][l] = sums[from][l] + (l >= offset ? sums[from][l - offset] : 0);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    before = sums[from][l] - sum;
    for (uint i = 0; i < DIGITS; i++) {
        ushort count = counts[l * DIGITS + i];
        counts[l * DIGITS + i] = (ushort)before;
        before += count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint digit = 0; digit < DIGITS; digit++) {
        places[digit] = counts[digit * GROUP + l];
    }
    for (uint i = 0; i < PER_KEY; i++) {
        uint key = in[first + l * PER_KEY + i];
        out[first + places[(key >> shift) & (DIGITS - 1)]++] = key;
    }
}
