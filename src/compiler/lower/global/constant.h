/* Constants. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_CONSTANT_H
#define GEO_COMPILER_LOWER_GLOBAL_CONSTANT_H

#include "compiler/lower/state/function.h"

/* Part `part` of a constant, a scalar. */
LLVMValueRef geo_lower_constant(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t part);
/* A whole constant in memory form, for variables. */
LLVMValueRef geo_lower_constant_memory(struct geo_lower_function *f,
                                       const struct geo_ir_value *value);

#endif
