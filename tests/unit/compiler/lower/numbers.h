/* Numbers of the kinds that matrices consist of, in memory that ends at a page nobody may touch:
 * for tests of matrices and of bfloat16. */
#ifndef GEO_TESTS_LOWER_NUMBERS_H
#define GEO_TESTS_LOWER_NUMBERS_H

#include "words.h"

enum number {
    NUMBER_I8,
    NUMBER_U8,
    NUMBER_I16,
    NUMBER_I32,
    NUMBER_U32,
    NUMBER_I64,
    NUMBER_HALF,
    NUMBER_BFLOAT,     /* a type of its own (SPV_KHR_bfloat16) */
    NUMBER_BFLOAT_INT, /* in 16-bit integers (SPV_INTEL_joint_matrix) */
    NUMBER_TF32,       /* in floats */
    NUMBER_FLOAT,
    NUMBER_DOUBLE,
};

uint32_t number_bytes(enum number kind);
bool number_is_real(enum number kind);
/* Half of the distance between 1 and the next number. */
double number_epsilon(enum number kind);
/* Its type in SPIR-V. */
uint32_t number_type(struct words *w, enum number kind);

/* Integers with their sign, wrapped to 64 bits; reals exactly (of TF32 what counts of a float). */
int64_t number_integer(enum number kind, const void *array, size_t index);
double number_real(enum number kind, const void *array, size_t index);
/* Integers of all bits; reals of a few binary orders, with all bits of their fraction. */
void number_fill(enum number kind, void *array, size_t count, uint64_t seed);

/* Memory whose end is the end of a page, the next one closed. */
struct guarded {
    void *data;
    size_t bytes;
    void *mapping;
    size_t mapped;
};

struct guarded guarded_create(size_t bytes);
void guarded_destroy(struct guarded *memory);

#endif
