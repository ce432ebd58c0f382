/* Private variables whose elements lie lane by lane: element i of all lanes side by side, so that
 * one index for all lanes is a row.
 *
 *     lane after lane        interleaved (GEO_VALUE_INTERLEAVED)
 *     0a 0b 0c 1a 1b 1c      0a 1a 0b 1b 0c 1c
 *
 * A lane's address is base + offset * W + lane * element, with the offset that the model counts. */
#ifndef GEO_COMPILER_ANALYSIS_INTERLEAVE_H
#define GEO_COMPILER_ANALYSIS_INTERLEAVE_H

#include "compiler/ir/ir.h"

/* Marks the variables of a numbered function of which every access is of scalars of one size, and
 * the pointers into them. False when the arena ran out. */
bool geo_interleave_mark(struct geo_ir_function *function, struct geo_arena *arena);

/* Bytes of the elements of a marked variable of this type: of its first scalar. */
uint64_t geo_interleave_element(const struct geo_ir_type *type);

/* What offsets behind a pointer are multiplied by. */
static inline uint64_t geo_interleave_scale(const struct geo_ir_value *pointer, uint32_t lanes)
{
    return pointer->flags & GEO_VALUE_INTERLEAVED ? lanes : 1;
}

#endif
