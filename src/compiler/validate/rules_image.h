/* Validation of the compiler's model: type rules of images, samplers and their handles. */
#ifndef GEO_COMPILER_VALIDATE_RULES_IMAGE_H
#define GEO_COMPILER_VALIDATE_RULES_IMAGE_H

#include "compiler/ir/ir.h"

/* Is it an instruction that has its rule here? */
bool geo_rules_is_image(const struct geo_ir_inst *inst);
/* *reason says what is wrong, where that is not types alone. */
bool geo_rules_image(const struct geo_ir_inst *inst, const char **reason);

#endif
