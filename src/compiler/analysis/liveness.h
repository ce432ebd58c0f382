/* Liveness of SSA values at block boundaries: one bit per value that is used outside its block.
 *
 * A phi's result is defined at the top of its block and so is not live into it. A phi's operand is
 * live out of the predecessor that it comes from. Values used only in their own block are not
 * tracked. */
#ifndef GEO_COMPILER_ANALYSIS_LIVENESS_H
#define GEO_COMPILER_ANALYSIS_LIVENESS_H

#include "base/assert.h"
#include "compiler/analysis/cfg.h"

/* The live sets of all blocks, in the arena that was given to geo_liveness_compute. */
struct geo_liveness {
    const struct geo_cfg *cfg;
    /* by value index: position in `values`; GEO_CFG_NONE: used in its own block only */
    uint32_t *number;
    struct geo_ir_value **values; /* the `count` tracked values */
    uint32_t count, words;        /* 64-bit words of one set */
    uint64_t *in, *out;           /* sets by block, `words` each */
    bool too_large;               /* no result: the sets exceed the limit */
};

/* Computes liveness in O(uses + size of the sets). Returns false when the arena is exhausted. */
bool geo_liveness_compute(const struct geo_cfg *cfg, struct geo_arena *arena,
                          struct geo_liveness *out);

/* Returns the set of values that are live into a block: bit i stands for values[i]. */
static inline const uint64_t *geo_live_in(const struct geo_liveness *live,
                                          const struct geo_ir_block *block)
{
    GEO_ASSERT(!live->too_large && block->index < live->cfg->block_count);
    return live->in + (size_t)block->index * live->words;
}

#endif
