/* What descriptors hold: an entry for each width and kind of chunk that somebody may ask for. */
#ifndef GEO_COMPILER_LOWER_INSTANCE_ENTRIES_H
#define GEO_COMPILER_LOWER_INSTANCE_ENTRIES_H

#include "compiler/lower/state/module.h"

/* Of frame, what a call through a pointer takes at least: ends recursion. */
#define GEO_LOWER_STEP_BYTES GEO_ABI_SCRATCH_ALIGN

/* Descriptors of functions that others may ask for. False after a failure. */
bool geo_lower_entries_export(struct geo_lower *lower);
/* Queues the instances that descriptors lack so far. False after a failure. */
bool geo_lower_entries_queue(struct geo_lower *lower);
/* Fills the descriptors; `frame_bytes` is what calls through pointers need. False: no memory. */
bool geo_lower_entries_fill(struct geo_lower *lower, uint64_t *frame_bytes);

#endif
