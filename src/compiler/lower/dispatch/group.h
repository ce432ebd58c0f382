/* Lowers group operations by choosing the function for their family. */
#ifndef GEO_COMPILER_LOWER_DISPATCH_GROUP_H
#define GEO_COMPILER_LOWER_DISPATCH_GROUP_H

#include "compiler/lower/state/function.h"

/* Lowers a group operation. Reports an error for any other instruction. */
bool geo_dispatch_group(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
