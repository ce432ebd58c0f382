/* Dominator and post-dominator trees, dominance frontiers.
 *
 * Nodes are block indices. The post-dominator tree has one more node, the virtual exit with index
 * block_count, which is its root: every block that leaves the function leads to it, and for each
 * part of the graph from which no exit can be reached (an endless loop) one block of that part
 * leads to it too, so that every reachable block has a post-dominator. Unreachable blocks are in
 * neither tree; they dominate nothing but themselves. */
#ifndef GEO_COMPILER_ANALYSIS_DOMINATORS_H
#define GEO_COMPILER_ANALYSIS_DOMINATORS_H

#include "compiler/analysis/cfg.h"

struct geo_dominators {
    const struct geo_cfg *cfg;
    bool is_post;
    uint32_t node_count; /* block_count, + 1 for the virtual exit of a post-dominator tree */
    uint32_t root;
    uint32_t *parent;      /* [node]: immediate (post-)dominator; GEO_CFG_NONE: root, unreachable */
    uint32_t *first_child; /* [node]: GEO_CFG_NONE: leaf */
    uint32_t *next_sibling; /* [node] */
    uint32_t *preorder;     /* [preorder_count]: nodes, parents before children */
    uint32_t preorder_count;
    uint32_t *enter, *leave; /* [node]: interval of places in preorder that the subtree covers,
                                [enter, leave); both 0 when unreachable */
    uint32_t *depth;         /* [node]: 0 at the root */
};

/* O(edges log blocks). The graph must outlive the tree. False when the arena ran out. */
bool geo_dominators_compute(const struct geo_cfg *cfg, struct geo_arena *arena,
                            struct geo_dominators *out);
bool geo_post_dominators_compute(const struct geo_cfg *cfg, struct geo_arena *arena,
                                 struct geo_dominators *out);

/* Reflexive, O(1). Takes node indices. */
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

/* The immediate (post-)dominator; NULL for the root, for unreachable blocks, and when it is the
 * virtual exit. */
static inline struct geo_ir_block *geo_immediate_dominator(const struct geo_dominators *tree,
                                                           const struct geo_ir_block *block)
{
    uint32_t parent = tree->parent[block->index];
    return parent < tree->cfg->block_count ? tree->cfg->blocks[parent] : NULL;
}

/* Nearest node that (post-)dominates both; GEO_CFG_NONE when one is unreachable. */
uint32_t geo_nearest_dominator(const struct geo_dominators *tree, uint32_t a, uint32_t b);

/* Dominance frontier of every block: where its dominance ends. From a post-dominator tree these are
 * the blocks a block is control dependent on. Size is quadratic for deep loop nests: a pass that
 * takes any input uses geo_iterated_frontier. */
struct geo_frontiers {
    struct geo_cfg_edges *of; /* [block_count] */
};
bool geo_frontiers_compute(const struct geo_dominators *tree, struct geo_arena *arena,
                           struct geo_frontiers *out);

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
