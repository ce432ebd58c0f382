/* Variables at module scope, and in local memory. */
#ifndef GEO_COMPILER_LOWER_DEBUG_GLOBAL_H
#define GEO_COMPILER_LOWER_DEBUG_GLOBAL_H

#include "compiler/lower/debug/debug.h"

/* Describes the variables in local memory, which starts at `scratch`, to code that is emitted next. */
void geo_debug_global_local(struct geo_lower_function *f, LLVMValueRef scratch);
/* Describes the variables of the module that are LLVM variables. */
void geo_debug_global_describe(struct geo_lower *lower);

#endif
