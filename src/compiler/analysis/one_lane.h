/* Estimates whether a kernel takes less time item by item than in chunks of several lanes. */
#ifndef GEO_COMPILER_ANALYSIS_ONE_LANE_H
#define GEO_COMPILER_ANALYSIS_ONE_LANE_H

#include "compiler/analysis/shape.h"

/* The processor. */
struct geo_one_lane_target {
    uint32_t vector_bits;
    uint32_t table_limit;   /* bytes of tables that fit in registers (table.h) */
    bool gathers, scatters; /* instructions load and store at arbitrary addresses */
};

/* Sets *out to whether one lane pays. `shapes` is that of a chunk. Returns false when the arena is
 * exhausted. */
bool geo_one_lane_pays(const struct geo_loops *loops, const struct geo_shapes *shapes,
                       const struct geo_one_lane_target *target, struct geo_arena *arena,
                       bool *out);

#endif
