/* Numerical kernels: grids, sparse matrices, samples, clusters. */
#define GID ((size_t)get_global_id(0))

/* Computes a seven-point stencil. The border keeps its values. */
__kernel void stencil(__global const float *in, __global float *out, uint n)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), row = n,
           plane = (size_t)n * n, i = z * plane + y * row + x;
    if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - row] + in[i + row] +
                                    in[i - plane] + in[i + plane]);
}

/* Makes a sweep for Poisson's equation on a plane with a fixed border. */
__kernel void jacobi(__global const float *from, __global const float *right, __global float *to,
                     uint n)
{
    size_t x = get_global_id(0), y = get_global_id(1), i = y * n + x;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        to[i] = 0.25f * (right[i] + from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
    }
}

/* Makes one step of an elimination, for the elements below and right of the pivot. Adding 4 keeps
 * the pivot away from zero. */
__kernel void lu_step(__global float *m, uint n, uint k)
{
    size_t column = get_global_id(0), row = get_global_id(1);
    if (row > k && column > k) {
        m[row * n + column] -=
            m[row * n + k] / (m[(size_t)k * n + k] + 4.0f) * m[(size_t)k * n + column];
    }
}

/* Multiplies a sparse matrix in CSR format, a row of 1 to 32 entries per item. */
__kernel void spmv_csr(__global const uint *rows, __global const uint *columns,
                       __global const float *values, __global const float *x, __global float *y)
{
    float sum = 0.0f;
    for (uint k = rows[GID]; k < rows[GID + 1]; k++) {
        sum = fma(values[k], x[columns[k]], sum);
    }
    y[GID] = sum;
}

/* Multiplies a sparse matrix in ELL format, a row of 16 entries per item. Entry k of all rows is
 * stored before entry k + 1. */
__kernel void spmv_ell(__global const uint *columns, __global const float *values,
                       __global const float *x, __global float *y, uint n)
{
    float sum = 0.0f;
    for (uint k = 0; k < 16; k++) {
        size_t entry = (size_t)k * n + GID;
        sum = fma(values[entry], x[columns[entry]], sum);
    }
    y[GID] = sum;
}

/* Counts how many of an item's 256 random points are in the circle. */
__kernel void monte_carlo(__global uint *out, uint seed)
{
    uint state = ((uint)GID + 1) * 2654435761u ^ seed, inside = 0;
    state = state ? state : 1;
    for (uint i = 0; i < 256; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        float x = (float)(state >> 8) * (1.0f / 16777216.0f);
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        float y = (float)(state >> 8) * (1.0f / 16777216.0f);
        inside += fma(x, x, y * y) < 1.0f ? 1 : 0;
    }
    out[GID] = inside;
}

/* Finds the nearest of `count` centres. */
__kernel void kmeans(__global const float4 *points, __global const float4 *centres,
                     __global uint *nearest, uint count)
{
    float4 point = points[GID];
    float least = INFINITY;
    uint best = 0;
    for (uint k = 0; k < count; k++) {
        float4 d = point - centres[k];
        float square = dot(d, d);
        if (square < least) {
            least = square;
            best = k;
        }
    }
    nearest[GID] = best;
}

struct particle {
    float x, y, z, vx, vy, vz, charge;
    uint kind;
};

/* Updates an array of small structs. Only some items read the member charge. */
__kernel void particles(__global struct particle *all, float step_size, float field)
{
    struct particle p = all[GID];
    if (p.kind & 1) {
        p.vz = fma(p.charge * field, step_size, p.vz);
    }
    p.x = fma(p.vx, step_size, p.x);
    p.y = fma(p.vy, step_size, p.y);
    p.z = fma(p.vz, step_size, p.z);
    all[GID] = p;
}

/* Computes on a plane. The rows of the table use work-groups of many shapes. */
__kernel void shape(__global const float *in, __global float *out, uint width)
{
    size_t i = (size_t)get_global_id(1) * width + get_global_id(0);
    float x = in[i], sum = 0.0f;
    for (uint k = 0; k < 16; k++) {
        sum = fma(sum, x, 0.5f + x);
    }
    out[i] = sum;
}
