/* Validation of the compiler's model: type rules of cooperative matrices. */
#ifndef GEO_COMPILER_VALIDATE_RULES_MATRIX_H
#define GEO_COMPILER_VALIDATE_RULES_MATRIX_H

#include "compiler/ir/ir.h"

/* Is it an instruction that has its rule here: one of matrices alone, or another whose result or
 * operands are matrices and that works on each element? */
bool geo_rules_is_matrix(const struct geo_ir_inst *inst);
/* *reason says what is wrong, where that is not types alone. */
bool geo_rules_matrix(const struct geo_ir_inst *inst, const char **reason);

#endif
