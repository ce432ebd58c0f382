/* Dominator trees. Nodes are block indices. Unreachable blocks are not in the tree; they dominate
 * nothing but themselves. */
#ifndef GEO_COMPILER_ANALYSIS_DOMINATORS_H
#define GEO_COMPILER_ANALYSIS_DOMINATORS_H

#include "compiler/analysis/cfg.h"

struct geo_dominators {
    const struct geo_cfg *cfg;
    /* By block: */
    uint32_t *parent;        /* immediate dominator; GEO_CFG_NONE: entry, unreachable */
    uint32_t *first_child;   /* GEO_CFG_NONE: leaf */
    uint32_t *next_sibling;  /* in reverse postorder */
    uint32_t *enter, *leave; /* the subtree is [enter, leave) of a preorder; 0, 0: unreachable */
    uint32_t *depth;         /* 0 at the entry */
};

/* O(edges log blocks). The graph must outlive the tree. False when the arena ran out. */
bool geo_dominators_compute(const struct geo_cfg *cfg, struct geo_arena *arena,
                            struct geo_dominators *out);

/* Reflexive, O(1). Takes block indices. */
static inline bool geo_dominates(const struct geo_dominators *tree, uint32_t a, uint32_t b)
{
    return a == b || (tree->enter[a] <= tree->enter[b] && tree->enter[b] < tree->leave[a] &&
                      tree->leave[b] != 0);
}
static inline bool geo_block_dominates(const struct geo_dominators *tree,
                                       const struct geo_ir_block *a, const struct geo_ir_block *b)
{
    return geo_dominates(tree, a->index, b->index);
}

#endif
