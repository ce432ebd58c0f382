/* What is measured: kernels of kernels.cl with their arguments and sizes, the same for Level Zero
 * and OpenCL. Both programs print one line per kernel, "kernel NAME MILLISECONDS", best of several
 * launches; scripts/bench compares. */
#ifndef GEOID_BENCH_TABLE_H
#define GEOID_BENCH_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum bench_fill { FILL_ZERO, FILL_UNIT, FILL_BITS };

struct bench_arg {
    size_t bytes;         /* of a buffer; 0: a 4-byte value */
    enum bench_fill fill; /* of a buffer */
    uint32_t value;
};

struct bench_kernel {
    const char *name;
    uint32_t groups[2], local[2];
    struct bench_arg args[6];
    size_t arg_count;
};

struct bench_table {
    const struct bench_kernel *kernels;
    size_t count;
};

extern const struct bench_table bench_kernels; /* of kernels.cl */
extern const struct bench_table bench_maths;   /* of maths.cl, one per function */

enum { BENCH_REPEATS = 7, BENCH_LAUNCHES = 20000, BENCH_LAUNCHES_WARM = 2000 };

void bench_fill(const struct bench_arg *arg, void *memory);
double bench_now_ms(void);

/* Sorts the samples and prints "launch MINIMUM MEDIAN" in microseconds. */
void bench_print_launch(double *ms, size_t count);

#endif
