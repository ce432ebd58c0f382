/* Kernels whose items work together through local memory. Sizes are in table.c. */
#define GID   ((size_t)get_global_id(0))
#define GROUP 256

/* Computes the inclusive scan of each group's 256 values in log2(256) steps, with all items in each
 * step. */
__kernel void scan_hillis(__global const float *in, __global float *out)
{
    __local float cells[2][GROUP];
    uint l = (uint)get_local_id(0), from = 0;
    cells[0][l] = in[GID];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = 1; offset < GROUP; offset *= 2) {
        float value = cells[from][l];
        if (l >= offset) {
            value += cells[from][l - offset];
        }
        cells[1 - from][l] = value;
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[GID] = cells[from][l];
}

/* Computes the exclusive scan of each group's 512 values: sums up the tree, then down again. */
__kernel void scan_blelloch(__global const float *in, __global float *out)
{
    __local float cells[2 * GROUP];
    uint l = (uint)get_local_id(0), offset = 1;
    size_t first = get_group_id(0) * 2 * GROUP;
    cells[2 * l] = in[first + 2 * l];
    cells[2 * l + 1] = in[first + 2 * l + 1];
    for (uint width = GROUP; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < width) {
            cells[offset * (2 * l + 2) - 1] += cells[offset * (2 * l + 1) - 1];
        }
        offset *= 2;
    }
    if (l == 0) {
        cells[2 * GROUP - 1] = 0.0f;
    }
    for (uint width = 1; width <= GROUP; width *= 2) {
        offset /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < width) {
            uint left = offset * (2 * l + 1) - 1, right = offset * (2 * l + 2) - 1;
            float value = cells[left];
            cells[left] = cells[right];
            cells[right] += value;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + 2 * l] = cells[2 * l];
    out[first + 2 * l + 1] = cells[2 * l + 1];
}

__kernel void histogram_global(__global const uint *in, __global uint *out)
{
    atomic_inc(&out[(in[GID] >> 8) & 255]);
}

#define TILE 16

__kernel void transpose_tiled(__global const float *in, __global float *out, uint n)
{
    __local float tile[TILE][TILE + 1];
    size_t x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * TILE,
           top = get_group_id(1) * TILE;
    tile[y][x] = in[(top + y) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * n + top + x] = tile[x][y];
}

__kernel void transpose_bytes(__global const uchar *in, __global uchar *out, uint n)
{
    out[(size_t)get_global_id(0) * n + get_global_id(1)] =
        in[(size_t)get_global_id(1) * n + get_global_id(0)];
}

__kernel void transpose_bytes_tiled(__global const uchar *in, __global uchar *out, uint n)
{
    __local uchar tile[TILE][TILE + 1];
    size_t x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * TILE,
           top = get_group_id(1) * TILE;
    tile[y][x] = in[(top + y) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * n + top + x] = tile[x][y];
}

#define POINTS (2 * GROUP)

/* Transforms 512 complex values in each group, by Stockham's FFT of radix 2. roots[m] is
 * exp(-2 pi i m / 512). */
__kernel void fft_local(__global const float2 *in, __global float2 *out,
                        __global const float2 *roots)
{
    __local float2 cells[2][POINTS];
    uint l = (uint)get_local_id(0), from = 0;
    size_t first = get_group_id(0) * POINTS;
    cells[0][l] = in[first + l];
    cells[0][l + GROUP] = in[first + l + GROUP];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint length = 1; length < POINTS; length *= 2) {
        uint k = l & (length - 1), to = 2 * l - k;
        float2 root = roots[k * (GROUP / length)], a = cells[from][l], b = cells[from][l + GROUP];
        float2 turned = (float2)(b.x * root.x - b.y * root.y, b.x * root.y + b.y * root.x);
        cells[1 - from][to] = a + turned;
        cells[1 - from][to + length] = a - turned;
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[first + l] = cells[from][l];
    out[first + l + GROUP] = cells[from][l + GROUP];
}

#define ORDER 32

/* Factors a matrix of 32 x 32 in each group of 32 items. The matrix is made diagonally dominant.
 * Each item owns a column. */
__kernel void lu_local(__global const float *in, __global float *out)
{
    __local float m[ORDER][ORDER];
    uint l = (uint)get_local_id(0);
    size_t first = get_group_id(0) * ORDER * ORDER;
    for (uint row = 0; row < ORDER; row++) {
        m[row][l] = in[first + row * ORDER + l] + (row == l ? (float)ORDER : 0.0f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < ORDER; k++) {
        if (l > k) {
            m[l][k] /= m[k][k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l > k) {
            for (uint row = k + 1; row < ORDER; row++) {
                m[row][l] -= m[row][k] * m[k][l];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint row = 0; row < ORDER; row++) {
        out[first + row * ORDER + l] = m[row][l];
    }
}
