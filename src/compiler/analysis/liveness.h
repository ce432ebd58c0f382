/* Which SSA values are live at the borders of blocks: one bit per value that leaves its block.
 *
 * A phi's result is defined at the top of its block, so it is not live into it; a phi's operand is
 * live out of the block it comes from. Values used in their own block only are not tracked. */
#ifndef GEO_COMPILER_ANALYSIS_LIVENESS_H
#define GEO_COMPILER_ANALYSIS_LIVENESS_H

#include "compiler/analysis/cfg.h"

struct geo_liveness {
    const struct geo_cfg *cfg;
    uint32_t *number;             /* [value index]: place in `values`; GEO_CFG_NONE: never leaves
                                     its block */
    struct geo_ir_value **values; /* [count]: the tracked values */
    uint32_t count, words;        /* 64-bit words of one set */
    uint64_t *in, *out;           /* [block index * words] */
    bool too_large;               /* the sets would be larger than is bearable: there are none */
};

/* O(uses + size of the sets). False when the arena ran out. */
bool geo_liveness_compute(const struct geo_cfg *cfg, struct geo_arena *arena,
                          struct geo_liveness *out);

/* The set of what is live into a block: bit i is values[i]. */
static inline const uint64_t *geo_live_in(const struct geo_liveness *live,
                                          const struct geo_ir_block *block)
{
    return live->in + (size_t)block->index * live->words;
}

#endif
