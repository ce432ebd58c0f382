/* Barriers of one kernel, of the work-group and of the device. See docs/decisions/vectoriser.md,
 * "A kernel with barriers is cut into regions".
 *
 * Barriers cut the kernel's code into regions; all chunks of the work-group run one region before
 * any runs the next. In canonical form (transform/barriers.c) a barrier is the last thing its block
 * does before it branches to a block of its own, the resume block. What is live into a resume block
 * is saved in the chunk's record. Because the code is emitted once and entered at resume blocks, a
 * barrier may stand anywhere: in loops, under branches, in inlined calls. */
#ifndef GEO_COMPILER_ANALYSIS_BARRIERS_H
#define GEO_COMPILER_ANALYSIS_BARRIERS_H

#include "compiler/analysis/liveness.h"

struct geo_barriers {
    uint32_t count;
    struct geo_ir_block **resume; /* [count]: where barrier i continues */
    bool *device;                 /* [count]: all groups of the launch meet there */
    bool any_device;
    uint32_t *of; /* [block]: the barrier that a block ends with, or GEO_CFG_NONE */
};

/* True for OpControlBarrier of a scope wider than the sub-group, whose chunk is one vector. */
bool geo_barrier_is_group_wide(const struct geo_ir_inst *inst);

/* All groups of a (cooperative) launch meet at the barrier. */
bool geo_barrier_is_device_wide(const struct geo_ir_inst *inst);
/* Its scope is one that items can meet at: a constant, and the device at most. */
bool geo_barrier_is_possible(const struct geo_ir_inst *inst);

/* Lists them in block order; the function is numbered. False when memory ran out. */
bool geo_barriers_find(const struct geo_ir_function *function, struct geo_arena *arena,
                       struct geo_barriers *out);

/* The barrier that block ends with: its index, or GEO_CFG_NONE. */
static inline uint32_t geo_barrier_of(const struct geo_barriers *barriers,
                                      const struct geo_ir_block *block)
{
    return barriers->of[block->index];
}

#endif
