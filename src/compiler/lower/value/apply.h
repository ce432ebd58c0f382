/* Applies a scalar operation to all parts of an instruction, and defines the tables of
 * instructions. */
#ifndef GEO_COMPILER_LOWER_VALUE_APPLY_H
#define GEO_COMPILER_LOWER_VALUE_APPLY_H

#include "compiler/lower/arith/operation.h"
#include "compiler/lower/machine.h"

/* How an instruction is lowered: by an operation on each part, or by `lower`, which handles the
 * whole instruction. */
struct geo_entry {
    struct geo_operation part; /* .op is the opcode of the row; if .emit is NULL, `lower` is used */
    geo_lower_fn lower;
};

/* Applies an operation to all parts of the result of `inst`. Operands with one part are used for
 * every part (vector times scalar, select with a scalar condition). Reports an error and returns
 * false if it fails. */
bool geo_value_apply(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                     const struct geo_operation *operation);

#endif
