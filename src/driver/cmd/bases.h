/* The bases of relative event references in regular lists. Records refer to counters, of the list
 * itself and of other regular lists, by an index in a table. Each submission of the list has its
 * own array of base values for the table, so the records never change.
 *
 *     record      wait {slot of B, RELATIVE | index 1 | 2}      signal {own slot, RELATIVE | 0 | 5}
 *     table       [0] own counter, 5 signals     [1] counter of list B
 *     submission  [0] a base not used before     [1] base of B's latest submission */
#ifndef GEO_DRIVER_CMD_BASES_H
#define GEO_DRIVER_CMD_BASES_H

#include "driver/core/error.h"
#include "driver/event/counter.h"

/* The table of counters of a regular list; part of the list. */
struct geo_bases {
    struct geo_base {
        struct geo_counter *counter; /* referenced */
        /* signals recorded in the list; 0 for a counter of another list */
        uint64_t signals;
    } *entries;
    uint32_t count, room;
};

/* Returns the index of a counter, which is added if it is new. Returns OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_bases_index(struct geo_bases *bases, struct geo_counter *counter,
                                           uint32_t *index);

/* Returns the relative form of a value of the counter with this index. */
static inline uint64_t geo_bases_mark(uint32_t index, uint64_t value)
{
    GEO_ASSERT(index < GEO_EVENT_BASE_LIMIT && value < GEO_EVENT_RELATIVE_VALUES);
    return GEO_EVENT_RELATIVE | (uint64_t)index << GEO_EVENT_BASE_SHIFT | value;
}

/* Writes the bases of a new submission, `count` of them, and advances the list's own counters. */
void geo_bases_begin(struct geo_bases *bases, uint64_t *out);

/* Releases all counters and empties the table. */
void geo_bases_clear(struct geo_bases *bases);

#endif
