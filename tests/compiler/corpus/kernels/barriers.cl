/* Barriers: in straight code, in loops, in called functions, under uniform branches, with values
 * living across. */
#include "corpus.clh"

#define LOCAL_BARRIER barrier(CLK_LOCAL_MEM_FENCE)

__kernel void reverse(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    shared[l] = in[GID];
    LOCAL_BARRIER;
    out[GID] = shared[n - 1 - l];
}

__kernel void first_and_last(__global const int *in, __global int *out, __local int *shared)
{
    LOCAL_BARRIER;
    size_t l = get_local_id(0);
    shared[l] = in[GID] * 2;
    LOCAL_BARRIER;
    out[GID] = shared[(l + 1) % get_local_size(0)];
    LOCAL_BARRIER;
}

__kernel void several(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID], y = x * 3;
    shared[l] = x;
    LOCAL_BARRIER;
    int left = shared[(l + n - 1) % n];
    LOCAL_BARRIER;
    shared[l] = y + left;
    LOCAL_BARRIER;
    int right = shared[(l + 1) % n];
    LOCAL_BARRIER;
    shared[n - 1 - l] = right - left;
    LOCAL_BARRIER;
    out[GID] = shared[l] + x + y;
}

__kernel void in_loop(__global const int *in, __global int *out, __local int *shared, int rounds)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID];
    for (int k = 0; k < rounds; k++) {
        shared[l] = x;
        LOCAL_BARRIER;
        x += shared[(l + 1) % n] ^ k;
        LOCAL_BARRIER;
    }
    out[GID] = x;
}

__kernel void in_loop_from_memory(__global const int *in, __global const uint *rounds,
                                  __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID];
    uint count = rounds[get_group_id(0)] % 7;
    shared[l] = 0;
    LOCAL_BARRIER;
    for (uint k = 0; k < count; k++) {
        shared[l] += x;
        LOCAL_BARRIER;
        x = shared[n - 1 - l] - (int)k;
        LOCAL_BARRIER;
    }
    out[GID] = x;
}

__kernel void in_nested_loops(__global const int *in, __global int *out, __local int *shared,
                              int rows, int columns)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int sum = in[GID];
    for (int r = 0; r < rows; r++) {
        shared[l] = sum + r;
        LOCAL_BARRIER;
        for (int c = 0; c < columns; c++) {
            int other = shared[(l + (size_t)c + 1) % n];
            LOCAL_BARRIER;
            shared[l] = other + c;
            LOCAL_BARRIER;
        }
        sum += shared[l];
        LOCAL_BARRIER;
    }
    out[GID] = sum;
}

__kernel void in_do_while(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID];
    size_t distance = 1;
    do {
        shared[l] = x;
        LOCAL_BARRIER;
        x = max(x, shared[(l + distance) % n]);
        LOCAL_BARRIER;
        distance *= 2;
    } while (distance < n);
    out[GID] = x;
}

__kernel void in_endless_loop(__global const int *in, __global int *out, __local int *shared,
                              int limit)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID] & 0xff, k = 0;
    for (;;) {
        shared[l] = x;
        LOCAL_BARRIER;
        x = shared[n - 1 - l] + 1;
        LOCAL_BARRIER;
        if (++k >= limit) {
            break;
        }
        x += 2;
    }
    out[GID] = x * 100 + k;
}

__kernel void loop_exit_between(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID] & 0xff;
    for (int k = 0; k < 20; k++) {
        shared[l] = x;
        LOCAL_BARRIER;
        int first = shared[0];
        if (first > 300) {
            break;
        }
        if (first & 1) {
            LOCAL_BARRIER;
            shared[l] = x + 1;
            LOCAL_BARRIER;
            x += shared[(l + 1) % n];
            LOCAL_BARRIER;
            continue;
        }
        LOCAL_BARRIER;
        x = x * 3 + 1;
    }
    out[GID] = x;
}

