/* Fills function descriptors with an entry for each width and kind of chunk that may call through
 * the pointer. */
#ifndef GEO_COMPILER_LOWER_CPU_INSTANCE_ENTRIES_H
#define GEO_COMPILER_LOWER_CPU_INSTANCE_ENTRIES_H

#include "compiler/lower/state/module.h"

/* Frame bytes that each call through a pointer consumes at least, so that endless recursion is
 * detected. */
#define GEO_LOWER_STEP_BYTES GEO_ABI_SCRATCH_ALIGN

/* Creates the descriptors of functions that other modules may call. Returns false after a
 * failure. */
bool geo_entries_export(struct geo_lower *lower);
/* Queues the instances that descriptors still need. Returns false after a failure. */
bool geo_entries_queue(struct geo_lower *lower);
/* Fills all descriptors. Stores in *frame_bytes the frame size that calls through pointers need.
 * Returns false when memory runs out. */
bool geo_entries_fill(struct geo_lower *lower, uint64_t *frame_bytes);

#endif
