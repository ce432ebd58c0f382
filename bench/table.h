/* The rows of the benchmark. A row is a kernel in OpenCL C with its arguments and sizes, the same
 * for every peer (peer.h). The functions here fill arguments, print checksums of results, and
 * compute statistics of times. */
#ifndef GEOID_BENCH_TABLE_H
#define GEOID_BENCH_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum {
    BENCH_ARGS = 6,
    BENCH_REPEATS = 7,
    BENCH_LAUNCHES = 20000,
    BENCH_LAUNCHES_WARM = 2000,
};

enum bench_fill {
    FILL_NONE, /* ends the list of arguments */
    FILL_VALUE,
    FILL_ZERO,
    FILL_UNIT,  /* floats from 0 to 1 */
    FILL_BITS,  /* random words */
    FILL_BELOW, /* words below `value` */
    FILL_ROWS,  /* the begins of rows of 1 to 32 entries, and the end of the last row */
    FILL_ROOTS, /* exp(-2 pi i m / value) */
    FILL_BOX,   /* AES: the S-box times 2, 1, 1 and 3, in the bytes of a word from the highest */
};

enum bench_check {
    CHECK_NONE,
    CHECK_BITS,   /* equal in all peers */
    CHECK_FLOATS, /* equal except for rounding */
    CHECK_COUNTS, /* words, a few of which may differ a little by rounding */
};

struct bench_arg {
    enum bench_fill fill;
    size_t bytes; /* size of a buffer; 0: a 4-byte value */
    uint32_t value;
    enum bench_check check;
};

struct bench_row {
    const char *name, *kernel, *file; /* file: without folder and extension */
    uint32_t groups[3], local[3];
    struct bench_arg args[BENCH_ARGS];
};

struct bench_table {
    const struct bench_row *rows;
    size_t count;
};

extern const struct bench_table bench_kernels;
extern const struct bench_table bench_maths; /* one row per function of maths.def */

size_t bench_arg_count(const struct bench_row *row);

/* Fills a buffer of arg->bytes with the input that arg->fill selects. */
void bench_fill(const struct bench_arg *arg, void *memory);

/* Prints a summary that differs between different results: " bits HASH" or " near P P P P LENGTH".
 * The four sums multiply the values with fixed rows of random signs; LENGTH is the length of the
 * vector of values. One wrong value changes the sums by more than the rounding of all values. */
void bench_digest(const struct bench_arg *arg, const void *memory);

double bench_now_ms(void);

/* Sorts the samples and returns their median. */
double bench_median(double *samples, size_t count);

/* Sorts the samples and prints "launch MINIMUM MEDIAN" in microseconds. */
void bench_print_launch(double *ms, size_t count);

#endif
