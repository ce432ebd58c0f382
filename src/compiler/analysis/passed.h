/* Finds out whether items may be elsewhere while others of their work-group wait at a barrier. */
#ifndef GEO_COMPILER_ANALYSIS_PASSED_H
#define GEO_COMPILER_ANALYSIS_PASSED_H

#include "compiler/analysis/barriers.h"
#include "compiler/analysis/shape.h"

/* Sets *passed to whether some barrier is under control flow that may depend on the item: then
 * items may have returned before it, or may pass it. OpenCL requires that all items of a group
 * reach a barrier or none. Yet programs return early from items beyond the end of their data; this
 * works where a barrier counts only the remaining items.
 *
 * If there are barriers and none is passed, sets *group to the shapes of the whole work-group.
 * Returns false when the arena is exhausted. */
bool geo_barriers_passed(const struct geo_loops *loops, const struct geo_barriers *barriers,
                         struct geo_arena *arena, struct geo_shapes *group, bool *passed);

#endif
