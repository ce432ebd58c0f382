/* Kernels for the choice of a width. */

/* ---- with and without atomics that lanes join to one ---- */

kernel void joined(global const uint *in, global uint *count)
{
    if (in[get_global_id(0)] > 5) {
        atomic_inc(count + 1);
    }
}

/* Elements of 8 bits fill a register with four times the lanes. */
kernel void joined_bytes(global const uchar *in, global uchar *out, global uint *count)
{
    uchar x = in[get_global_id(0)], before = in[get_global_id(0) + 1];
    out[get_global_id(0)] = x > before ? x ^ 0x80 : before;
    if (x > 5) {
        atomic_inc(count + 1);
    }
}

kernel void joined_in_a_small_group(global const uint *in, global uint *count)
    __attribute__((reqd_work_group_size(8, 1, 1)))
{
    atomic_max(count, in[get_global_id(0)]);
}

kernel void apart(global const uint *in, global uint *bins)
{
    atomic_inc(bins + in[get_global_id(0)] % 64);
}

kernel void in_local_memory(global const uint *in, global uint *out)
{
    local uint sum;
    if (get_local_id(0) == 0) {
        sum = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum;
}

kernel void exchanged(global const uint *in, global uint *last)
{
    atomic_xchg(last, in[get_global_id(0)]);
}

/* More instructions than a kernel with twice the lanes may have. */
kernel void long_and_joined(global const uint *in, global uint *out)
{
    uint x = in[get_global_id(0)], y = x;
#pragma unroll
    for (uint i = 0; i < 64; i++) {
        x = (x ^ y >> 7) * (i + 3);
        y = (y + x) ^ i * 77;
    }
    atomic_add(out, x ^ y);
}

/* ---- loops ---- */

/* Each turn waits for the turn before it. */
kernel void waits(global float *out, int n)
{
    float a = out[get_global_id(0)], x = 1.0f;
    for (int i = 0; i < n; i++) {
        x = x - (x * x * x - a) / (x * x + 1.0f);
    }
    out[get_global_id(0)] = x;
}

/* So do these doubles, of which twice as many registers are needed. */
kernel void waits_in_many_registers(global double *out, int n)
{
    double4 a = vload4(get_global_id(0), out), x = a, y = a + 1.0, z = a + 2.0;
    for (int i = 0; i < n; i++) {
        double4 next = x * y + z * a;
        x = y * 0.5 + next * a;
        y = z * 0.25 + next * a;
        z = next;
    }
    vstore4(x + y + z, get_global_id(0), out);
}

/* So do two chains, with 30 numbers for each item. */
kernel void waits_and_spills(global const float *in, global float *out, int n)
{
    float a[30], x = 1.0f, y = 2.0f;
#pragma unroll
    for (int k = 0; k < 30; k++) {
        a[k] = in[k * n + (int)get_global_id(0)];
    }
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 30; k += 2) {
            x = x * a[k] + 1.0f;
            y = y * a[k + 1] + 1.0f;
        }
    }
    out[get_global_id(0)] = x + y;
}

kernel void sums_columns(global const float *in, global float *out, int rows, int columns)
{
    float sum = 0.0f;
    for (int i = 0; i < rows; i++) {
        sum += in[i * columns + (int)get_global_id(0)];
    }
    out[get_global_id(0)] = sum;
}

/* Tiles share the elements of a column. */
kernel void multiplies(global const float *a, global const float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += a[y * n + i] * b[i * n + x];
    }
    c[y * n + x] = sum;
}

kernel void sums_columns_of_its_group(global const float *in, global float *out, int rows,
                                      int columns)
{
    float sum = get_local_id(0);
    for (int i = 0; i < rows; i++) {
        sum += in[i * columns + (int)get_global_id(0)];
    }
    out[get_global_id(0)] = sum;
}

/* ---- elements of 8 and 16 bits ---- */

