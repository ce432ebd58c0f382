/* Type rules of pointers, of loads and stores, and of atomics. Part of rules.c. */
#ifndef GEO_COMPILER_VALIDATE_RULES_MEMORY_H
#define GEO_COMPILER_VALIDATE_RULES_MEMORY_H

#include "compiler/ir/ir.h"

bool geo_rules_memory(const struct geo_ir_inst *inst);

#endif
