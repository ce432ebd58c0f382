/* Lowers atomic operations and fences. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ATOMIC_H
#define GEO_COMPILER_LOWER_MEMORY_ATOMIC_H

#include "compiler/lower/state/function.h"

bool geo_atomic_lower(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Lowers OpMemoryBarrier. */
bool geo_atomic_fence(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* Returns the memory order of a value with SPIR-V's memory semantics. It is the strongest order if
 * the value is not a constant. */
LLVMAtomicOrdering geo_atomic_order(const struct geo_ir_value *semantics);
/* Returns whether a scope is known to be the work-group or smaller. */
bool geo_atomic_within_group(const struct geo_ir_value *scope);

#endif
