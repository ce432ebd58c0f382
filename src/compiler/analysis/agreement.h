/* Branches at which the lanes of most chunks agree.
 *
 * A kernel often tests whether an item is inside its data: x > 0 && x < width - 1. Such a condition
 * compares an id with a number that is the same for all items, so lanes disagree only in chunks at
 * a border. A body for full chunks may therefore take the branch as uniform, if it can start again
 * with masks where lanes disagree:
 *
 *     all lanes: condition?  -> one side, without a mask
 *     no lane?               -> the other side
 *     otherwise              -> the chunk from its start, with masks
 *
 * The same body needs only one case of a load that has one for chunks inside and one for chunks at
 * a border (transform/memory/clamps.c):
 *
 *     all lanes inside?      -> the first case
 *     otherwise              -> the chunk from its start, in a body with both cases
 *
 * Starting again must not repeat an effect, and should not repeat much work. So an effect on any
 * way from the entry to the branch rules the branch out, except for a store to private memory. A
 * loop that ends before the branch does so too. In a loop around it the condition must not
 * change. */
#ifndef GEO_COMPILER_ANALYSIS_AGREEMENT_H
#define GEO_COMPILER_ANALYSIS_AGREEMENT_H

#include "compiler/analysis/shape.h"

/* Finds these branches. Sets *agreed to an array by block index in the arena, or to NULL if it
 * finds nothing. Returns false when the arena is exhausted. */
bool geo_agreement_find(const struct geo_loops *loops, const struct geo_shapes *shapes,
                        struct geo_arena *arena, bool **agreed);
/* Returns whether a branch asks if all lanes are inside of borders, which is the first case. */
bool geo_agreement_asks(const struct geo_ir_inst *branch);

#endif
