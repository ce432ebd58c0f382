/* Block reads and writes of SPV_INTEL_subgroups for every width and vector size at S = 8, 16 and
 * 32, and its shuffles, with prototypes of our own: clang declares only some of these functions. */
#define OVERLOAD __attribute__((overloadable))
#define SIZE(S)  __attribute__((intel_reqd_sub_group_size(S)))

/* Each sub-group moves a block of its own: what it read plus one; `lanes` gets what each item has.
 */
#define BLOCK_KERNEL(T, suffix, N, TN, S)                                                          \
    SIZE(S)                                                                                        \
    kernel void block_##T##_##N##_##S(global const T *in, global T *lanes, global T *out)          \
    {                                                                                              \
        size_t base = (get_group_id(0) * get_num_sub_groups() + get_sub_group_id()) * N * S;       \
        TN v = intel_sub_group_block_read_##suffix(in + base);                                     \
        *((global TN *)lanes + get_global_id(0)) = v;                                              \
        intel_sub_group_block_write_##suffix(out + base, v + (T)1);                                \
    }
#define BLOCK(T, suffix, N, TN)                                                                    \
    TN OVERLOAD intel_sub_group_block_read_##suffix(global const T *from);                         \
    void OVERLOAD intel_sub_group_block_write_##suffix(global T *to, TN value);                    \
    BLOCK_KERNEL(T, suffix, N, TN, 8)                                                              \
    BLOCK_KERNEL(T, suffix, N, TN, 16)                                                             \
    BLOCK_KERNEL(T, suffix, N, TN, 32)

BLOCK(uchar, uc, 1, uchar)
BLOCK(uchar, uc2, 2, uchar2)
BLOCK(uchar, uc4, 4, uchar4)
BLOCK(uchar, uc8, 8, uchar8)
BLOCK(uchar, uc16, 16, uchar16)
BLOCK(ushort, us, 1, ushort)
BLOCK(ushort, us2, 2, ushort2)
BLOCK(ushort, us4, 4, ushort4)
BLOCK(ushort, us8, 8, ushort8)
BLOCK(ushort, us16, 16, ushort16)
BLOCK(uint, ui, 1, uint)
BLOCK(uint, ui2, 2, uint2)
BLOCK(uint, ui4, 4, uint4)
BLOCK(uint, ui8, 8, uint8)
BLOCK(ulong, ul, 1, ulong)
BLOCK(ulong, ul2, 2, ulong2)
BLOCK(ulong, ul4, 4, ulong4)
BLOCK(ulong, ul8, 8, ulong8)

/* Through local memory, as cl_intel_subgroup_local_block_io has it. */
uint2 OVERLOAD intel_sub_group_block_read_ui2(local const uint *from);
void OVERLOAD intel_sub_group_block_write_ui2(local uint *to, uint2 value);

