/* Estimates whether a kernel waits for its own results. Then twice the lanes take little more time,
 * because the processor works on one half while it waits for the other. */
#ifndef GEO_COMPILER_ANALYSIS_LATENCY_H
#define GEO_COMPILER_ANALYSIS_LATENCY_H

#include "compiler/analysis/shape.h"

/* Returns whether the innermost loops take clearly less time per item with twice the lanes of
 * `shapes`. Sets *out; returns false when the arena is exhausted. */
bool geo_latency_wants_lanes(const struct geo_loops *loops, const struct geo_shapes *shapes,
                             struct geo_arena *arena, bool *out);

#endif
