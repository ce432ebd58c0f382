/* Lowers vload, vstore and their half variants of OpenCL.std. */
#ifndef GEO_COMPILER_LOWER_EXT_MEMORY_H
#define GEO_COMPILER_LOWER_EXT_MEMORY_H

#include "compiler/lower/state/function.h"

bool geo_ext_vload(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_ext_vstore(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
