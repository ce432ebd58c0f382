/* Type rules of OpenCL.std. Used by rules.c only. */
#ifndef GEO_COMPILER_VALIDATE_RULES_EXT_H
#define GEO_COMPILER_VALIDATE_RULES_EXT_H

#include "compiler/ir/ir.h"

/* Returns whether number and types of the arguments of an OpExtInst are right. */
bool geo_rules_ext(const struct geo_ir_inst *inst);

#endif
