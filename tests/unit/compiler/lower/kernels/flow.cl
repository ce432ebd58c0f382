/* Control flow of every kind; the host computes the same in C (test_flow.c). */

kernel void saxpy(global float *y, global const float *x, float a)
{
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

kernel void saxpy_guarded(global float *y, global const float *x, float a, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

kernel void mandelbrot(global int *out, int width, int limit)
{
    int px = get_global_id(0), py = get_global_id(1);
    float cx = px * 0.01f - 2.0f, cy = py * 0.01f - 1.0f;
    float x = 0, y = 0;
    int n = 0;
    while (x * x + y * y <= 4.0f && n < limit) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        n++;
    }
    out[py * width + px] = n;
}

kernel void branches(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    int v = in[i], r = 0;
    if (v & 1) {
        r = v * 3;
        if (v & 2) {
            r += in[(i + 1) % n];
        } else {
            r -= 7;
        }
    } else if (v & 4) {
        r = v / ((v & 8) ? 3 : 5);
    }
    out[i] = r + 1;
}

/* What is taken out of memory was there before the store behind it. */
kernel void taken(global int *out, global int *in)
{
    int i = get_global_id(0), v = 7;
    if (in[i] > 0) {
        v = out[i];
        out[i] = -100;
    }
    in[i] = v;
}

kernel void switches(global int *out, global const int *in)
{
    int i = get_global_id(0);
    int r = 100;
    switch (in[i]) {
    case 0:
        r = 1;
        break;
    case 1:
        r = 2; /* falls through */
    case 2:
        r += 5;
        break;
    case -7:
    case 9:
        r = in[i] * 2;
        break;
    case 1000000:
        return;
    default:
        r = -1;
    }
    out[i] = r;
}

kernel void uniform_branch(global int *out, global const int *in, int mode)
{
    int i = get_global_id(0);
    if (mode == 1) {
        out[i] = in[i] + 1;
    } else if (mode == 2) {
        out[i] = in[i] * 2;
    } else {
        out[i] = mode;
    }
}

kernel void loops(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < in[i]; k++) {
        if (in[(i + k) % n] == 3) {
            continue;
        }
        if (in[(i + k) % n] == 11) {
            break;
        }
        for (int j = k; j < 6; j++) {
            sum += j * in[(i + j) % n];
            if (sum > 1000) {
                goto out;
            }
        }
    }
out:
    out[i] = sum;
}

kernel void early_return(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    if (i >= n) {
        return;
    }
    int v = in[i];
    if (v < 0) {
        out[i] = -1;
        return;
    }
    while (v > 1) {
        if (v == 7) {
            out[i] = 7000;
            return;
        }
        v = (v & 1) ? 3 * v + 1 : v / 2;
    }
    out[i] = v;
}

/* Dead lanes must not divide, and uniform code under a divergent branch must not run for nobody. */
kernel void traps(global int *out, global const int *in, global const int *maybe_null, int d)
{
    int i = get_global_id(0);
    int r = 5;
    if (in[i] != 0) {
        r = 100 / in[i];
        r += (-2147483647 - 1) / (in[i] == -1 ? 1 : in[i]);
    }
    if (in[i] == 12345) {
        r += maybe_null[0] + 3 / d;
    }
    out[i] = r;
}

/* A uniform loop inside a divergent branch, and values that leave a divergent loop. */
kernel void temporal(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    int last = -1, acc = 0;
    if (in[i] > 2) {
        for (int k = 0; k < n; k++) {
            acc += in[k];
        }
    }
    for (int k = 0; k < 64; k++) {
        last = k * 10;
        if (k == in[i]) {
            break;
        }
    }
    out[i] = acc * 1000 + last;
}

/* Unstructured: a diamond with a crossing edge. */
kernel void crossing(global int *out, global const int *in, int u)
{
    int i = get_global_id(0);
    int r = 0;
    if (in[i] & 1) {
        r = 1;
        if (u) {
            goto right;
        }
    } else {
        r = 2;
        if (in[i] & 2) {
            goto left;
        }
        goto right;
    }
left:
    r += 10;
    if (in[i] & 4) {
        goto done;
    }
right:
    r += 100;
done:
    out[i] = r;
}

/* 32-bit and 64-bit ids, offsets, unsigned tricks. */
kernel void indices(global int *out, global const int *in, int n, int pitch)
{
    int x = get_global_id(0), y = get_global_id(1);
    int r = 0;
    if ((uint)(x - 1) < (uint)n) {
        r += in[y * pitch + (uint)(x - 1)];
    }
    if ((uint)(x + 1) < (uint)n) {
        r += in[y * pitch + x + 1];
    }
    out[(size_t)y * pitch + x] = r + in[y * pitch + x];
}

kernel void ids(global ulong *out, global const int *unused)
{
    size_t at = (get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) -
                get_global_offset(1);
    at = (at * get_global_size(0) + get_global_id(0) - get_global_offset(0)) * 16;
    for (int d = 0; d < 3; d++) {
        out[at + d] = get_global_id(d);
        out[at + 3 + d] = get_local_id(d);
        out[at + 6 + d] = get_group_id(d);
    }
    out[at + 9] = get_local_size(0);
    out[at + 10] = get_num_groups(1);
    out[at + 11] = get_global_offset(2);
    out[at + 12] = get_work_dim();
    out[at + 13] = get_global_linear_id();
    out[at + 14] = get_local_linear_id();
    out[at + 15] = get_enqueued_local_size(2);
}
