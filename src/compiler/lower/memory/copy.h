/* Lowers copies from memory to memory. */
#ifndef GEO_COMPILER_LOWER_MEMORY_COPY_H
#define GEO_COMPILER_LOWER_MEMORY_COPY_H

#include "compiler/lower/state/function.h"

bool geo_access_copy_memory(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