kernel void compares_bytes(global const uchar *in, global uchar *out, uchar limit)
{
    uchar x = in[get_global_id(0)];
    out[get_global_id(0)] = x > limit ? 255 : x;
}

/* The sum needs eight bits. */
kernel void adds_bytes(global const uchar *a, global const uchar *b, global uchar *c)
{
    size_t i = get_global_id(0);
    c[i] = (a[i] >> 4) + (b[i] >> 5) > 9 ? 1 : 0;
}

/* Chunks at a border gather. */
kernel void compares_neighbours(global const uchar *in, global uchar *out, int n)
{
    int i = get_global_id(0);
    out[i] = in[max(i - 1, 0)] > in[min(i + 1, n - 1)];
}

kernel void adds_halfwords(global const short *a, global const short *b, global short *c)
{
    c[get_global_id(0)] = add_sat(a[get_global_id(0)], b[get_global_id(0)]);
}

/* Most of the work is on words. */
kernel void divides_bytes(global const uchar *a, global const uchar *b, global uchar *c)
{
    float x = a[get_global_id(0)], y = b[get_global_id(0)];
    c[get_global_id(0)] = (uchar)(sqrt(x * x + y * y) / (x + y + 1.0f));
}

kernel void adds_words(global const int *a, global const int *b, global int *c)
{
    c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
}

/* ---- kernels with barriers ---- */

kernel void sums_its_group(global const uint *in, global uint *out)
{
    local uint sums[256];
    uint lid = get_local_id(0);
    sums[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 128; s > 0; s >>= 1) {
        if (lid < s) {
            sums[lid] += sums[lid + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sums[0];
}

kernel void sums_eight(global const uint *in, global uint *out)
    __attribute__((reqd_work_group_size(8, 1, 1)))
{
    local uint sums[8];
    uint lid = get_local_id(0);
    sums[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[lid ^ 1] + sums[lid];
}

/* More instructions than a kernel with twice the lanes may have. */
kernel void sums_at_length(global const uint *in, global uint *out)
{
    local uint sums[256];
    uint lid = get_local_id(0), x = in[get_global_id(0)], y = x;
    sums[lid] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < 160; i++) {
        x = (x ^ y >> 7) * (i + 3);
        y = (y + x) ^ i * 77;
    }
    out[get_global_id(0)] = sums[lid ^ 1] + x + y;
}

/* Rows of local memory are long enough for 16 lanes. */
kernel void adds_neighbours(global const float *in, global float *out, int n)
{
    local float tile[18][18];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    tile[ly][lx] = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * n + x] = tile[ly][lx] + tile[ly + 1][lx] + tile[ly][lx + 1];
}

kernel void adds_neighbours_in_short_rows(global const float *in, global float *out, int n)
{
    local float tile[9][9];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    tile[ly][lx] = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * n + x] = tile[ly][lx] + tile[ly + 1][lx] + tile[ly][lx + 1];
}

/* Each lane reads from a row of its own. */
kernel void turns_a_tile(global const float *in, global float *out, int n)
{
    local float tile[18][18];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    tile[ly][lx] = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * n + x] = tile[lx][ly];
}

/* Each item counts as many places as it likes. */
kernel void ranks(global const uint *in, global uint *out)
{
    local uint keys[256];
    uint lid = get_local_id(0), key = in[get_global_id(0)], rank = 0;
    keys[lid] = key;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid & ~15u; i < lid; i++) {
        rank += keys[i] == key;
    }
    out[get_global_id(0)] = rank;
}

/* The items of a group take the same number of turns, or one more. */
kernel void sums_rows(global const uint *in, global uint *out, uint n)
{
    local uint sums[256];
    uint lid = get_local_id(0), sum = 0;
    for (uint i = lid; i < n; i += get_local_size(0)) {
        sum += in[get_group_id(0) * n + i];
    }
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[lid ^ 1] + sum;
}

