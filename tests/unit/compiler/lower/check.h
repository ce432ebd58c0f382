/* Kernels of kernels/<file>.cl against the reference interpreter: as clang-22 writes them with -O0
 * and -O2, at several widths and levels of the CPU, with ids that fit and that may wrap (check.c
 * has the pairs). Buffers are compared byte by byte. */
#ifndef GEO_TESTS_LOWER_CHECK_H
#define GEO_TESTS_LOWER_CHECK_H

#include "program.h"

enum check_kind {
    CHECK_BUFFER, /* `data` of `size` bytes: read and written */
    CHECK_VALUE,  /* `size` bytes at `data` */
    CHECK_LOCAL,  /* `size` bytes of local memory */
};

struct check_argument {
    enum check_kind kind;
    const void *data;
    size_t size;
};

#define CHECK_ARRAY(array)  {CHECK_BUFFER, (array), sizeof(array)}
#define CHECK_SCALAR(value) {CHECK_VALUE, &(value), sizeof(value)}

void check_kernel(const char *file, const char *kernel, const struct program_launch *launch,
                  const struct check_argument *arguments, uint32_t argument_count);

/* The same with expected results instead of the interpreter's: expected[i] (NULL: unchanged) is
 * what buffer i holds afterwards. */
void check_kernel_against(const char *file, const char *kernel, const struct program_launch *launch,
                          const struct check_argument *arguments, uint32_t argument_count,
                          const void *const *expected);

/* Frees the programs that checks have built so far (they are kept from check to check). */
void check_finish(void);

/* Numbers between low and high, the same on every machine. */
void check_fill_int(int *data, size_t count, int low, int high, uint64_t seed);
void check_fill_float(float *data, size_t count, uint64_t seed);

#endif
