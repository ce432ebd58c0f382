/* Constant offsets between pointers, for the passes of transform/. */
#ifndef GEO_COMPILER_TRANSFORM_PASS_OFFSET_H
#define GEO_COMPILER_TRANSFORM_PASS_OFFSET_H

#include "compiler/ir/ir.h"

/* Returns whether an instruction (or constant expression) computes a pointer that is a constant
 * number of bytes behind operands[0]; *step is that number. It handles casts, access chains with
 * constant indices, and byte arithmetic. */
bool geo_make_pointer_step(SpvOp op, const struct geo_ir_type *type,
                           struct geo_ir_value *const *operands, uint32_t operand_count,
                           int64_t *step);

#endif
