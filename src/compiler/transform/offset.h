/* What the compiler's passes on the model share: constant steps from pointer to pointer. */
#ifndef GEO_COMPILER_TRANSFORM_OFFSET_H
#define GEO_COMPILER_TRANSFORM_OFFSET_H

#include "compiler/ir/ir.h"

/* True when the instruction (or constant expression) makes a pointer that lies a constant number of
 * bytes behind the pointer operands[0]: casts, access chains with constant indices, byte
 * arithmetic. */
bool geo_pointer_step(SpvOp op, const struct geo_ir_type *type,
                      struct geo_ir_value *const *operands, uint32_t operand_count, int64_t *step);

#endif
