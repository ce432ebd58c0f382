/* Partial linearisation: the order of blocks and the control flow in which only uniform branches
 * stay branches. See docs/decisions/vectoriser.md, "Only divergent branches become masks".
 *
 * A plan belongs to one function and its shapes. Blocks run in the order of geo_loops.order. A
 * block is deferred while lanes wait for it and other lanes run elsewhere. After a block, control
 * goes to the nearest of the blocks deferred there and the targets of its terminator; the others
 * stay deferred. So no block is skipped while lanes wait for it, and a uniform branch stays a
 * branch if its targets come next:
 *
 *        a            a: divergent          a                 a: uniform        a
 *       / \           b, c one after        b (c deferred)    a branch         / \
 *      b   c    ->    the other, masked     c (d deferred)                    b   c
 *       \ /                                 d                                  \ /
 *        d                                                                      d
 *
 * A divergent loop runs until no lane is left in it: its exits are deferred from its header on. The
 * function must be canonical (geo_linear_is_canonical) unless all its branches are uniform. */
#ifndef GEO_COMPILER_ANALYSIS_LINEAR_H
#define GEO_COMPILER_ANALYSIS_LINEAR_H

#include "base/assert.h"
#include "compiler/analysis/shape.h"

#define GEO_LINEAR_END UINT32_MAX /* control leaves the function */

/* A set of blocks. */
struct geo_linear_set {
    uint32_t *positions; /* ascending positions in geo_loops.order */
    uint32_t count;
};

/* The plan of one function. Its arrays are in the arena that was given to geo_linear_plan. */
struct geo_linear {
    const struct geo_loops *loops;
    const struct geo_shapes *shapes;
    /* by position: blocks that other lanes may wait for meanwhile */
    struct geo_linear_set *deferred;
    /* By position: control may reach the block without active lanes, because it was deferred or
       follows a divergent branch. Otherwise all lanes of a predecessor come along one edge. */
    bool *indirect;
    bool too_large; /* no plan: the sets together exceed the limit */
};

/* Builds the plan. Returns false when the arena is exhausted. */
bool geo_linear_plan(const struct geo_loops *loops, const struct geo_shapes *shapes,
                     struct geo_arena *arena, struct geo_linear *out);

/* Returns the position where control goes after the block at `position`, or GEO_LINEAR_END, if the
 * lanes that leave it go to `target` (GEO_CFG_NONE: to no block). For a divergent branch, the
 * result is the smallest over all targets. Not called for back edges. */
uint32_t geo_linear_next(const struct geo_linear *plan, uint32_t position, uint32_t target);

/* Returns whether all lanes that are still in the surrounding loop (or function) are in this block.
 * Then it needs no test for an empty mask. */
static inline bool geo_linear_has_all(const struct geo_linear *plan, uint32_t position)
{
    GEO_ASSERT(position < plan->loops->cfg->reachable_count);
    return plan->deferred[position].count == 0;
}

/* Returns whether the function is reducible, each loop has one latch, and the exits of loops have
 * no predecessors outside the loop. Divergent control flow needs this form. */
bool geo_linear_is_canonical(const struct geo_loops *loops);

#endif
