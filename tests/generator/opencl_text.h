/* What the two halves of the OpenCL C emitter share: a growing text, types and expressions in it.
 */
#ifndef GEOID_TESTS_GENERATOR_OPENCL_TEXT_H
#define GEOID_TESTS_GENERATOR_OPENCL_TEXT_H

#include "program.h"

struct gen_text {
    char *items;
    size_t length, capacity;
    uint32_t temporaries; /* named so far */
};

void gen_print(struct gen_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A scalar, vector or struct; is_signed: of the signed integers of the same width. */
void gen_print_type(struct gen_text *text, const struct gen_type *type, bool is_signed);
void gen_print_const(struct gen_text *text, const struct gen_type *type, const uint64_t *leaves);
void gen_print_place(struct gen_text *text, const struct gen_place *place);
void gen_print_expr(struct gen_text *text, const struct gen_expr *expr);
/* A whole statement (opencl_subgroup.c). */
void gen_print_subgroup(struct gen_text *text, const struct gen_stmt *stmt);

#endif
