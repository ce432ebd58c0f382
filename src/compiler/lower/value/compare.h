/* Compares 64-bit integers of lanes in 32 bits. */
#ifndef GEO_COMPILER_LOWER_VALUE_COMPARE_H
#define GEO_COMPILER_LOWER_VALUE_COMPARE_H

#include "compiler/lower/state/function.h"

/* Emits a comparison of 64-bit integers in 32 bits, if ranges show that this gives the same result.
 * Returns NULL, and emits nothing, if `inst` is another instruction or needs 64 bits. */
LLVMValueRef geo_value_compare(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
