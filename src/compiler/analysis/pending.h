/* Pending additions: atomic additions to global memory that a worker may collect and execute
 * later, several at once, before the launch ends.
 *
 * Nobody may be able to tell. So the addition is relaxed and its result is unused. After it, its
 * item neither accesses memory that may be the same, nor orders global memory for others (fences,
 * barriers, stronger atomics). No item of the kernel waits for another one in a loop. */
#ifndef GEO_COMPILER_ANALYSIS_PENDING_H
#define GEO_COMPILER_ANALYSIS_PENDING_H

#include "compiler/analysis/loops.h"

/* The pending additions of a kernel. */
struct geo_pending {
    const bool *is;                 /* by value index; NULL: no addition pends */
    const struct geo_ir_type *type; /* of all of them: an integer of 32 or 64 bits */
};

/* Finds the pending additions of a numbered kernel without calls. Returns false when the arena is
 * exhausted. */
bool geo_pending_find(const struct geo_loops *loops, struct geo_arena *arena,
                      struct geo_pending *out);

#endif
