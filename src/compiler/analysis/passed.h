/* Whether items can be elsewhere while others of their work-group wait at a barrier. */
#ifndef GEO_COMPILER_ANALYSIS_PASSED_H
#define GEO_COMPILER_ANALYSIS_PASSED_H

#include "compiler/analysis/barriers.h"
#include "compiler/analysis/shape.h"

/* OpenCL wants all items of a group at a barrier or none. Programs return from items beyond the end
 * of their data before it all the same, which works where a barrier counts those that are left.
 *
 * *passed: some barrier stands where control flow depends on the item, as far as can be seen: items
 * may have returned before it, or go past it. *group: what is the same for all items of the group,
 * unless there are no barriers or one is passed. False when the arena ran out. */
bool geo_barriers_passed(const struct geo_loops *loops, const struct geo_barriers *barriers,
                         struct geo_arena *arena, struct geo_shapes *group, bool *passed);

#endif
