/* Finds kernels whose items may wait for items of other groups, by looking at memory repeatedly. */
#ifndef GEO_COMPILER_ANALYSIS_WAITING_H
#define GEO_COMPILER_ANALYSIS_WAITING_H

#include "compiler/analysis/loops.h"
#include "compiler/analysis/uses.h"

/* Returns whether an item of a kernel without calls may wait in a loop for another item. Such a
 * loop has a volatile access, or uses the result of an atomic on memory outside the group. */
bool geo_waiting_is_possible(const struct geo_loops *loops, const struct geo_uses *uses);

#endif
