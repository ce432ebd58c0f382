/* Small systems of equations, one or a few per item. */

/* Solves tridiagonal systems by Thomas' algorithm. Element k of all systems comes before element
 * k + 1. The diagonal is made dominant by adding 4. */
__kernel void tridiagonal(__global const float *lower, __global const float *diagonal,
                          __global const float *upper, __global float *factor, __global float *x,
                          int n)
{
    int i = get_global_id(0), stride = get_global_size(0);
    float c = upper[i] / (diagonal[i] + 4.0f), d = 1.0f / (diagonal[i] + 4.0f);
    factor[i] = c;
    x[i] = d;
    for (int k = 1; k < n; k++) {
        int at = k * stride + i;
        float pivot = 1.0f / (diagonal[at] + 4.0f - lower[at] * c);
        c = upper[at] * pivot;
        d = (1.0f - lower[at] * d) * pivot;
        factor[at] = c;
        x[at] = d;
    }
    for (int k = n - 2; k >= 0; k--) {
        int at = k * stride + i;
        d = x[at] - factor[at] * d;
        x[at] = d;
    }
}

/* Inverts matrices of 4x4 by Gauss-Jordan elimination in private memory. */
__kernel void inverse4(__global const float *in, __global float *out)
{
    float m[4][8];
    __global const float *from = in + get_global_id(0) * 16;
    __global float *to = out + get_global_id(0) * 16;
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            m[r][c] = from[r * 4 + c] + (r == c ? 4.0f : 0.0f);
            m[r][c + 4] = r == c ? 1.0f : 0.0f;
        }
    }
    for (int k = 0; k < 4; k++) {
        float scale = 1.0f / m[k][k];
        for (int c = 0; c < 8; c++) {
            m[k][c] *= scale;
        }
        for (int r = 0; r < 4; r++) {
            if (r != k) {
                float f = m[r][k];
                for (int c = 0; c < 8; c++) {
                    m[r][c] -= f * m[k][c];
                }
            }
        }
    }
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            to[r * 4 + c] = m[r][c + 4];
        }
    }
}

/* Finds the eigenvalues of symmetric 3x3 matrices by 4 sweeps of Jacobi rotations. */
__kernel void eigen3(__global const float *in, __global float *out)
{
    float a[3][3];
    size_t gid = get_global_id(0);
    int at = 0;
    for (int r = 0; r < 3; r++) {
        for (int c = r; c < 3; c++) {
            a[r][c] = a[c][r] = in[gid * 6 + at++];
        }
    }
    for (int sweep = 0; sweep < 4; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (fabs(a[p][q]) < 1e-12f) {
                    continue;
                }
                float theta = (a[q][q] - a[p][p]) / (2.0f * a[p][q]);
                float t = copysign(1.0f, theta) / (fabs(theta) + sqrt(theta * theta + 1.0f));
                float c = 1.0f / sqrt(t * t + 1.0f), s = t * c;
                for (int k = 0; k < 3; k++) {
                    float x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    float x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                }
            }
        }
    }
    float low = fmin(a[0][0], fmin(a[1][1], a[2][2]));
    float high = fmax(a[0][0], fmax(a[1][1], a[2][2]));
    out[gid * 3] = low;
    out[gid * 3 + 1] = a[0][0] + a[1][1] + a[2][2] - low - high;
    out[gid * 3 + 2] = high;
}

#define ORDER 8

/* Factors symmetric matrices of 8x8 and solves for one right side: Cholesky's method, one matrix
 * per item. */
__kernel void cholesky8(__global const float *in, __global const float *right, __global float *x)
{
    float l[ORDER][ORDER], y[ORDER];
    size_t gid = get_global_id(0);
    for (int r = 0; r < ORDER; r++) {
        for (int c = 0; c <= r; c++) {
            float sum = in[gid * 64 + r * ORDER + c] + (r == c ? 8.0f : 0.0f);
            for (int k = 0; k < c; k++) {
                sum -= l[r][k] * l[c][k];
            }
            l[r][c] = r == c ? sqrt(sum) : sum / l[c][c];
        }
    }
    for (int r = 0; r < ORDER; r++) {
        float sum = right[gid * ORDER + r];
        for (int k = 0; k < r; k++) {
            sum -= l[r][k] * y[k];
        }
        y[r] = sum / l[r][r];
    }
    for (int r = ORDER - 1; r >= 0; r--) {
        float sum = y[r];
        for (int k = r + 1; k < ORDER; k++) {
            sum -= l[k][r] * y[k];
        }
        y[r] = sum / l[r][r];
        x[gid * ORDER + r] = y[r];
    }
}

/* The vector part of a step of conjugate gradients: updates x and r, and adds up r . r by
 * work-group. */
__kernel void cg_update(__global float *x, __global float *r, __global const float *p,
                        __global const float *q, __global float *partial, float alpha)
{
    __local float sums[256];
    size_t gid = get_global_id(0), lid = get_local_id(0);
    x[gid] += alpha * p[gid];
    float rest = r[gid] - alpha * q[gid];
    r[gid] = rest;
    sums[lid] = rest * rest;
    for (uint s = 128; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < s) {
            sums[lid] += sums[lid + s];
        }
    }
    if (lid == 0) {
        partial[get_group_id(0)] = sums[0];
    }
}

/* Multiplies a sparse matrix in CSR format with 8 items per row, which add up their products in
 * local memory. */
__kernel void spmv_rowwise(__global const uint *rows, __global const uint *columns,
                           __global const float *values, __global const float *x, __global float *y)
{
    __local float sums[64];
    uint lid = get_local_id(0), lane = lid & 7, row = get_global_id(0) / 8;
    float sum = 0.0f;
    for (uint k = rows[row] + lane; k < rows[row + 1]; k += 8) {
        sum += values[k] * x[columns[k]];
    }
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 4) {
        sums[lid] += sums[lid + 4];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 2) {
        sums[lid] += sums[lid + 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        y[row] = sums[lid] + sums[lid + 1];
    }
}
