/* Validation of the compiler's model: what each opcode wants of its operands' number and types. */
#ifndef GEO_COMPILER_VALIDATE_RULES_H
#define GEO_COMPILER_VALIDATE_RULES_H

#include "compiler/ir/ir.h"

/* False with a static text when the instruction is malformed. Opcodes without a rule pass: lowering
 * refuses what it does not know. Operands are not NULL. function: NULL for what OpSpecConstantOp
 * carries, an instruction with a result and without effect. */
bool geo_rules_check(const struct geo_ir_function *function, const struct geo_ir_inst *inst,
                     const char **reason);

#endif
