/* Type rules of pointers, loads, stores and atomics. Used by rules.c only. */
#ifndef GEO_COMPILER_VALIDATE_RULES_MEMORY_H
#define GEO_COMPILER_VALIDATE_RULES_MEMORY_H

#include "compiler/ir/ir.h"

/* Returns whether the operands have the right types. */
bool geo_rules_memory(const struct geo_ir_inst *inst);

#endif
