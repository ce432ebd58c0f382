/* Lowering of whole functions: the argument block of a kernel. */
#ifndef GEO_COMPILER_LOWER_FUNCTION_ARGUMENTS_H
#define GEO_COMPILER_LOWER_FUNCTION_ARGUMENTS_H

#include "compiler/lower/state/function.h"

/* Offsets of kernel arguments in the block, naturally aligned; false: too large. */
bool geo_lower_arguments_place(const struct geo_ir_function *function, uint32_t *offsets,
                               uint32_t *bytes);
/* Sets the kernel's parameters to what the block holds. */
void geo_lower_arguments_load(struct geo_lower_function *f, const uint32_t *offsets);

#endif
