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

SIZE kernel void row_sum(global float *out, global const float *in, int n)
{
    float sum = 0;
    for (int i = get_local_id(0); i < n; i += get_local_size(0)) {
        sum += in[i];
    }
    out[get_global_id(0)] = sum;
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

// Offsets from ids that live across barriers: with a constant, and with an argument.
kernel void offsets(global float *out, global const float *in, int n)
{
    local float p[16][48];
    int lx = get_local_id(0), ly = get_local_id(1), at = get_global_id(1) * 16 + lx;
    for (int z = 0; z < n; z++) {
        p[ly][lx + 16] = in[at + z * 128];
        barrier(CLK_LOCAL_MEM_FENCE);
        float sum = p[ly][lx + 15] + p[ly][lx + 17];
        for (int r = 1; r < 4; r++) {
            sum += p[ly][lx + n - r];
        }
        out[at + z * 128] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The sum lives across barriers, and the index may wrap.
kernel void keeps_a_sum(global float *out, global const float *in, int n)
{
    local float tile[64];
    int l = get_local_id(0), i = get_global_id(0);
    float sum = in[i + n];
    for (int t = 0; t < n; t++) {
        tile[l] = in[i + t * 64];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[l] * tile[5];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}

kernel void clamped(global float *out, global const float *in, int n)
{
    int i = get_global_id(0);
    out[i] = in[max(i - 1, 0)] + in[min(i + 1, n)] + in[clamp(i + 2, 0, n)];
}

kernel void wrapped(global float *out, global const float *in, int n)
{
    int i = get_global_id(0);
    out[i] = in[(i + 1) % n] + in[(i + 3) & (n - 1)] + in[i / n];
}

kernel void bordered(global float *out, global const float *in, int n)
{
    int i = get_global_id(0);
    if (i > 0 && i < n) {
        out[i] = in[2 * i] + in[2 * i - 1];
    }
}

kernel void bordered_extended(global float *out, global const float *in, int n)
{
    int i = 2 * get_global_id(0);
    if ((long)i + 1 < n) {
        out[get_global_id(0)] = in[i] + in[i + 1];
    }
}

kernel void bordered_between_barriers(global int *sums, global const int *x)
{
    local int group[48];
    int at = get_local_id(0);
    if (at < 48) {
        group[at] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&group[x[get_global_id(0)] & 31], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at < 48) {
        atomic_add(&sums[at], group[at]);
    }
}

// Memory scopes: Device 1, Workgroup 2, Subgroup 3; semantics of all memory: AcquireRelease 0x308,
// SequentiallyConsistent 0x310.
void __attribute__((overloadable, convergent)) __spirv_ControlBarrier(uint, uint, uint);
void __attribute__((overloadable)) __spirv_MemoryBarrier(uint, uint);

SIZE kernel void fence_group(global int *out)
{
    size_t i = get_global_id(0);
    out[i] = 1;
    __spirv_ControlBarrier(2, 2, 0x308);
    out[i ^ 1] += 2;
    __spirv_ControlBarrier(3, 3, 0x308);
    out[i] += 3;
}

SIZE kernel void fence_device(global int *out)
{
    size_t i = get_global_id(0);
    out[i] = 1;
    __spirv_ControlBarrier(2, 1, 0x308);
    out[i ^ 1] += 2;
    __spirv_ControlBarrier(3, 1, 0x308);
    out[i] += 3;
    __spirv_MemoryBarrier(1, 0x308);
    out[i] += 4;
    __spirv_MemoryBarrier(2, 0x308);
    out[i] += 5;
}

// Items that return pass the barrier by, so chunks are entered by a switch.
SIZE kernel void fence_passed_by(global int *out, global const int *in)
{
    size_t i = get_global_id(0);
    out[i] = 1;
    if (in[i] < 0) {
        return;
    }
    __spirv_ControlBarrier(2, 1, 0x308);
    out[i ^ 1] += 2;
}

SIZE kernel void fence_order(global int *out)
{
    size_t i = get_global_id(0);
    out[i] = 1;
    __spirv_ControlBarrier(2, 1, 0x310);
    out[i ^ 1] += 2;
    __spirv_MemoryBarrier(0, 0x310);
    out[i] += 3;
}

#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
SIZE kernel void shuffled(global int *out, global const int *in)
{
    size_t i = get_global_id(0);
    int x = in[i];
    if (x & 1) {
        out[i] =
            sub_group_shuffle_xor(x, 1) + sub_group_shuffle(x, x & 7) + sub_group_broadcast(x, 3);
    }
}

/* The place in the stack differs between items. */
kernel void stack_of_items(global const int *in, global int *out)
{
    int stack[32], top = 0, sum = 0;
    stack[top++] = in[get_global_id(0)];
    while (top > 0) {
        int x = stack[--top];
        sum += x;
        if (x > 3 && top < 30) {
            stack[top++] = x >> 1;
            stack[top++] = x - 3;
        }
    }
    out[get_global_id(0)] = sum;
}

/* ---- the width ---- */

/* Each turn waits for the square root and the quotient of the turn before. */
kernel void waits_for_itself(global float *out)
{
    float a = out[get_global_id(0)], x = 1.0f;
    for (int i = 0; i < 20; i++) {
        x -= (x * x * x - a) / (3.0f * x * x + sqrt(x * x + a));
    }
    out[get_global_id(0)] = x;
}

kernel void waits_in_its_group(global float *out)
{
    float a = out[get_global_id(0)], x = 1.0f;
    for (int i = 0; i < 20; i++) {
        x -= (x * x * x - a) / (3.0f * x * x + sqrt(x * x + a));
    }
    out[get_global_id(0)] = x + get_local_id(0);
}

/* Four chains keep the processor at work. */
kernel void works_all_the_time(global uint *out)
{
    uint a = out[get_global_id(0)], b = ~a, c = a * 3, d = b * 5;
    for (int i = 0; i < 100; i++) {
        a = (a ^ a << 7) + (b & 15);
        b = (b ^ b << 9) + (c & 31);
        c = (c ^ c << 5) + (d & 63);
        d = (d ^ d << 3) + (i & 7);
    }
    out[get_global_id(0)] = a ^ b ^ c ^ d;
}

/* ---- what a kernel knows of its work-group ---- */

kernel void knows_its_size(global int *out)
{
    out[get_global_id(0)] = (int)get_local_size(0);
}

kernel void knows_local_memory(global int *out, int at)
{
    local int shared[2];
    shared[at] = 1;
    out[get_global_id(0)] = shared[1 - at];
}

kernel void knows_what_its_group_sees(global atomic_int *out)
{
    atomic_fetch_add_explicit(out, 1, memory_order_relaxed, memory_scope_work_group);
}

kernel void knows_the_grid(global atomic_int *out, global int *at)
{
    at[get_global_id(1) * get_global_size(0) + get_global_id(0)] = (int)get_global_linear_id();
    atomic_fetch_add_explicit(out, 1, memory_order_relaxed, memory_scope_device);
}

/* ---- groups that contend for memory ---- */

__attribute__((noinline)) static void wait_until(global volatile int *flag)
{
    while (*flag == 0) {
    }
}

kernel void waits_in_a_call(global atomic_int *out, global volatile int *flag)
{
    wait_until(flag);
    atomic_fetch_add_explicit(out, 1, memory_order_relaxed, memory_scope_device);
}

kernel void meets_all_groups(global atomic_int *out)
{
    __spirv_ControlBarrier(1, 1, 0x208);
    atomic_fetch_add_explicit(out, 1, memory_order_relaxed, memory_scope_device);
}

kernel __attribute__((reqd_work_group_size(32, 1, 1))) void fills_its_chunks(global int *out)
{
    out[get_global_id(0)] = 1;
}

kernel void record_guarded(global const int *at, global const float4 *in, global float *out)
{
    float4 record = in[at[get_global_id(0)]];
    out[get_global_id(0)] = record.x * record.y + record.z * record.w;
}

#define STEP(i)  x = x * in[8 * i + 1] + in[8 * i + 2];
#define STEPS(i) STEP(i) STEP(i + 1) STEP(i + 2) STEP(i + 3)
#define MANY                                                                                       \
    STEPS(0) STEPS(4) STEPS(8) STEPS(12) STEPS(16) STEPS(20) STEPS(24) STEPS(28) STEPS(32) STEPS(36)

kernel void large(global const float *in, global float *out)
{
    float x = in[get_global_id(0)];
    MANY out[get_global_id(0)] = x;
}

kernel void large_between_barriers(global const float *in, global float *out, local float *shared)
{
    float x = in[get_global_id(0)];
    MANY shared[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[get_local_id(0) ^ 1];
}

kernel void large_records(global const float4 *records, global const float *in, global float *out)
{
    float4 record = records[(int)in[get_global_id(0)]];
    float x = record.x;
    MANY out[get_global_id(0)] = x;
}

kernel void large_bordered(global const float *in, global float *out, int n)
{
    int i = get_global_id(0);
    float x = in[i];
    MANY if (i > 0 && i < n - 1)
    {
        out[i] = x + in[i - 1] + in[i + 1];
    }
}

#define TURNED(name, rows, columns, y)                                                             \
    kernel void name(global const float *in, global float *out)                                    \
    {                                                                                              \
        local float tile[rows][columns];                                                           \
        int lx = get_local_id(0), ly = y;                                                          \
        tile[ly][lx] = in[get_global_id(0)];                                                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        out[get_global_id(0)] = tile[lx][ly];                                                      \
    }
TURNED(turned_8, 8, 8, get_local_id(1))
TURNED(turned_9, 8, 9, get_local_id(1))
TURNED(turned_2, 16, 2, get_local_id(1))
TURNED(turned_16, 8, 16, get_local_id(1))
TURNED(turned_by_hand, 8, 8, lx / 8)
