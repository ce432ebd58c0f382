/* Constants of the model as LLVM constants. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_CONSTANT_H
#define GEO_COMPILER_LOWER_GLOBAL_CONSTANT_H

#include "compiler/lower/state/function.h"

/* Returns one part of a constant as a scalar. After a failure it returns zero. */
LLVMValueRef geo_global_constant(struct geo_lower_function *f, const struct geo_ir_value *value,
                                 uint32_t part);
/* Reports the error "<OpName> in constant %<id>: <text>". */
void geo_global_constant_error(struct geo_lower_function *f, const struct geo_ir_value *value,
                               const char *text);

#endif
