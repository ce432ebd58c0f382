/* The argument block of a kernel, which is the same for every machine. Pointers and handles
 * take eight bytes. A local argument is an i64, from which the machine computes an address. codegen
 * writes the offsets to the native binary's record. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ARGUMENT_H
#define GEO_COMPILER_LOWER_MEMORY_ARGUMENT_H

#include "compiler/lower/state/function.h"

/* Computes the offsets of a kernel's arguments in the block, naturally aligned, and the size of the
 * block. Returns false if it is too large. */
bool geo_argument_place(const struct geo_ir_function *function, uint32_t *offsets, uint32_t *bytes);
/* Emits loads of the kernel's parameters from the block. The machine's emitter of kernels calls it
 * at the entry. */
void geo_argument_load(struct geo_lower_function *f, const uint32_t *offsets);

#endif
