/* The compiler's analysis of where phis belong: iterated dominance frontiers. */
#ifndef GEO_COMPILER_ANALYSIS_FRONTIER_H
#define GEO_COMPILER_ANALYSIS_FRONTIER_H

#include "compiler/analysis/dominators.h"

/* Iterated dominance frontier of a set of blocks, restricted to blocks where `live` (NULL: all)
 * is true: where phis of a variable stored in these blocks belong. Linear in the part of the tree
 * below the set. The scratch is made once and serves many calls. */
struct geo_iterated_frontier {
    const struct geo_dominators *tree;
    uint32_t *mark_result, *mark_visited, *mark_queued; /* [block_count]: epoch of the last call */
    uint32_t epoch;
    uint32_t *heap, *stack; /* [block_count] */
    struct geo_ir_block **result;
    uint32_t result_count;
    uint64_t work; /* blocks visited by all calls so far */
};
bool geo_iterated_frontier_init(struct geo_iterated_frontier *frontier,
                                const struct geo_dominators *tree, struct geo_arena *arena);
/* result and result_count hold the blocks, until the next call. */
void geo_iterated_frontier_compute(struct geo_iterated_frontier *frontier,
                                   struct geo_ir_block *const *blocks, uint32_t count,
                                   const bool *live);

#endif