/* ---- loops that split chunks ---- */

kernel void searches(global const uint *sorted, global const uint *in, global uint *out, uint n)
{
    uint key = in[get_global_id(0)], low = 0, high = n;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (sorted[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    out[get_global_id(0)] = low;
}

/* Two gathers and an atomic operation in each turn. */
kernel void joins_neighbours(global const uint *begins, global const uint *edges,
                             global const uint *labels, global uint *out)
{
    uint v = get_global_id(0), mine = labels[v], least = mine;
    for (uint e = begins[v]; e < begins[v + 1]; e++) {
        uint neighbour = edges[e], label = labels[neighbour];
        if (label < least) {
            least = label;
        } else if (mine < label) {
            atomic_min(&out[neighbour], mine);
        }
    }
    atomic_min(&out[v], least);
}

/* Each turn goes one of three ways. */
kernel void takes_steps(global uint *out)
{
    uint x = out[get_global_id(0)], y = x >> 3, steps = 0;
    while (x != 1 && steps < 1000) {
        if (x & 1) {
            x = 3 * x + 1;
            y ^= x;
        } else if (y & 2) {
            x = x / 2 + y;
            y += steps;
        } else {
            x /= 2;
        }
        steps++;
    }
    out[get_global_id(0)] = steps + y;
}

/* ---- item by item ---- */

kernel void sums_sparse_rows(global const uint *begins, global const uint *columns,
                             global const float *x, global float *out)
{
    uint row = get_global_id(0);
    float sum = 0.0f;
    for (uint i = begins[row]; i < begins[row + 1]; i++) {
        sum += x[columns[i]];
    }
    out[row] = sum;
}

/* A kernel with sub-groups has as many lanes as a sub-group has items. */
kernel void sums_sparse_rows_in_sub_groups(global const uint *begins, global const uint *columns,
                                           global const float *x, global float *out)
{
    uint row = get_global_id(0);
    float sum = 0.0f;
    for (uint i = begins[row]; i < begins[row + 1]; i++) {
        sum += x[columns[i]];
    }
    out[row] = sum + get_sub_group_local_id();
}

__attribute__((intel_reqd_sub_group_size(8))) kernel void
sums_sparse_rows_in_eights(global const uint *begins, global const uint *columns,
                           global const float *x, global float *out)
{
    uint row = get_global_id(0);
    float sum = 0.0f;
    for (uint i = begins[row]; i < begins[row + 1]; i++) {
        sum += x[columns[i]];
    }
    out[row] = sum;
}

/* Eight items add up a row, so they leave the loop together. */
kernel void sums_sparse_rows_by_eight(global const uint *begins, global const uint *columns,
                                      global const float *x, global float *out)
{
    uint lane = get_local_id(0) & 7, row = get_global_id(0) / 8;
    float sum = 0.0f;
    for (uint i = begins[row] + lane; i < begins[row + 1]; i += 8) {
        sum += x[columns[i]];
    }
    out[get_global_id(0)] = sum;
}

/* Items read what the next item has stored, as if they ran in step. */
kernel void sums_rows_that_neighbours_store(global const uint *columns, global const float *x,
                                            global float *out)
{
    local uint begins[64];
    uint row = get_local_id(0);
    begins[row] = columns[row];
    uint end = begins[row + 1 & 63];
    float sum = 0.0f;
    for (uint i = begins[row]; i < end; i++) {
        sum += x[columns[i]];
    }
    out[row] = sum;
}

/* A barrier stands between the store and the loads. */
kernel void sums_rows_that_all_store(global const uint *columns, global const float *x,
                                     global float *out)
{
    local uint begins[64];
    uint row = get_local_id(0);
    begins[row] = columns[row];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint end = begins[row + 1 & 63];
    float sum = 0.0f;
    for (uint i = begins[row]; i < end; i++) {
        sum += x[columns[i]];
    }
    out[row] = sum;
}
