/* One kernel for each fault of src/compiler/lower/llvm_faults.def that shows in what a kernel
 * computes: kernel(in, out). See ../../codegen/test_llvm_faults.c. */

/* The first item stores alone, a value that was wider before. */
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void store_of_one_lane(global const uint *in,
                                                                              global uchar *out)
{
    size_t i = get_global_id(0);
    uint x = in[i];
    if (get_local_id(0) == 0) {
        out[i] = (uchar)(x >> 9);
    }
}

/* What a neighbour has, merged into where the item is on, from memory. */
__attribute__((intel_reqd_sub_group_size(8))) kernel void
shuffled_masked_load(global const uint *in, global uint *out)
{
    size_t n = get_global_size(0), i = get_global_id(0);
    uint x = in[i], y = in[n + i];
    bool on = x & 2;
    uint other = sub_group_shuffle_xor(on ? x : y, 1);
    out[i] = on ? other : 7;
    uint votes = 9;
    if (on) {
        votes = sub_group_clustered_reduce_or(get_sub_group_le_mask().x, 2);
    }
    out[n + i] = votes;
}

/* Items that are off keep an operand of the bit select. */
kernel void masked_bit_select(global const uint *in, global uint *out)
{
    size_t n = get_global_size(0), i = get_global_id(0);
    uint x = in[i], y = in[n + i];
    bool on = (int)in[2 * n + i] > 0;
    out[i] = on ? (x & ~1u) | (y & 1u) : x;
    out[n + i] = on ? (x & ~2u) | (y & 2u) : y;
    out[2 * n + i] = on ? x : (x & ~3u) | (y & 3u);
}

/* More votes than mask registers, of the 16 items that a vector of 32 has here. */
__attribute__((intel_reqd_sub_group_size(32)))
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void
cut_mask_moved(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    uint votes[12], sum = in[i];
    for (uint k = 0; k < 12; k++) {
        votes[k] = sub_group_ballot(in != out + k).x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 12; k++) {
        sum = sum * 3 ^ votes[k];
    }
    out[i] = sum;
}

/* Bytes of four times the lanes, each repeated four times. */
kernel void repeated_bytes(global const uint *in, global uint *out)
{
    size_t n = get_global_size(0), i = get_global_id(0);
    char4 x = (char4)((char)in[i]), y = (char4)((char)in[n + i]);
    out[i] = as_uchar4(rhadd(x, y)).y;
}

/* What is taken out of memory was there before the store behind it. */
kernel void moved_masked_load(global uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    uint v = 7;
    if (in[i] & 1) {
        v = out[i];
        out[i] = 100;
    }
    in[i] = v;
}

__attribute__((noinline)) float4 floats_of(global const uint *in, size_t i)
{
    return as_float4((uint4)(in[i], in[i] | 1, in[i] ^ 2, ~in[i])).wzyx;
}

/* Results keep their bits, those of signalling NaNs too. */
kernel void floats_in_result(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    uint4 f = as_uint4(floats_of(in, i));
    for (int k = 0; k < 4; k++) {
        out[4 * i + k] = f[k];
    }
}
