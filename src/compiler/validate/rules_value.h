/* Type rules of composites and of arithmetic, except for the opcodes in the table of rules.c. Used
 * by rules.c only. */
#ifndef GEO_COMPILER_VALIDATE_RULES_VALUE_H
#define GEO_COMPILER_VALIDATE_RULES_VALUE_H

#include "compiler/ir/ir.h"

/* Returns whether the operands have the right types. */
bool geo_rules_value(const struct geo_ir_inst *inst);

#endif
