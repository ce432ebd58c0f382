/* The natural loops of a function, as a forest.
 *
 * A loop consists of a header and all blocks that reach a branch back to the header (a latch)
 * without passing through the header. The header dominates all of them. Several branches to one
 * header form one loop with several latches. A cycle with several entries has no header and is not
 * a loop here: the function is then irreducible. Unreachable blocks belong to no loop. */
#ifndef GEO_COMPILER_ANALYSIS_LOOPS_H
#define GEO_COMPILER_ANALYSIS_LOOPS_H

#include "base/assert.h"
#include "compiler/analysis/dominators.h"

/* An edge that leaves a loop. */
struct geo_loop_exit {
    struct geo_ir_block *from, *to; /* from inside the loop to outside */
};

/* A natural loop. */
struct geo_loop {
    struct geo_loop *parent; /* NULL: outermost */
    uint32_t index;          /* position in geo_loops.loops */
    uint32_t depth;          /* 1: outermost */
    struct geo_ir_block *header;
    struct geo_ir_block **latches; /* in the order of the header's predecessors */
    uint32_t latch_count;
    /* slice of geo_loops.order: the header first, inner loops contiguous */
    struct geo_ir_block **blocks;
    uint32_t block_count;
    struct geo_loop_exit *exits; /* distinct edges in the order of blocks; none: an endless loop */
    uint32_t exit_count;
};

/* All loops of a function, in the arena that was given to geo_loops_compute. */
struct geo_loops {
    const struct geo_cfg *cfg;
    struct geo_loop **loops; /* outer before inner, in reverse postorder of headers */
    uint32_t count;
    uint32_t max_depth;
    struct geo_loop **of; /* by block: innermost loop; NULL: none */
    /* All reachable blocks, ordered so that every loop is contiguous and every edge but back edges
       leads forward. In irreducible functions this holds as far as possible. */
    struct geo_ir_block **order;
    uint32_t *position; /* by block: position in `order`; GEO_CFG_NONE: unreachable */
    bool irreducible;
};

/* Finds the loops. Returns false when the arena is exhausted. */
bool geo_loops_compute(const struct geo_dominators *tree, struct geo_arena *arena,
                       struct geo_loops *out);

/* Returns whether a block belongs to a loop, including its inner loops. O(1). */
static inline bool geo_loop_contains(const struct geo_loops *loops, const struct geo_loop *loop,
                                     const struct geo_ir_block *block)
{
    GEO_ASSERT(loop->index < loops->count && loops->loops[loop->index] == loop);
    uint32_t first = loops->position[loop->header->index];
    uint32_t at = loops->position[block->index];
    return at != GEO_CFG_NONE && at >= first && at - first < loop->block_count;
}

/* Returns the only predecessor of the header outside the loop, if the header is its only successor;
 * else NULL. */
struct geo_ir_block *geo_loop_preheader(const struct geo_loops *loops, const struct geo_loop *loop);

#endif
