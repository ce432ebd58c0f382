/* Type rules of images, samplers and their handles. Used by rules.c only. */
#ifndef GEO_COMPILER_VALIDATE_RULES_IMAGE_H
#define GEO_COMPILER_VALIDATE_RULES_IMAGE_H

#include "compiler/ir/ir.h"

/* Returns whether the rule of this instruction is in this file. */
bool geo_rules_is_image(const struct geo_ir_inst *inst);
/* Checks an instruction. *reason is set if an error is not one of types alone. */
bool geo_rules_image(const struct geo_ir_inst *inst, const char **reason);

#endif
