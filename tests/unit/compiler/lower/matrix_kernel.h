/* Small kernels with cooperative matrices, for tests: a module of one kernel, "test", whose
 * parameters are pointers to numbers and 32-bit integers, written by words.h. */
#ifndef GEO_TESTS_LOWER_MATRIX_KERNEL_H
#define GEO_TESTS_LOWER_MATRIX_KERNEL_H

#include "numbers.h"
#include "program.h"

struct matrix_kernel {
    struct words w;
    uint32_t first; /* parameter */
};

/* Sub-groups of `items`; at most eight pointers and eight integers. free() it, or run it. */
struct matrix_kernel *matrix_kernel_begin(uint32_t items, const enum number *pointers,
                                          uint32_t count, uint32_t integers);
/* An accumulator of this shape. */
uint32_t matrix_kernel_type(struct words *w, uint32_t element, uint32_t rows, uint32_t columns);
/* Row by row, with a constant stride. */
uint32_t matrix_kernel_load(struct matrix_kernel *k, uint32_t type, uint32_t pointer,
                            uint32_t stride);
void matrix_kernel_store(struct matrix_kernel *k, uint32_t pointer, uint32_t value,
                         uint32_t stride);
/* An instruction of one operand, of two. */
uint32_t matrix_kernel_one(struct matrix_kernel *k, uint32_t op, uint32_t type, uint32_t a);
uint32_t matrix_kernel_two(struct matrix_kernel *k, uint32_t op, uint32_t type, uint32_t a,
                           uint32_t b);
/* Builds it, by way of a copy where it is not to be optimised, runs one sub-group, and frees it. */
void matrix_kernel_run(struct matrix_kernel *kernel, uint32_t items, bool optimize,
                       const struct program_argument *arguments, uint32_t count);

#endif
