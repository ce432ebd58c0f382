/* Kernels whose emitted code is looked at (test_emit.c). The required size is a multiple of every
 * width, so there are no partial chunks. */
#define SIZE __attribute__((reqd_work_group_size(64, 1, 1)))

SIZE kernel void saxpy(global float *y, global const float *x, float a)
{
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

SIZE kernel void saxpy_int(global float *y, global const float *x, float a, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

SIZE kernel void stencil(global float *out, global const float *in, int n)
{
    int i = get_global_id(0);
    if (i > 0 && i < n - 1) {
        out[i] = in[i - 1] + in[i] + in[i + 1];
    }
}

SIZE kernel void row_major(global float *out, global const float *in, int pitch, int rows)
{
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * pitch + x;
    if (y < rows && x < pitch) {
        out[at] = in[at] * 2;
    }
}

SIZE kernel void column_sum(global float *out, global const float *in, int pitch, int rows)
{
    int x = get_global_id(0);
    float sum = 0;
    for (int y = 0; y < rows; y++) {
        sum += in[y * pitch + x];
    }
    out[x] = sum;
}

SIZE kernel void grid_stride(global float *out, global const float *in, ulong n)
{
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) {
        out[i] = in[i] + 1;
    }
}

SIZE kernel void mandelbrot(global int *out, ulong width, int limit)
{
    float cx = get_global_id(0) * 0.01f - 2.0f, cy = get_global_id(1) * 0.01f - 1.0f;
    float x = 0, y = 0;
    int n = 0;
    while (x * x + y * y <= 4.0f && n < limit) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        n++;
    }
    out[get_global_id(1) * width + get_global_id(0)] = n;
}

SIZE kernel void spmv(global float *y, global const int *rows, global const int *columns,
                      global const float *values, global const float *x)
{
    size_t i = get_global_id(0);
    float sum = 0;
    for (int k = rows[i]; k < rows[i + 1]; k++) {
        sum += values[k] * x[columns[k]];
    }
    y[i] = sum;
}

SIZE kernel void uniform_branch(global float *y, global const float *x, int mode)
{
    size_t i = get_global_id(0);
    if (mode > 3) {
        y[i] = x[i] * 3;
    } else {
        y[i] = sqrt(x[i]) + y[i + 64];
    }
}

SIZE kernel void uniform_loop(global float *y, global const float *x, int n)
{
    size_t i = get_global_id(0);
    if (x[i] > 0) {
        float sum = 0;
        for (int k = 0; k < n; k++) {
            sum += x[k];
        }
        y[i] = sum;
    }
}

SIZE kernel void tiles(global float *out, global const float *in, int turns)
{
    local float tile[64];
    size_t l = get_local_id(0), i = get_global_id(0);
    float sum = 0;
    for (int t = 0; t < turns; t++) {
        tile[l] = in[i + t * 64];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[l] * tile[5];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}