__kernel void under_uniform_branch(__global const int *in, __global int *out, __local int *shared,
                                   int flag)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID];
    shared[l] = x;
    if (flag) {
        LOCAL_BARRIER;
        x = shared[(l + 3) % n];
    } else {
        x = -x;
    }
    out[GID] = x;
}

__kernel void in_both_branches(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID];
    shared[l] = x;
    if (get_group_id(0) & 1) {
        LOCAL_BARRIER;
        x += shared[n - 1 - l];
    } else {
        x *= 2;
        LOCAL_BARRIER;
        x -= shared[(l + 1) % n];
    }
    LOCAL_BARRIER;
    shared[l] = x;
    LOCAL_BARRIER;
    out[GID] = shared[n - 1 - l];
}

__kernel void in_uniform_switch(__global const int *in, __global int *out, __local int *shared,
                                int which)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID];
    shared[l] = x;
    switch (which) {
    case 0:
        x = 1;
        break;
    case 1:
        LOCAL_BARRIER;
        x = shared[n - 1 - l];
        break;
    case 2:
        LOCAL_BARRIER;
        x = shared[(l + 1) % n];
        LOCAL_BARRIER;
        shared[l] = x;
    default:
        LOCAL_BARRIER;
        x += shared[(l + 2) % n];
    }
    out[GID] = x;
}

void exchange(__local int *shared, size_t l, int *x, int by)
{
    shared[l] = *x;
    LOCAL_BARRIER;
    *x += shared[(l + (size_t)by) % get_local_size(0)];
    LOCAL_BARRIER;
}

__attribute__((noinline)) int sum_group(__local int *shared, int x)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    shared[l] = x;
    LOCAL_BARRIER;
    int sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += shared[k];
    }
    LOCAL_BARRIER;
    return sum;
}

__kernel void in_called_function(__global const int *in, __global int *out, __local int *shared)
{
    int x = in[GID];
    exchange(shared, get_local_id(0), &x, 1);
    exchange(shared, get_local_id(0), &x, 2);
    out[GID] = x;
}

__kernel void in_called_noinline_function(__global const int *in, __global int *out,
                                          __local int *shared)
{
    int x = in[GID] & 0xfff;
    int sum = sum_group(shared, x);
    int again = sum_group(shared, sum ^ (int)get_local_id(0));
    out[GID] = x + sum * 3 + again;
}

__kernel void called_in_loop(__global const int *in, __global int *out, __local int *shared,
                             int rounds)
{
    int x = in[GID];
    for (int k = 0; k < rounds; k++) {
        exchange(shared, get_local_id(0), &x, k + 1);
        x = sum_group(shared, x & 0xff) - x;
    }
    out[GID] = x;
}

struct state {
    float a;
    int b[3];
};

__kernel void live_values(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID];
    float f = (float)(x & 0xff);
    double d = f * 0.5;
    float4 v = (float4)(f, 1.0f, 2.0f, f);
    bool odd = x & 1;
    char c = (char)x;
    long big = (long)x << 20;
    struct state s = {f, {x, x + 1, x + 2}};
    __global const int *p = in + GID;
    int array[4] = {1, 2, 3, x};
    shared[l] = x;
    LOCAL_BARRIER;
    int other = shared[n - 1 - l];
    LOCAL_BARRIER;
    array[other & 3] += 5;
    s.b[1] += other;
    shared[l] = other * 2;
    LOCAL_BARRIER;
    int sum = (int)f + (int)d + (int)(v.x + v.y + v.z + v.w) + odd + c + (int)(big >> 18) + *p;
    sum += (int)s.a + s.b[0] + s.b[1] * 3 + s.b[2] + array[0] + array[1] * 2 + array[2] * 3 +
           array[3] * 4;
    out[GID] = sum + shared[(l + 1) % n];
}

