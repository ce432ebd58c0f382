/* Variables at module scope: globals of LLVM, or places in local memory. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_VARIABLE_H
#define GEO_COMPILER_LOWER_GLOBAL_VARIABLE_H

#include "compiler/lower/state/function.h"

/* The address (ptr, uniform) of a variable at module scope or of a function, as a constant where it
 * is a global of LLVM's, which is declared when it is first asked for (initializer.h); local
 * memory's is an instruction. */
LLVMValueRef geo_lower_address(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Declares the variables that other modules or the host may ask for. False after a failure. */
bool geo_lower_shared_variables(struct geo_lower *lower);

#endif
