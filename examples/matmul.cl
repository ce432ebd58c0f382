/* Computes c = a b for square row-major matrices: directly, and by tiles in local memory, which the
 * work-group shares. */
#define TILE 16

__kernel void matmul_naive(__global const float *a, __global const float *b, __global float *c,
                           uint n)
{
    size_t column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (uint k = 0; k < n; k++) {
        sum = fma(a[row * n + k], b[k * n + column], sum);
    }
    c[row * n + column] = sum;
}

/* Multiplies by tiles. Groups have TILE x TILE items; n is a multiple of TILE. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
matmul_tiled(__global const float *a, __global const float *b, __global float *c, uint n)
{
    __local float tile_a[TILE][TILE];
    __local float tile_b[TILE][TILE];
    size_t column = get_global_id(0), row = get_global_id(1);
    size_t x = get_local_id(0), y = get_local_id(1);
    float sum = 0.0f;
    for (uint start = 0; start < n; start += TILE) {
        tile_a[y][x] = a[row * n + start + x];
        tile_b[y][x] = b[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++) {
            sum = fma(tile_a[y][k], tile_b[k][x], sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
