/* Sorting, selection, compaction, scans and sums. */

/* Scatters keys by 4 bits. A work-group has 256 keys, and `places` tells where its first key with
 * each digit goes. The order of equal digits is kept: keys are counted in 16 segments, and an item
 * looks at the keys before it in its segment. */
__kernel void radix_scatter(__global const uint *keys, __global const uint *places,
                            __global uint *out, uint shift)
{
    __local uint digits[256], counts[16][16], begins[16][16];
    uint lid = get_local_id(0), gid = get_global_id(0);
    uint key = keys[gid], digit = (key >> shift) & 15, segment = lid / 16;
    counts[segment][lid % 16] = 0;
    digits[lid] = digit;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&counts[segment][digit]);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint begin = places[(lid % 16) * get_num_groups(0) + get_group_id(0)];
    for (uint s = 0; s < segment; s++) {
        begin += counts[s][lid % 16];
    }
    begins[segment][lid % 16] = begin;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint rank = 0;
    for (uint i = segment * 16; i < lid; i++) {
        if (digits[i] == digit) {
            rank++;
        }
    }
    out[begins[segment][digit] + rank] = key;
}

/* Sorts the 256 keys of a work-group by 4 bits: four splits by one bit each. */
__kernel void radix_split(__global const uint *in, __global uint *out, uint shift)
{
    __local uint keys[256], scan[256];
    uint lid = get_local_id(0), key = in[get_global_id(0)];
    for (uint bit = shift; bit < shift + 4; bit++) {
        uint one = (key >> bit) & 1;
        scan[lid] = 1 - one;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = 1; d < 256; d <<= 1) {
            uint add = lid >= d ? scan[lid - d] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            scan[lid] += add;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        uint zeros = scan[255], before = scan[lid] - (1 - one);
        uint place = one ? zeros + lid - before : before;
        keys[place] = key;
        barrier(CLK_LOCAL_MEM_FENCE);
        key = keys[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = key;
}

/* Counts 8-bit digits of 4,096 keys for each work-group. */
__kernel void radix_digits(__global const uint *keys, __global uint *counts, uint shift)
{
    __local uint bins[256];
    uint lid = get_local_id(0), group = get_group_id(0);
    bins[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < 4096; i += get_local_size(0)) {
        atomic_inc(&bins[(keys[group * 4096 + i] >> shift) & 255]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    counts[lid * get_num_groups(0) + group] = bins[lid];
}

/* Finds the 8 largest values of each row with their columns. A work-group handles one row. */
__kernel void top_k(__global const float *in, __global float *values, __global uint *columns,
                    int length)
{
    __local float row[2048];
    __local float best[128];
    __local int where[128];
    int lid = get_local_id(0), group = get_group_id(0);
    for (int i = lid; i < length; i += 128) {
        row[i] = in[group * length + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++) {
        float value = -INFINITY;
        int index = 0;
        for (int i = lid; i < length; i += 128) {
            if (row[i] > value) {
                value = row[i];
                index = i;
            }
        }
        best[lid] = value;
        where[lid] = index;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 64; s > 0; s >>= 1) {
            if (lid < s) {
                float other = best[lid + s];
                int at = where[lid + s];
                if (other > best[lid] || (other == best[lid] && at < where[lid])) {
                    best[lid] = other;
                    where[lid] = at;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid == 0) {
            values[group * 8 + k] = best[0];
            columns[group * 8 + k] = where[0];
            row[where[0]] = -INFINITY;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Moves the words below a limit to the front of their work-group's part of the output. */
__kernel void compact(__global const uint *in, __global uint *out, __global uint *counts,
                      uint limit)
{
    __local uint scan[256];
    uint lid = get_local_id(0), value = in[get_global_id(0)], keep = value < limit;
    scan[lid] = keep;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 256; d *= 2) {
        uint add = 0;
        if (lid >= d) {
            add = scan[lid - d];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        scan[lid] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (keep) {
        out[get_group_id(0) * 256 + scan[lid] - 1] = value;
    }
    if (lid == 255) {
        counts[get_group_id(0)] = scan[255];
    }
}

/* Collects the words below a limit, in any order. The counter is never reset, so that places wrap
 * around. */
__kernel void compact_atomic(__global const uint *in, __global uint *out, __global uint *counter,
                             uint limit, uint mask)
{
    uint value = in[get_global_id(0)];
    if (value < limit) {
        uint place = atomic_inc(counter);
        out[place & mask] = value;
    }
}

/* Computes sums of segments within each work-group. A segment starts where the lowest 3 bits of a
 * flag are 0. */
__kernel void segmented_scan(__global const float *in, __global const uint *flags,
                             __global float *out)
{
    __local float sums[256];
    __local int heads[256];
    int lid = get_local_id(0);
    size_t gid = get_global_id(0);
    sums[lid] = in[gid];
    heads[lid] = (flags[gid] >> 16 & 7) == 0 || lid == 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 256; d <<= 1) {
        float sum = sums[lid];
        int head = heads[lid];
        if (lid >= d && !head) {
            sum += sums[lid - d];
            head = heads[lid - d];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] = sum;
        heads[lid] = head;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = sums[lid];
}

/* Finds the sum, least and largest of all words, by atomic operations of every item. */
__kernel void reduce_atomic(__global const int *in, __global int *results, uint count)
{
    int sum = 0, least = INT_MAX, most = INT_MIN;
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        int x = in[i];
        sum += x;
        least = min(least, x);
        most = max(most, x);
    }
    atomic_add(&results[0], sum);
    atomic_min(&results[1], least);
    atomic_max(&results[2], most);
}

/* Adds up values by key: a sum of fixed-point numbers for each of 1,024 keys. */
__kernel void sum_by_key(__global const uint *keys, __global const uint *values,
                         __global uint *sums)
{
    size_t i = get_global_id(0);
    atomic_add(&sums[keys[i]], values[i] >> 20);
}

/* Scans in two levels: an item adds up 8 values, the work-group scans the sums of its items. */
__kernel void scan_by_eight(__global const float *in, __global float *out)
{
    __local float sums[128];
    int lid = get_local_id(0);
    size_t first = get_global_id(0) * 8;
    float values[8], sum = 0.0f;
    for (int i = 0; i < 8; i++) {
        sum += in[first + i];
        values[i] = sum;
    }
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 128; d <<= 1) {
        float add = lid >= d ? sums[lid - d] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float before = lid > 0 ? sums[lid - 1] : 0.0f;
    for (int i = 0; i < 8; i++) {
        out[first + i] = before + values[i];
    }
}

/* Finds the first element of a sorted array that is not less than each word. */
__kernel void lower_bound(__global const uint *sorted, __global const uint *queries,
                          __global uint *out, uint count)
{
    uint query = queries[get_global_id(0)], low = 0, high = count;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (sorted[middle] < query) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    out[get_global_id(0)] = low;
}
