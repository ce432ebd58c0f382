/* Finds kernels whose items read local memory that other items write, without a barrier between:
 *
 *     t[lid] = x;
 *     y = t[lid + 1];
 *
 * This is a race, but processors that run the items of a sub-group in step all give one result.
 * Chunks of several lanes give the same one, as far as a chunk reaches. Items one after another do
 * not. */
#ifndef GEO_COMPILER_ANALYSIS_EXCHANGE_H
#define GEO_COMPILER_ANALYSIS_EXCHANGE_H

#include "compiler/analysis/barriers.h"
#include "compiler/analysis/shape.h"

/* Sets *exchanges to whether a load of local memory behind a store, with no barrier between, may
 * read what another item has stored. Accesses at one address are harmless, because each item finds
 * what it has stored itself. So are rows and columns that seem to belong to one item each, such as
 * stacks. Stores behind loads are harmless, too: with them programs add the second half of an array
 * to the first. Atomics do not count. Returns false when the arena is exhausted. */
bool geo_exchange_find(const struct geo_cfg *cfg, const struct geo_barriers *barriers,
                       const struct geo_shapes *shapes, struct geo_arena *arena, bool *exchanges);

#endif
