/* What variables at module scope start with: their definitions in the LLVM module. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_INITIALIZER_H
#define GEO_COMPILER_LOWER_GLOBAL_INITIALIZER_H

#include "compiler/lower/state/function.h"

/* A whole constant in memory form. */
LLVMValueRef geo_lower_constant_memory(struct geo_lower_function *f,
                                       const struct geo_ir_value *value);
/* Defines the variables that were declared since the last time; may declare functions. False after
 * a failure. */
bool geo_lower_variables_define(struct geo_lower *lower);

#endif
