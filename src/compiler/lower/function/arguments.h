/* The argument block of a kernel. */
#ifndef GEO_COMPILER_LOWER_FUNCTION_ARGUMENTS_H
#define GEO_COMPILER_LOWER_FUNCTION_ARGUMENTS_H

#include "compiler/lower/state/function.h"

/* Computes the offsets of a kernel's arguments in the block, naturally aligned, and the size of the
 * block. Returns false if it is too large. */
bool geo_function_arguments_place(const struct geo_ir_function *function, uint32_t *offsets,
                                  uint32_t *bytes);
/* Emits loads of the kernel's parameters from the block. */
void geo_function_arguments_load(struct geo_lower_function *f, const uint32_t *offsets);

#endif
