/* Running a scalar operation over all parts of an instruction, and tables of instructions. */
#ifndef GEO_COMPILER_LOWER_VALUE_APPLY_H
#define GEO_COMPILER_LOWER_VALUE_APPLY_H

#include "compiler/lower/arith/operation.h"

/* Lowers a whole instruction. False after geo_lower_error. */
typedef bool (*geo_lower_fn)(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* How an instruction is lowered: by an operation on every part, or by `lower`, which does
 * everything itself. */
struct geo_entry {
    struct geo_operation part; /* .op is the row's number; .emit NULL: `lower` is used */
    geo_lower_fn lower;
};

/* Runs an operation over all parts of inst's result. Operands start at operands[0]; those with one
 * part are used for every part (vector times scalar, select with a scalar condition). */
bool geo_lower_apply(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                     const struct geo_operation *operation);

#endif
