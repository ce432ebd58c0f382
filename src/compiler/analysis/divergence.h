/* Effects of a divergent branch on blocks and loops. Part of the shape analysis (shape.c). */
#ifndef GEO_COMPILER_ANALYSIS_DIVERGENCE_H
#define GEO_COMPILER_ANALYSIS_DIVERGENCE_H

#include "compiler/analysis/shape_fact.h"

/* Processes the terminator of `branch`, which splits the lanes: sets divergent_block,
 * divergent_join and divergent_loop of the result. Calls `changed` for every block whose phis must
 * be evaluated again. Returns false when the arena is exhausted. */
bool geo_divergence_spread(struct shape_state *state, const struct geo_ir_block *branch,
                           void (*changed)(void *data, struct geo_ir_block *block), void *data);

#endif
