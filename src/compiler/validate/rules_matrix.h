/* Type rules of cooperative matrices. Used by rules.c only. */
#ifndef GEO_COMPILER_VALIDATE_RULES_MATRIX_H
#define GEO_COMPILER_VALIDATE_RULES_MATRIX_H

#include "compiler/ir/ir.h"

/* Returns whether the rule of this instruction is in this file: a matrix instruction, or an
 * element-wise instruction whose result or operands are matrices. */
bool geo_rules_is_matrix(const struct geo_ir_inst *inst);
/* Checks an instruction. *reason is set if an error is not one of types alone. */
bool geo_rules_matrix(const struct geo_ir_inst *inst, const char **reason);

#endif