__kernel void private_array_across(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int mine[8];
    for (int k = 0; k < 8; k++) {
        mine[k] = in[GID] >> k;
    }
    for (int r = 0; r < 4; r++) {
        shared[l] = mine[(l + (size_t)r) & 7];
        LOCAL_BARRIER;
        mine[r] += shared[(l + 1) % n];
        mine[shared[0] & 7] ^= r;
        LOCAL_BARRIER;
    }
    int sum = 0;
    for (int k = 0; k < 8; k++) {
        sum = sum * 5 + mine[k];
    }
    out[GID] = sum;
}

__kernel void divergence_between(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int x = in[GID];
    if (x & 1) {
        x = x * 3 + 1;
    } else {
        for (int k = 0; k < (x & 15); k++) {
            x += k;
        }
    }
    shared[l] = x;
    LOCAL_BARRIER;
    int best = x;
    for (size_t k = 0; k < n; k++) {
        if (shared[k] > best && (shared[k] & 1) == (x & 1)) {
            best = shared[k];
        }
    }
    LOCAL_BARRIER;
    if (l % 3 == 0) {
        shared[l] = best;
    }
    LOCAL_BARRIER;
    out[GID] = best - shared[l - l % 3];
}

__kernel void reduce_tree(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    shared[l] = in[GID];
    LOCAL_BARRIER;
    for (size_t width = n; width > 1;) {
        size_t half_width = (width + 1) / 2;
        if (l < width / 2) {
            shared[l] += shared[l + half_width];
        }
        width = half_width;
        LOCAL_BARRIER;
    }
    if (l == 0) {
        out[get_group_id(0)] = shared[0];
    }
}

/* Conditions that hold for the first items only, by bounds of every kind: none, some and more than
 * there are. */
__kernel void first_items(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int i = (int)l, x = in[GID];
    shared[l] = x;
    LOCAL_BARRIER;
    for (int bound = -3; bound < (int)n + 3; bound += 2) {
        if (i < bound) {
            shared[l] += bound;
        }
        LOCAL_BARRIER;
        if (i <= bound) {
            shared[l] ^= 5 * bound;
        }
        LOCAL_BARRIER;
        if ((uint)bound > (uint)i) {
            shared[l] += x;
        }
        LOCAL_BARRIER;
        if (l <= (ulong)bound) {
            shared[l] *= 3;
        }
        LOCAL_BARRIER;
        if (l == 0) {
            shared[n - 1] += bound;
        }
        LOCAL_BARRIER;
    }
    out[GID] = shared[l] + x;
}

/* Rows of which the first items have work, with an array that lives across. */
__kernel void first_of_rows(__global const int *in, __global int *out)
{
    __local int shared[256];
    size_t sx = get_local_size(0), sy = get_local_size(1), x = get_local_id(0);
    size_t l = (get_local_id(2) * sy + get_local_id(1)) * sx + x;
    size_t place = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) +
                   get_global_id(0);
    int own[3];
    for (int i = 0; i < 3; i++) {
        own[i] = in[place] * (i + 1);
    }
    shared[l] = in[place];
    LOCAL_BARRIER;
    for (size_t bound = sx; bound > 0; bound /= 2) {
        if (x < bound) {
            shared[l] += own[bound % 3] + (int)get_local_id(1);
        }
        LOCAL_BARRIER;
    }
    out[place] = shared[l] + own[place % 3];
}

/* One value goes on through loops and their exits, behind which it is read twice. */
__kernel void handed_on(__global const int *in, __global int *out, __local int *shared, int turns)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int sum = in[GID], before = sum;
    for (int outer = 0; outer < turns; outer++) {
        int inner = sum;
        for (int turn = 0; turn < outer + 2; turn++) {
            shared[l] = inner;
            LOCAL_BARRIER;
            inner += shared[(l + (size_t)turn) % n] ^ before;
            LOCAL_BARRIER;
        }
        before = sum;
        sum = inner - 3 * before;
    }
    out[GID] = sum * 5 + before;
}

