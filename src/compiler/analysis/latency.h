/* Estimates with how many lanes a kernel takes the least time per item. A register of lanes is not
 * enough for kernels that wait for their own results, which move along columns, or whose elements
 * have 8 or 16 bits. The processor then works on a second register meanwhile, uses more of each
 * cache line, or fills its registers. */
#ifndef GEO_COMPILER_ANALYSIS_LATENCY_H
#define GEO_COMPILER_ANALYSIS_LATENCY_H

#include "compiler/analysis/shape.h"

/* The processor and the kernel. */
struct geo_latency_target {
    uint32_t vector_bits, registers; /* of the processor's vector registers */
    uint32_t lanes_limit;
    uint32_t table_limit; /* bytes of tables that fit in registers (table.h) */
    bool gathers;         /* instructions load at arbitrary addresses */
    bool has_fma;
    bool rows; /* items have rows, so tiles (tiles.h) may use what a chunk loads several times */
};

/* Sets *out to the number of lanes, which is once, twice or four times that of `shapes`. Returns
 * false when the arena is exhausted. */
bool geo_latency_lanes(const struct geo_loops *loops, const struct geo_shapes *shapes,
                       const struct geo_latency_target *target, struct geo_arena *arena,
                       uint32_t *out);

#endif
