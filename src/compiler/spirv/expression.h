/* The SPIR-V reader: constants that are computed from others, addresses of variables among them. */
#ifndef GEO_COMPILER_SPIRV_EXPRESSION_H
#define GEO_COMPILER_SPIRV_EXPRESSION_H

#include "compiler/spirv/state.h"

/* Returns what the current OpSpecConstantOp of this type computes: a constant, or an expression of
 * addresses. NULL with an error. */
struct geo_ir_value *spirv_read_expression(struct spirv_reader *reader,
                                           const struct geo_ir_type *type);
/* Makes an expression that is not computed here; NULL: memory ran out. */
struct geo_ir_value *spirv_expression_create(struct spirv_reader *reader,
                                             const struct geo_ir_type *type, uint32_t op,
                                             struct geo_ir_value **operands, uint32_t count);
/* Returns a constant as one of type `wanted` where they differ in what pointers lead to: LLVM 22
 * gives the members of a table of pointers, and initialisers, the type of what each leads to.
 * Returns the value itself when the types agree or differ in more; NULL with an error. */
struct geo_ir_value *spirv_constant_fit(struct spirv_reader *reader, struct geo_ir_value *value,
                                        const struct geo_ir_type *wanted);

#endif
