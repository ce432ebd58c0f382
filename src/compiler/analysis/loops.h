/* The natural loops of a function, as a forest.
 *
 * A loop is a header and everything that reaches a branch back to it (latch) without passing the
 * header; the header dominates all of it. Two branches back to one header are one loop with two
 * latches. A cycle that is entered at more than one place has no header: it is no loop here, and
 * the function is irreducible. Unreachable blocks belong to no loop. */
#ifndef GEO_COMPILER_ANALYSIS_LOOPS_H
#define GEO_COMPILER_ANALYSIS_LOOPS_H

#include "compiler/analysis/dominators.h"

struct geo_loop_exit {
    struct geo_ir_block *from, *to; /* from inside, to outside */
};

struct geo_loop {
    struct geo_loop *parent; /* NULL: outermost */
    uint32_t index;          /* in geo_loops.loops */
    uint32_t depth;          /* 1: outermost */
    struct geo_ir_block *header;
    struct geo_ir_block **latches; /* in the order of the header's predecessors */
    uint32_t latch_count;
    struct geo_ir_block **blocks; /* a slice of geo_loops.order: the header first, inner loops in
                                     one piece each */
    uint32_t block_count;
    struct geo_loop_exit *exits; /* distinct edges, in the order of blocks; none: endless */
    uint32_t exit_count;
};

struct geo_loops {
    const struct geo_cfg *cfg;
    struct geo_loop **loops; /* [count], outer before inner, in reverse postorder of headers */
    uint32_t count;
    uint32_t max_depth;
    struct geo_loop **of; /* [block index]: innermost loop; NULL: none */
    /* All reachable blocks so that every loop is in one piece and, branches back to headers aside,
       every edge leads forward (for irreducible functions: as far as that is possible). */
    struct geo_ir_block **order;
    uint32_t *position; /* [block index]: place in `order`; GEO_CFG_NONE when unreachable */
    bool irreducible;
};

/* False when the arena ran out. */
bool geo_loops_compute(const struct geo_dominators *tree, struct geo_arena *arena,
                       struct geo_loops *out);

/* O(1); inner loops' blocks count. */
static inline bool geo_loop_contains(const struct geo_loops *loops, const struct geo_loop *loop,
                                     const struct geo_ir_block *block)
{
    uint32_t first = loops->position[loop->header->index];
    uint32_t at = loops->position[block->index];
    return at != GEO_CFG_NONE && at >= first && at - first < loop->block_count;
}

/* The one block outside from which the header is entered and which leads nowhere else; NULL when
 * there is no such block. */
struct geo_ir_block *geo_loop_preheader(const struct geo_loops *loops, const struct geo_loop *loop);

#endif
