/* Iterated dominance frontiers: the blocks that need phis. */
#ifndef GEO_COMPILER_ANALYSIS_FRONTIER_H
#define GEO_COMPILER_ANALYSIS_FRONTIER_H

#include "compiler/analysis/dominators.h"

/* Computes the blocks that need a phi of a variable which is stored in a given set of blocks.
 * Limited to blocks where `live` is true (NULL: all). Linear in the part of the tree below the set.
 * One object, with its scratch memory, serves many calls. */
struct geo_iterated_frontier {
    const struct geo_dominators *tree;
    /* by block: epoch of the last call that set it */
    uint32_t *mark_result, *mark_visited, *mark_queued;
    uint32_t epoch;
    uint32_t *heap, *stack; /* one entry per block */
    struct geo_ir_block **result;
    uint32_t result_count;
    uint64_t work; /* blocks visited by all calls so far */
};
/* Allocates the scratch memory from the arena. `tree` must outlive the object. Returns false when
 * the arena is exhausted. */
bool geo_iterated_frontier_init(struct geo_iterated_frontier *frontier,
                                const struct geo_dominators *tree, struct geo_arena *arena);
/* Sets result and result_count, which are valid until the next call. */
void geo_iterated_frontier_compute(struct geo_iterated_frontier *frontier,
                                   struct geo_ir_block *const *blocks, uint32_t count,
                                   const bool *live);

#endif
