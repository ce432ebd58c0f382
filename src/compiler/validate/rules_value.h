/* Type rules of composites and of arithmetic that no row of the table in rules.c describes. Part of
 * rules.c. */
#ifndef GEO_COMPILER_VALIDATE_RULES_VALUE_H
#define GEO_COMPILER_VALIDATE_RULES_VALUE_H

#include "compiler/ir/ir.h"

bool geo_rules_value(const struct geo_ir_inst *inst);

#endif
