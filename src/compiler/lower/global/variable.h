/* Addresses of variables at module scope, which are LLVM globals or places in local memory. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_VARIABLE_H
#define GEO_COMPILER_LOWER_GLOBAL_VARIABLE_H

#include "compiler/lower/state/function.h"

/* Returns the address of a variable or function at module scope (ptr, uniform). For an LLVM global
 * it is a constant, and the global is declared on the first request (initializer.h). For local
 * memory it is an instruction. */
LLVMValueRef geo_global_variable_address(struct geo_lower_function *f,
                                         const struct geo_ir_value *value);
/* Declares the variables that other modules or the host may request. Returns false after a
 * failure. */
bool geo_global_shared_variables(struct geo_lower *lower);

#endif
