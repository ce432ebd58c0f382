/* Counts the vectors of work-items (chunks) that a launch consists of, and their inactive lanes.
 * Both follow from the grid, so ordinary code counts nothing. */
#ifndef GEO_BACKEND_CPU_LANES_H
#define GEO_BACKEND_CPU_LANES_H

#include "native/abi.h"

/* Totals of a launch. Lanes that a kernel masks off itself, in divergent branches, are active
 * here. */
struct geo_cpu_lanes {
    uint64_t items;
    uint64_t chunks;
    uint64_t partial; /* chunks with fewer items than lanes */
};

/* Counts the chunks of all groups of a launch. Groups at the edges of the grid may be cut off. */
struct geo_cpu_lanes geo_cpu_lanes_count(const struct geo_launch *launch,
                                         const struct geo_scratch_needs *needs);

#endif
