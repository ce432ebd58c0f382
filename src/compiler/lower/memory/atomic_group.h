/* Emits several atomic operations of a block together, lane by lane: the first lane executes all of
 * them, then the second one. atomic.c finds them. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ATOMIC_GROUP_H
#define GEO_COMPILER_LOWER_MEMORY_ATOMIC_GROUP_H

#include "compiler/lower/memory/atomic_operation.h"

/* The operations of a group. More would need too many vectors at a time (GEO_TURN_SLOTS). */
#define GEO_ATOMIC_GROUP_LIMIT 4u

/* Emits `count` operations, in their order in each lane. All are read-modify-write operations on
 * memory of one thread, at varying addresses, whose results are unused. */
void geo_atomic_group_lanes(struct geo_lower_function *f, const struct geo_atomic *members,
                            uint32_t count);

#endif