__kernel void scan_inclusive(__global const int *in, __global int *out, __local int *a,
                             __local int *b)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    a[l] = in[GID];
    LOCAL_BARRIER;
    for (size_t distance = 1; distance < n; distance *= 2) {
        b[l] = l >= distance ? a[l] + a[l - distance] : a[l];
        LOCAL_BARRIER;
        __local int *t = a;
        a = b;
        b = t;
    }
    out[GID] = a[l];
}

/* Groups of more than 64 items get the sums of 64 neighbours. */
__kernel void scan_by_doubling(__global const int *in, __global int *out, __local int *a)
{
    uint l = get_local_id(0);
    a[l] = in[GID];
    LOCAL_BARRIER;
    for (uint distance = 1; distance < 64; distance *= 2) {
        int add = l >= distance ? a[l - distance] : 0;
        LOCAL_BARRIER;
        a[l] += add;
        LOCAL_BARRIER;
    }
    out[GID] = a[l];
}

__kernel void sort_bitonic(__global const uint *in, __global uint *out, __local uint *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0); /* a power of two */
    shared[l] = in[GID];
    LOCAL_BARRIER;
    for (size_t k = 2; k <= n; k *= 2) {
        for (size_t j = k / 2; j > 0; j /= 2) {
            size_t other = l ^ j;
            if (other > l) {
                uint x = shared[l], y = shared[other];
                if ((x > y) == ((l & k) == 0)) {
                    shared[l] = y;
                    shared[other] = x;
                }
            }
            LOCAL_BARRIER;
        }
    }
    out[GID] = shared[l];
}

__kernel void sort_odd_even(__global const uint *in, __global uint *out, __local uint *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    shared[l] = in[GID];
    LOCAL_BARRIER;
    for (size_t k = 0; k < n; k++) {
        if ((l & 1) == (k & 1) && l + 1 < n && shared[l] > shared[l + 1]) {
            uint t = shared[l];
            shared[l] = shared[l + 1];
            shared[l + 1] = t;
        }
        LOCAL_BARRIER;
    }
    out[GID] = shared[l];
}

__kernel void stencil_halo(__global const float *in, __global float *out, __local float *tile)
{
    size_t l = get_local_id(0), n = get_local_size(0), i = GID, total = get_global_size(0);
    tile[l + 1] = in[i];
    if (l == 0) {
        tile[0] = i > 0 ? in[i - 1] : 0.0f;
    }
    if (l == n - 1) {
        tile[n + 1] = i + 1 < total ? in[i + 1] : 0.0f;
    }
    LOCAL_BARRIER;
    out[i] = tile[l] * 0.25f + tile[l + 1] * 0.5f + tile[l + 2] * 0.25f;
}

__kernel void transpose_tile(__global const int *in, __global int *out)
{
    __local int tile[8][9];
    size_t x = get_local_id(0), y = get_local_id(1);
    size_t width = get_global_size(0), height = get_global_size(1);
    tile[y][x] = in[get_global_id(1) * width + get_global_id(0)];
    LOCAL_BARRIER;
    size_t row = get_group_id(0) * 8 + y, column = get_group_id(1) * 8 + x;
    out[row * height + column] = tile[x][y];
}

__kernel void cube(__global const int *in, __global int *out)
{
    __local int shared[256];
    size_t sx = get_local_size(0), sy = get_local_size(1), sz = get_local_size(2);
    size_t x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +
                   get_group_id(0);
    size_t l = (z * sy + y) * sx + x, i = group * sx * sy * sz + l;
    shared[l] = in[i];
    LOCAL_BARRIER;
    out[i] = shared[(((sz - 1 - z) * sy + y) * sx) + (x + 1) % sx] * 3 + shared[0];
}

__kernel void global_fence(__global int *data, __global int *out)
{
    size_t l = get_local_id(0), n = get_local_size(0), base = get_group_id(0) * n;
    data[base + l] = (int)(l * 7 + base);
    barrier(CLK_GLOBAL_MEM_FENCE);
    int x = data[base + (l + 5) % n];
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    data[base + l] += x;
    out[base + l] = x;
}

