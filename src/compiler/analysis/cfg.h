/* The control flow graph of one function: predecessors, successors and block order.
 *
 * All arrays are indexed by geo_ir_block.index. So the function must be numbered
 * (geo_ir_function_number), and must not change while results are in use. Edges are distinct: a
 * branch whose targets are the same block is one edge, as OpPhi names each predecessor once. */
#ifndef GEO_COMPILER_ANALYSIS_CFG_H
#define GEO_COMPILER_ANALYSIS_CFG_H

#include "base/assert.h"
#include "compiler/ir/ir.h"

#define GEO_CFG_NONE UINT32_MAX

/* The predecessors or the successors of one block. */
struct geo_cfg_edges {
    struct geo_ir_block **blocks;
    /* Only for successors: the position of this block among the predecessors of blocks[i]. After
       geo_cfg_sort_phis it is also the position in their phis. */
    uint32_t *places;
    uint32_t count;
};

/* The graph. Its arrays are in the arena that was given to geo_cfg_build. */
struct geo_cfg {
    struct geo_ir_function *function;
    uint32_t block_count;
    struct geo_ir_block **blocks; /* by block index */
    struct geo_cfg_edges *preds;  /* by block, in list order of the predecessors */
    struct geo_cfg_edges *succs;  /* by block, in order of the terminator's targets */
    struct geo_ir_block **order;  /* reachable blocks in reverse postorder, the entry first */
    uint32_t reachable_count;
    uint32_t *position; /* by block: position in `order`; GEO_CFG_NONE: unreachable */
};

/* Builds the graph; a declaration gives an empty one. Returns false when the arena is exhausted.
 * Walking `order` backwards visits the blocks in postorder. */
bool geo_cfg_build(struct geo_ir_function *function, struct geo_arena *arena, struct geo_cfg *out);

/* Sorts the operands of all phis in the order of the predecessors. The phis must be valid. Returns
 * false when the arena is exhausted. */
bool geo_cfg_sort_phis(const struct geo_cfg *cfg, struct geo_arena *arena);

/* Returns whether a path leads from the entry to the block. */
static inline bool geo_cfg_reachable(const struct geo_cfg *cfg, const struct geo_ir_block *block)
{
    GEO_ASSERT(block->index < cfg->block_count && block->function == cfg->function);
    return cfg->position[block->index] != GEO_CFG_NONE;
}

#endif
