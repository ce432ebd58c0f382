/* Type rules of the model: number and types of the operands that each opcode demands. */
#ifndef GEO_COMPILER_VALIDATE_RULES_H
#define GEO_COMPILER_VALIDATE_RULES_H

#include "compiler/ir/ir.h"

/* Returns whether the instruction satisfies the rules of its opcode; if not, *reason is a static
 * text. Opcodes without a rule pass: lowering rejects opcodes that it does not know. Operands must
 * not be NULL. `function` is NULL for an instruction carried by OpSpecConstantOp, which has a
 * result and no effect. */
bool geo_rules_check(const struct geo_ir_function *function, const struct geo_ir_inst *inst,
                     const char **reason);

#endif
