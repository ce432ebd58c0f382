/* Lowers atomic operations and fences. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ATOMIC_H
#define GEO_COMPILER_LOWER_MEMORY_ATOMIC_H

#include "compiler/lower/state/function.h"

bool geo_atomic_lower(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_atomic_fence(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Emits the fence of a control barrier whose memory scope is larger than the work-group. Barriers
 * of smaller scope need none. */
void geo_atomic_barrier_fence(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
