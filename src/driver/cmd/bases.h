/* What the relative references of a regular list count from: a table of counters, the list's own
 * and those of other regular lists that it waits for. Records hold an index into it; a submission
 * has the bases as they are when it is made, so that records stay as they are:
 *
 *     record      wait {slot of B, RELATIVE | index 1 | 2}      signal {own slot, RELATIVE | 0 | 5}
 *     table       [0] own counter, 5 signals     [1] counter of list B
 *     submission  [0] base that nobody had yet   [1] base of B's latest submission
 */
#ifndef GEO_DRIVER_CMD_BASES_H
#define GEO_DRIVER_CMD_BASES_H

#include "driver/cmd/counter.h"
#include "driver/core/error.h"

struct geo_bases {
    struct geo_base {
        struct geo_counter *counter; /* referenced */
        uint64_t signals;            /* recorded by the list; 0: another list's counter */
    } *entries;
    uint32_t count, room;
};

/* The index of a counter, added when it is new. OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_bases_index(struct geo_bases *bases, struct geo_counter *counter,
                                           uint32_t *index);

/* The relative form of a value of the counter with this index. */
static inline uint64_t geo_bases_mark(uint32_t index, uint64_t value)
{
    return GEO_EVENT_RELATIVE | (uint64_t)index << GEO_EVENT_BASE_SHIFT | value;
}

/* The bases of one submission, `count` of them: the list's own counters advance. */
void geo_bases_begin(struct geo_bases *bases, uint64_t *out);

void geo_bases_clear(struct geo_bases *bases);

#endif
