/* Lowering of sub-group operations: by family. */
#ifndef GEO_COMPILER_LOWER_GROUP_GROUP_H
#define GEO_COMPILER_LOWER_GROUP_GROUP_H

#include "compiler/lower/state/function.h"

/* An error for what is no group operation. */
bool geo_lower_group(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
