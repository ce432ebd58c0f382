/* Defines variables at module scope in the LLVM module, with their initial values. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_INITIALIZER_H
#define GEO_COMPILER_LOWER_GLOBAL_INITIALIZER_H

#include "compiler/lower/state/function.h"

/* Returns a whole constant in the form that it has in memory. */
LLVMValueRef geo_global_initializer_constant(struct geo_lower_function *f,
                                             const struct geo_ir_value *value);
/* Defines the variables that were declared since the last call. This may declare functions and more
 * variables. Returns false after a failure. */
bool geo_global_initializer_define(struct geo_lower *lower);

#endif
