/* What a program means: runs it item by item and leaves the memory as it must be.
 *
 * Independent of the compiler; the semantics are those of the SPIR-V specification (OpenCL
 * environment) for what programs may contain. Items of a group run in turn up to the next barrier,
 * each on a stack of its own. */
#ifndef GEOID_TESTS_GENERATOR_EVALUATE_H
#define GEOID_TESTS_GENERATOR_EVALUATE_H

#include "program.h"

enum gen_order { GEN_FORWARD, GEN_BACKWARD };

/* memory[i] belongs to parameter i of the kernel when that is a buffer (its bytes are changed), is
 * ignored otherwise. False with a reason in `text`: the program does something undefined, which
 * happens to reduced programs only. */
bool gen_interpret(const struct gen_program *program, uint8_t *const *memory, enum gen_order order,
                   char *text, size_t text_bytes);

/* ---- inside: one operation on scalars (evaluate_op.c) ---- */

/* How it computes with floats. */
struct gen_how {
    uint32_t rounding; /* SpvFPRoundingMode; of conversions to integers too, saturated then */
    bool given;        /* by a decoration */
    bool flush_operands, flush_result;
};

/* NULL, or why the operation is undefined for these operands. how: NULL for the usual. */
const char *gen_interpret_scalar(enum gen_op op, const struct gen_type *type,
                                 const struct gen_type *source, const uint64_t operands[3],
                                 const struct gen_how *how, uint64_t *result);
/* IN_RANGE. */
uint64_t gen_interpret_in_range(const struct gen_type *type, uint32_t bits, bool is_signed,
                                uint64_t value);

#endif
