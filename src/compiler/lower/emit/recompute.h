/* Emits the computation of lanes' addresses a second time. Code that branches may need only the
 * address of the first lane, or may need all addresses on one side of the branch only. LLVM removes
 * the first computation if nothing uses it. */
#ifndef GEO_COMPILER_LOWER_EMIT_RECOMPUTE_H
#define GEO_COMPILER_LOWER_EMIT_RECOMPUTE_H

#include "compiler/lower/state/function.h"

/* Returns lane 0 of a vector of pointers or integers, computed by scalars as far as possible. */
LLVMValueRef geo_recompute_first(struct geo_lower_function *f, LLVMValueRef vector);
/* Returns a copy of such a vector, computed where the builder is. */
LLVMValueRef geo_recompute_lanes(struct geo_lower_function *f, LLVMValueRef vector);

#endif
