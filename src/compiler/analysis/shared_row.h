/* Finds loops in which the items of a group, or some of them, walk along one row together:
 *
 *     for (i = begin + lane; i < end; i += lanes) sum += a[i];
 *
 * Their lanes leave at about the same time, although at different ones. In other loops that lanes
 * leave at different times, each item has a number of turns of its own. */
#ifndef GEO_COMPILER_ANALYSIS_SHARED_ROW_H
#define GEO_COMPILER_ANALYSIS_SHARED_ROW_H

#include "compiler/analysis/shape.h"

/* Returns whether a counter of the loop moves by more than one in each turn. A step that is unknown
 * must be equal in all lanes. */
bool geo_shared_row_walks(const struct geo_loops *loops, const struct geo_shapes *shapes,
                          const struct geo_loop *loop);

#endif
