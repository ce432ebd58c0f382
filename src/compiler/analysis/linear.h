/* Partial linearisation: where control goes when only uniform branches stay branches. See
 * docs/decisions/vectoriser.md, "Only divergent branches become masks".
 *
 * A plan for one function and its shapes. Blocks run in the order of geo_loops.order. A block that
 * lanes wait for while others run elsewhere is "deferred"; after a block, control goes to the
 * nearest of {blocks deferred there, targets of its terminator}, and the others stay deferred. So
 * no block that lanes wait for is passed over, and a uniform branch whose targets come next remains
 * a branch:
 *
 *        a            a: divergent          a                 a: uniform        a
 *       / \           b, c one after        b (c deferred)    a branch         / \
 *      b   c    ->    the other, masked     c (d deferred)                    b   c
 *       \ /                                 d                                  \ /
 *        d                                                                      d
 *
 * A divergent loop runs until no lane is left in it: its exits are deferred from its header on.
 * Needs a canonical function (one latch per loop, exits entered from their loop only) unless no
 * branch diverges. */
#ifndef GEO_COMPILER_ANALYSIS_LINEAR_H
#define GEO_COMPILER_ANALYSIS_LINEAR_H

#include "compiler/analysis/shape.h"

#define GEO_LINEAR_END UINT32_MAX /* the function is left */

struct geo_linear_set {
    uint32_t *positions; /* ascending places in geo_loops.order */
    uint32_t count;
};

struct geo_linear {
    const struct geo_loops *loops;
    const struct geo_shapes *shapes;
    struct geo_linear_set *deferred; /* [position]: blocks other lanes may wait for meanwhile */
    /* [position]: control may come here without lanes: the block was deferred, or is next after a
     * divergent branch. Otherwise it comes along an edge that all lanes of a predecessor take. */
    bool *indirect;
    bool too_large; /* there is no plan: all sets together would be larger than is bearable */
};

/* False when the arena ran out. */
bool geo_linear_plan(const struct geo_loops *loops, const struct geo_shapes *shapes,
                     struct geo_arena *arena, struct geo_linear *out);

/* Where control goes after the block at `position` when the lanes that leave it go to `target`
 * (GEO_CFG_NONE: nowhere): a position or GEO_LINEAR_END. For a divergent branch, the smallest over
 * its targets. Branches back to a header are not asked for. */
uint32_t geo_linear_next(const struct geo_linear *plan, uint32_t position, uint32_t target);

/* All lanes that are still in the loop around the block (in the function) are in the block: it
 * needs no test for an empty mask. */
static inline bool geo_linear_has_all(const struct geo_linear *plan, uint32_t position)
{
    return plan->deferred[position].count == 0;
}

/* One latch per loop, and loops' exits have predecessors in that loop only; reducible. What
 * divergent control flow needs. */
bool geo_linear_is_canonical(const struct geo_loops *loops);

#endif
