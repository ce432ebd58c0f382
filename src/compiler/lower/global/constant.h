/* Lowering at module scope: constants as values and as memory. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_CONSTANT_H
#define GEO_COMPILER_LOWER_GLOBAL_CONSTANT_H

#include "compiler/lower/state/function.h"

/* Part `part` of a constant, a scalar. */
LLVMValueRef geo_lower_constant(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t part);
/* Fails: "<OpName> in constant %<id>: <text>". */
void geo_lower_constant_error(struct geo_lower_function *f, const struct geo_ir_value *value,
                              const char *text);

#endif
