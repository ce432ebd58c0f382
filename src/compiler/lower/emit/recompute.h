/* Computes addresses of lanes again, as they were emitted before. A branch may need only the first
 * lane's address, or the vector in one of its ways alone. LLVM drops what is no longer used. */
#ifndef GEO_COMPILER_LOWER_EMIT_RECOMPUTE_H
#define GEO_COMPILER_LOWER_EMIT_RECOMPUTE_H

#include "compiler/lower/state/function.h"

/* Returns lane 0 of a vector of pointers or integers, computed by scalars as far as possible. */
LLVMValueRef geo_recompute_first(struct geo_lower_function *f, LLVMValueRef vector);
/* Returns a copy of such a vector, computed where the builder is. */
LLVMValueRef geo_recompute_lanes(struct geo_lower_function *f, LLVMValueRef vector);

#endif
