/* The benchmarks' table of kernels: see table.h. What the programs for Level Zero and for OpenCL
 * share. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FLOATS(n)   {(size_t)(n) * 4, FILL_UNIT, 0}
#define UINTS(n)    {(size_t)(n) * 4, FILL_BITS, 0}
#define OUT(n)      {(size_t)(n) * 4, FILL_ZERO, 0}
#define VALUE(bits) {0, FILL_ZERO, bits}

enum { M = 1 << 20 };

static const struct bench_kernel kernels[] = {
    {"saxpy", {4 * M / 256, 1}, {256, 1}, {VALUE(0x40200000), FLOATS(4 * M), FLOATS(4 * M)}, 3},
    {"triad", {64, 1}, {256, 1}, {OUT(16384), FLOATS(16384), FLOATS(16384), VALUE(0x40200000)}, 4},
    {"sgemm_naive",
     {32, 32},
     {16, 16},
     {FLOATS(512 * 512), FLOATS(512 * 512), OUT(512 * 512), VALUE(512)},
     4},
    {"sgemm_tiled",
     {32, 32},
     {16, 16},
     {FLOATS(512 * 512), FLOATS(512 * 512), OUT(512 * 512), VALUE(512)},
     4},
    {"nbody", {4096 / 128, 1}, {128, 1}, {FLOATS(4 * 4096), OUT(4 * 4096), VALUE(4096)}, 3},
    {"mandelbrot",
     {8, 256},
     {64, 2},
     {OUT(512 * 512), VALUE(512), VALUE(0xc00ccccd), VALUE(0xbfc00000), VALUE(0x3bc00000),
      VALUE(256)},
     6},
    {"black_scholes", {M / 256, 1}, {256, 1}, {FLOATS(M), OUT(M), OUT(M)}, 3},
    {"sin_pow", {M / 256, 1}, {256, 1}, {FLOATS(M), OUT(M)}, 2},
    {"reduce_tree", {4 * M / 256, 1}, {256, 1}, {FLOATS(4 * M), OUT(4 * M / 256)}, 2},
    {"histogram", {M / 16 / 256, 1}, {256, 1}, {UINTS(M), OUT(256)}, 2},
    {"spmv",
     {65536 / 64, 1},
     {64, 1},
     {UINTS(12 * 65536), FLOATS(12 * 65536), FLOATS(65536), OUT(65536), VALUE(65536)},
     5},
    {"transpose",
     {2048 / 16, 2048 / 16},
     {16, 16},
     {FLOATS(2048 * 2048), OUT(2048 * 2048), VALUE(2048)},
     3},
};

#define FUNCTION(name)                                                                             \
    {"maths_" #name, {65536 / 256, 16}, {256, 1}, {FLOATS(65536), OUT(65536)}, 2},
#define MATHS_ONE(name, ...)        FUNCTION(name)
#define MATHS_TWO(name, ...)        FUNCTION(name)
#define MATHS_INT(name, ...)        FUNCTION(name)
#define MATHS_POINTER(name, ...)    FUNCTION(name)
#define MATHS_DOUBLE(name, ...)     FUNCTION(double_##name)
#define MATHS_DOUBLE_TWO(name, ...) FUNCTION(double_##name)
static const struct bench_kernel maths[] = {
#include "maths.def"
};

const struct bench_table bench_kernels = {kernels, sizeof(kernels) / sizeof(kernels[0])};
const struct bench_table bench_maths = {maths, sizeof(maths) / sizeof(maths[0])};

void bench_fill(const struct bench_arg *arg, void *memory)
{
    uint32_t state = 12345, *words = memory;
    float *floats = memory;
    for (size_t i = 0; i < arg->bytes / 4; i++) {
        state = state * 1664525u + 1013904223u;
        switch (arg->fill) {
        case FILL_ZERO:
            words[i] = 0;
            break;
        case FILL_UNIT:
            floats[i] = (float)(state >> 8) * (1.0f / 16777216.0f);
            break;
        case FILL_BITS:
            words[i] = state;
            break;
        }
    }
}

double bench_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_print_launch(double *ms, size_t count)
{
    qsort(ms, count, sizeof(*ms), compare);
    printf("launch %.3f %.3f\n", ms[0] * 1e3, ms[count / 2] * 1e3);
}
