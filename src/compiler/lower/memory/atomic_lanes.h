/* An atomic operation of all lanes of a chunk. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ATOMIC_LANES_H
#define GEO_COMPILER_LOWER_MEMORY_ATOMIC_LANES_H

#include "compiler/lower/memory/atomic_operation.h"

/* Gives the old contents: a vector, or a scalar where all lanes agree; NULL for stores. Lanes that
 * are off have anything. */
LLVMValueRef geo_atomic_lanes(struct geo_lower_function *f, const struct geo_atomic *a);

#endif