SIZE(16)
kernel void local_block(global const uint2 *in, global uint2 *out, local uint *block)
{
    size_t i = get_global_id(0), base = get_sub_group_id() * 32;
    intel_sub_group_block_write_ui2(block + base, in[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = intel_sub_group_block_read_ui2(block + base) + 1;
}

/* Rows: shuffle, xor, down, up, down and up by a number of each lane's own; then reductions that
 * clang-22 leaves as imports. */
#define SHUFFLES(T, S)                                                                             \
    SIZE(S)                                                                                        \
    kernel void shuffle_##T##_##S(global const T *in, global const T *more, global T *out)         \
    {                                                                                              \
        size_t n = get_global_size(0), i = get_global_id(0);                                       \
        uint lane = get_sub_group_local_id();                                                      \
        T x = in[i], y = more[i];                                                                  \
        out[0 * n + i] = intel_sub_group_shuffle(x, (lane * 5 + 2) % S);                           \
        out[1 * n + i] = intel_sub_group_shuffle_xor(x, 3u);                                       \
        out[2 * n + i] = intel_sub_group_shuffle_down(x, y, 3u);                                   \
        out[3 * n + i] = intel_sub_group_shuffle_up(x, y, 1u);                                     \
        out[4 * n + i] = intel_sub_group_shuffle_down(x, y, lane % 4);                             \
        out[5 * n + i] = intel_sub_group_shuffle_up(x, y, lane % 4);                               \
    }
#define SHUFFLE(T)                                                                                 \
    T OVERLOAD intel_sub_group_shuffle(T x, uint lane);                                            \
    T OVERLOAD intel_sub_group_shuffle_xor(T x, uint mask);                                        \
    T OVERLOAD intel_sub_group_shuffle_down(T x, T next, uint delta);                              \
    T OVERLOAD intel_sub_group_shuffle_up(T before, T x, uint delta);                              \
    SHUFFLES(T, 8)                                                                                 \
    SHUFFLES(T, 16)                                                                                \
    SHUFFLES(T, 32)

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

SHUFFLE(uchar)
SHUFFLE(short)
SHUFFLE(float)
SHUFFLE(ulong)
SHUFFLE(uint2)
SHUFFLE(float4)
SHUFFLE(ushort8)

/* The other scalars, and vectors of every size: a row by numbers that are not known, one by numbers that are. */
#define MOVE(T)                                                                                    \
    T OVERLOAD intel_sub_group_shuffle(T x, uint lane);                                            \
    T OVERLOAD intel_sub_group_shuffle_xor(T x, uint mask);                                        \
    SIZE(8)                                                                                        \
    kernel void move_##T(global const T *in, global T *out)                                        \
    {                                                                                              \
        size_t n = get_global_size(0), i = get_global_id(0);                                       \
        uint lane = get_sub_group_local_id();                                                      \
        out[i] = intel_sub_group_shuffle(in[i], (lane * 5 + 2) % 8);                               \
        out[n + i] = intel_sub_group_shuffle_xor(in[i], 3u);                                       \
    }
#define MOVE_ALL(T) MOVE(T##2) MOVE(T##4) MOVE(T##8) MOVE(T##16)

MOVE(uint)
MOVE(half)
MOVE(double)
MOVE_ALL(uchar)
MOVE_ALL(short)
MOVE_ALL(uint)
MOVE_ALL(float)

/* Only some lanes get to each of the shuffles; those that do read one another. */
SIZE(16)
kernel void shuffle_divergent(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    uint lane = get_sub_group_local_id(), x = in[i];
    if (x & 1) {
        uint next = intel_sub_group_shuffle(x, lane ^ 2);
        out[i] = next & 1 ? next : 7;
    } else if (lane & 4) {
        uint other = intel_sub_group_shuffle_xor(x * 3, 1u);
        out[i] = intel_sub_group_shuffle_xor(x, 1u) & 1 ? 9 : other;
    } else {
        out[i] = 5;
    }
}

/* Reads begin at any multiple of 4 bytes, writes at any of 16. */
#define ALIGNMENT(T, suffix, TN)                                                                   \
    SIZE(16)                                                                                       \
    kernel void aligned_##suffix(global const uchar *in, global uchar *out)                        \
    {                                                                                              \
        TN v = intel_sub_group_block_read_##suffix((global const T *)(in + 4));                    \
        intel_sub_group_block_write_##suffix((global T *)(out + 16), v);                           \
    }

ALIGNMENT(uchar, uc4, uchar4)
ALIGNMENT(ushort, us, ushort)
ALIGNMENT(ushort, us8, ushort8)
ALIGNMENT(uint, ui, uint)
ALIGNMENT(uint, ui8, uint8)
ALIGNMENT(ulong, ul2, ulong2)

short OVERLOAD intel_sub_group_reduce_add(short x);
ushort OVERLOAD intel_sub_group_scan_exclusive_max(ushort x);
char OVERLOAD intel_sub_group_scan_inclusive_min(char x);
uchar OVERLOAD intel_sub_group_broadcast(uchar x, uint lane);

SIZE(16)
kernel void imported(global const short *in, global short *out)
{
    size_t n = get_global_size(0), i = get_global_id(0);
    short x = in[i];
    out[0 * n + i] = intel_sub_group_reduce_add(x);
    out[1 * n + i] = (short)intel_sub_group_scan_exclusive_max((ushort)x);
    out[2 * n + i] = intel_sub_group_scan_inclusive_min((char)x);
    out[3 * n + i] = intel_sub_group_broadcast((uchar)x, 3);
}
