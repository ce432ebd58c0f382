/* The control flow graph of one function: edges both ways and orders over the blocks.
 *
 * Everything is indexed by geo_ir_block.index, so the function must have been numbered
 * (geo_ir_function_number) and may not be changed while results are in use. Edges are distinct: a
 * branch whose targets are the same block is one edge, just as OpPhi names each parent once. */
#ifndef GEO_COMPILER_ANALYSIS_CFG_H
#define GEO_COMPILER_ANALYSIS_CFG_H

#include "compiler/ir/ir.h"

#define GEO_CFG_NONE UINT32_MAX

struct geo_cfg_edges {
    struct geo_ir_block **blocks;
    /* Of successors: this block's place among the predecessors of blocks[i], which is its place in
       their phis, too, once geo_cfg_sort_phis has been called. */
    uint32_t *places;
    uint32_t count;
};

struct geo_cfg {
    struct geo_ir_function *function;
    uint32_t block_count;
    struct geo_ir_block **blocks; /* [block_count], by index */
    struct geo_cfg_edges *preds;  /* [block_count], in list order of the predecessors */
    struct geo_cfg_edges *succs;  /* [block_count], in order of the terminator's targets */
    struct geo_ir_block **order;  /* [reachable_count]: reverse postorder, the entry first */
    uint32_t reachable_count;
    uint32_t *position; /* [block_count]: place in `order`; GEO_CFG_NONE when unreachable */
};

/* Walk `order` backwards for a postorder. False when the arena ran out. A declaration gives an
 * empty graph. */
bool geo_cfg_build(struct geo_ir_function *function, struct geo_arena *arena, struct geo_cfg *out);

/* Orders the operands of phis as the predecessors are. The phis are valid. False when the arena ran
 * out. */
bool geo_cfg_sort_phis(const struct geo_cfg *cfg, struct geo_arena *arena);

static inline bool geo_cfg_reachable(const struct geo_cfg *cfg, const struct geo_ir_block *block)
{
    return cfg->position[block->index] != GEO_CFG_NONE;
}

#endif
