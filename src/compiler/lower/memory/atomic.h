/* Lowering of memory accesses: atomics and fences. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ATOMIC_H
#define GEO_COMPILER_LOWER_MEMORY_ATOMIC_H

#include "compiler/lower/state/function.h"

bool geo_lower_atomic(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_fence(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* What a control barrier orders beyond the work-group; inside it nothing is needed. */
void geo_lower_barrier_fence(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
