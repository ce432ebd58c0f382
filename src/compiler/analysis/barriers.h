/* Barriers of one kernel: those of the work-group and those of the device. See
 * docs/decisions/vectoriser.md, "A kernel with barriers is cut into regions".
 *
 * Barriers divide the kernel's code into regions. All chunks of the work-group run one region
 * before any chunk runs the next. In canonical form (transform/expand/barriers.c), a barrier is the
 * last instruction before its block's terminator. The terminator is a branch to a block of its own,
 * the resume block. Values that are live into a resume block are saved in the chunk's record. The
 * code is emitted once and entered at resume blocks, so a barrier may be anywhere: in loops, under
 * branches, in inlined calls. */
#ifndef GEO_COMPILER_ANALYSIS_BARRIERS_H
#define GEO_COMPILER_ANALYSIS_BARRIERS_H

#include "compiler/analysis/liveness.h"

/* The barriers of a function, in the arena that was given to geo_barriers_find. */
struct geo_barriers {
    uint32_t count;
    struct geo_ir_block **resume; /* by barrier: the block where execution continues */
    bool *device;                 /* by barrier: all groups of the launch meet at it */
    bool any_device;
    uint32_t *of; /* by block: the barrier at its end, or GEO_CFG_NONE */
};

/* Returns whether this is an OpControlBarrier with a scope wider than the sub-group. A sub-group is
 * one vector, so its barriers need no code. */
bool geo_barrier_is_group_wide(const struct geo_ir_inst *inst);

/* Returns whether all groups of a (cooperative) launch meet at the barrier. */
bool geo_barrier_is_device_wide(const struct geo_ir_inst *inst);
/* Returns whether items can meet at this scope: it is a constant, and at most the device. */
bool geo_barrier_is_possible(const struct geo_ir_inst *inst);

/* Lists the barriers in block order. The function must be numbered. Returns false when memory runs
 * out. */
bool geo_barriers_find(const struct geo_ir_function *function, struct geo_arena *arena,
                       struct geo_barriers *out);

/* Returns the index of the barrier at the end of a block, or GEO_CFG_NONE. */
static inline uint32_t geo_barrier_of(const struct geo_barriers *barriers,
                                      const struct geo_ir_block *block)
{
    return barriers->of[block->index];
}

#endif
