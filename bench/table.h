/* The rows of the benchmark. A row is a kernel in OpenCL C with its arguments and sizes, the same
 * for every peer (peer.h). The functions here fill arguments, print checksums of results, and
 * compute statistics of times. */
#ifndef GEOID_BENCH_TABLE_H
#define GEOID_BENCH_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum {
    BENCH_ARGS = 8,
    BENCH_REPEATS = 7,
    BENCH_LAUNCHES = 20000,
    BENCH_LAUNCHES_WARM = 2000,
};

enum bench_fill {
    FILL_NONE, /* ends the list of arguments */
    FILL_VALUE,
    FILL_ZERO,
    FILL_UNIT,   /* floats from 0 to 1 */
    FILL_BITS,   /* random words */
    FILL_BELOW,  /* words below `value` */
    FILL_ROWS,   /* the begins of rows of 1 to 32 entries, and the end of the last row */
    FILL_ROOTS,  /* exp(-2 pi i m / value) */
    FILL_BOX,    /* AES: the S-box times 2, 1, 1 and 3, in the bytes of a word from the highest */
    FILL_HALVES, /* 16-bit floats from 0.5 to 1 */
    FILL_SORTED, /* random words in ascending order */
    FILL_PLACES, /* where FILL_BITS keys go in a pass of a radix sort: bench_fill */
    FILL_TEXT,   /* words of UTF-8, with spaces and line ends */
    FILL_TREE,   /* a tree of boxes around spheres: bench_fill */
};

enum bench_check {
    CHECK_NONE,
    CHECK_BITS,   /* equal in all peers */
    CHECK_FLOATS, /* equal except for rounding */
    CHECK_COUNTS, /* words, a few of which may differ a little by rounding */
    CHECK_MOST, /* floats, a few of which may differ much, as at the edges of an image's objects */
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
extern const struct bench_table bench_second; /* kernels that Geoid is not tuned with: second.c */
extern const struct bench_table bench_maths;  /* one row per function of maths.def */

size_t bench_arg_count(const struct bench_row *row);

/* Fills a buffer of arg->bytes with the input that arg->fill selects.
 *
 * FILL_PLACES is for the same number of keys as the buffer has words times 16. The keys are in
 * groups of 256, and a digit is the 4 bits from bit `value` on. Word [digit][group] is the place of
 * the group's first key with that digit in the sorted keys.
 *
 * FILL_TREE is a complete binary tree in which node i has the children 2i + 1 and 2i + 2. A node is
 * 8 floats: least x, y, z, 0, largest x, y, z, 0. A leaf is a box around a sphere. */
void bench_fill(const struct bench_arg *arg, void *memory);

/* Prints a summary that differs between different results: " bits HASH" or " near P P P P LENGTH".
 * The four sums multiply the values with fixed rows of random signs; LENGTH is the length of the
 * vector of values. One wrong value changes the sums by more than the rounding of all values.
 * For CHECK_MOST, " most" and 64 sums, each of every 64th value. */
void bench_digest(const struct bench_arg *arg, const void *memory);

double bench_now_ms(void);

/* Sorts the samples and returns their median. */
double bench_median(double *samples, size_t count);

/* Sorts the samples and prints "launch MINIMUM MEDIAN" in microseconds. */
void bench_print_launch(double *ms, size_t count);

#endif
