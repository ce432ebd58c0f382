/* What a divergent branch does to blocks and loops. Part of shape.c. */
#ifndef GEO_COMPILER_ANALYSIS_DIVERGENCE_H
#define GEO_COMPILER_ANALYSIS_DIVERGENCE_H

#include "compiler/analysis/shape_fact.h"

/* The terminator of `branch` splits the lanes: sets divergent_block, divergent_join and
 * divergent_loop of the result. Calls `changed` for every block whose phis must be evaluated again.
 * False when the arena ran out. */
bool geo_divergence_spread(struct shape_state *state, const struct geo_ir_block *branch,
                           void (*changed)(void *data, struct geo_ir_block *block), void *data);

#endif
