/* Emits an atomic operation for all lanes of a chunk. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ATOMIC_LANES_H
#define GEO_COMPILER_LOWER_MEMORY_ATOMIC_LANES_H

#include "compiler/lower/memory/atomic_operation.h"

/* Returns the old contents: a vector, or a scalar if all lanes have the same; NULL for stores.
 * Inactive lanes hold arbitrary values. */
LLVMValueRef geo_atomic_lanes(struct geo_lower_function *f, const struct geo_atomic *a);

#endif
