/* The dominator tree of a function. Nodes are block indices. Unreachable blocks are outside the
 * tree and dominate only themselves. */
#ifndef GEO_COMPILER_ANALYSIS_DOMINATORS_H
#define GEO_COMPILER_ANALYSIS_DOMINATORS_H

#include "base/assert.h"
#include "compiler/analysis/cfg.h"

/* The tree. Its arrays are in the arena that was given to geo_dominators_compute. */
struct geo_dominators {
    const struct geo_cfg *cfg;
    /* Indexed by block: */
    uint32_t *parent;       /* immediate dominator; GEO_CFG_NONE: entry or unreachable */
    uint32_t *first_child;  /* GEO_CFG_NONE: leaf */
    uint32_t *next_sibling; /* in reverse postorder */
    /* preorder interval [enter, leave) of the subtree; 0, 0: unreachable */
    uint32_t *enter, *leave;
    uint32_t *depth; /* 0 at the entry */
};

/* Computes the tree in O(edges log blocks). `cfg` must outlive it. Returns false when the arena is
 * exhausted. */
bool geo_dominators_compute(const struct geo_cfg *cfg, struct geo_arena *arena,
                            struct geo_dominators *out);

/* Return whether block a dominates block b; every block dominates itself. O(1). geo_dominates takes
 * block indices. */
static inline bool geo_dominates(const struct geo_dominators *tree, uint32_t a, uint32_t b)
{
    GEO_ASSERT(a < tree->cfg->block_count && b < tree->cfg->block_count);
    return a == b || (tree->enter[a] <= tree->enter[b] && tree->enter[b] < tree->leave[a] &&
                      tree->leave[b] != 0);
}
static inline bool geo_block_dominates(const struct geo_dominators *tree,
                                       const struct geo_ir_block *a, const struct geo_ir_block *b)
{
    return geo_dominates(tree, a->index, b->index);
}

#endif
