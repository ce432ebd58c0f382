/* Interleaved private variables: element i of all lanes is stored side by side, so that an access
 * of all lanes with one index is a vector.
 *
 *     lane after lane        interleaved (GEO_VALUE_INTERLEAVED)
 *     0a 0b 0c 1a 1b 1c      0a 1a 0b 1b 0c 1c
 *
 * The address for a lane is base + offset * W + lane * element, where `offset` is the offset of the
 * model. */
#ifndef GEO_COMPILER_ANALYSIS_INTERLEAVE_H
#define GEO_COMPILER_ANALYSIS_INTERLEAVE_H

#include "base/assert.h"
#include "compiler/ir/ir.h"

/* Marks the variables of a numbered function whose accesses are all of scalars of one size, and the
 * pointers into them. Returns false when the arena is exhausted. */
bool geo_interleave_mark(struct geo_ir_function *function, struct geo_arena *arena);

/* Returns the element size in bytes of a marked variable of this type: that of its first scalar. */
uint64_t geo_interleave_element(const struct geo_ir_type *type);

/* Returns the factor for offsets behind a pointer: `lanes` if it is interleaved, else 1. */
static inline uint64_t geo_interleave_scale(const struct geo_ir_value *pointer, uint32_t lanes)
{
    GEO_ASSERT(pointer->type->kind == GEO_TYPE_POINTER);
    return pointer->flags & GEO_VALUE_INTERLEAVED ? lanes : 1;
}

#endif