__kernel void histogram_local(__global const uint *in, __global uint *out, __local uint *bins)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    for (size_t k = l; k < 16; k += n) {
        bins[k] = 0;
    }
    LOCAL_BARRIER;
    atomic_inc(&bins[in[GID] & 15]);
    LOCAL_BARRIER;
    for (size_t k = l; k < 16; k += n) {
        out[get_group_id(0) * 16 + k] = bins[k];
    }
}

__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void required_size(__global const int *in,
                                                                            __global int *out)
{
    __local int shared[16];
    size_t l = get_local_id(0);
    shared[15 - l] = in[GID];
    LOCAL_BARRIER;
    out[GID] = shared[l] + (int)get_local_size(0);
}

/* The first item's stores alone, of values that were wider before, beside what others have stored.
 */
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void
required_size_first(__global const uint *in, __global uint *out, __global uchar *bytes)
{
    out[GID] = in[GID];
    bytes[GID] = (uchar)get_local_id(0);
    if (get_local_id(0) == 0) {
        out[GID] = mul_hi(in[GID], 0x9e3779b9u);
        bytes[GID] = (uchar)(in[GID] * 7);
    }
}

__kernel void broadcast_uniform(__global const int *in, __global int *out)
{
    __local int leader;
    int base = in[get_group_id(0)] * 2; /* uniform, live across */
    if (get_local_id(0) == get_local_size(0) - 1) {
        leader = in[GID];
    }
    LOCAL_BARRIER;
    out[GID] = leader + base;
}

__kernel void loop_induction_live(__global const int *in, __global int *out, __local int *shared)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int sum = 0, mine = in[GID];
    for (size_t k = 0; k < n; k++) {
        if (l == k) {
            shared[0] = mine;
        }
        LOCAL_BARRIER;
        sum += shared[0] * (int)(k + 1);
        LOCAL_BARRIER;
    }
    out[GID] = sum;
}

/* Loads of neighbours, and stores of the own element. */
__kernel void neighbours_behind(__global const int *in, __global int *out, __local int *a)
{
    int l = get_local_id(0), n = get_local_size(0);
    a[l] = in[GID];
    LOCAL_BARRIER;
#pragma nounroll
    for (int turn = 0; turn < 5; turn++) {
        int next = a[l] * 3 + turn;
        if (l + 1 < n) {
            next ^= a[l + 1];
        }
        LOCAL_BARRIER;
        a[l] = next;
        LOCAL_BARRIER;
    }
    out[GID] = a[l];
}

__kernel void neighbours_in_front(__global const int *in, __global int *out, __local int *a)
{
    int l = get_local_id(0);
    a[l] = in[GID];
    LOCAL_BARRIER;
#pragma nounroll
    for (int turn = 0; turn < 5; turn++) {
        int next = a[l] * 3 + turn;
        if (l > 1) {
            next ^= a[l - 2];
        }
        LOCAL_BARRIER;
        a[l] = next;
        LOCAL_BARRIER;
    }
    out[GID] = a[l];
}

/* A scan whose result depends on the order. Items with certain values are heads of segments. */
__kernel void scan_of_segments(__global const int *in, __global int *out, __local int *a)
{
    __local int heads[256];
    int l = get_local_id(0);
    a[l] = in[GID];
    heads[l] = l == 0 || (in[GID] & 7) == 0;
    LOCAL_BARRIER;
#pragma nounroll
    for (int d = 1; d < 256; d *= 2) {
        int sum = a[l], head = heads[l];
        if (l >= d && !head) {
            sum = sum * 5 + a[l - d];
            head = heads[l - d];
        }
        LOCAL_BARRIER;
        a[l] = sum;
        heads[l] = head;
        LOCAL_BARRIER;
    }
    out[GID] = a[l] + heads[l];
}
