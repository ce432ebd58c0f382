/* The SPIR-V reader: constants that are computed from other constants and from addresses of
 * variables. */
#ifndef GEO_COMPILER_SPIRV_EXPRESSION_H
#define GEO_COMPILER_SPIRV_EXPRESSION_H

#include "compiler/spirv/state.h"

/* Evaluates the current OpSpecConstantOp, whose result has this type. Returns a constant, or an
 * expression that computes an address; NULL with an error. */
struct geo_ir_value *spirv_read_expression(struct spirv_reader *reader,
                                           const struct geo_ir_type *type);
/* Creates a constant expression without evaluating it. Returns NULL with an error when memory runs
 * out. */
struct geo_ir_value *spirv_expression_create(struct spirv_reader *reader,
                                             const struct geo_ir_type *type, uint32_t op,
                                             struct geo_ir_value **operands, uint32_t count);
/* Converts a constant to type `wanted` if the two types differ only in the pointees of pointers.
 * LLVM 22 writes such constants: in a table of pointers, and in initialisers, each pointer has the
 * type of its target. Returns the constant unchanged if the types agree or differ in more; NULL
 * with an error. */
struct geo_ir_value *spirv_constant_fit(struct spirv_reader *reader, struct geo_ir_value *value,
                                        const struct geo_ir_type *wanted);

#endif
