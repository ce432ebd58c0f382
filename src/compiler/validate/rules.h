/* Type rules of the model: number and types of the operands that each opcode demands. */
#ifndef GEO_COMPILER_VALIDATE_RULES_H
#define GEO_COMPILER_VALIDATE_RULES_H

#include "compiler/ir/ir.h"

/* Returns whether the instruction satisfies the rules of its opcode; if not, *reason is a static
 * text. An opcode without a row in opcodes.def does not pass. Operands must not be NULL. The
 * instruction may be outside of any block if OpSpecConstantOp carries it. */
bool geo_rules_check(const struct geo_ir_inst *inst, const char **reason);

#endif
