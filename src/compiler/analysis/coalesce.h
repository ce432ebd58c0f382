/* Phis that can share a variable: chains of phis at the ends of small conditionals. */
#ifndef GEO_COMPILER_ANALYSIS_COALESCE_H
#define GEO_COMPILER_ANALYSIS_COALESCE_H

#include "compiler/analysis/cfg.h"

/* Sets *first, by value index, to the first phi of the chain that a phi continues; NULL: the value
 * continues none. All phis of a chain can be held in one variable if every branch is taken by all
 * items together. Takes time in the size of the function. Returns false when the arena is
 * exhausted. */
bool geo_coalesce_phis(const struct geo_cfg *cfg, struct geo_arena *arena,
                       const struct geo_ir_inst ***first);

#endif
