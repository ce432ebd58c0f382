/* The table of counters of a regular list, and their bases for a submission. See bases.h. */
#include "driver/cmd/bases.h"

#include "driver/core/check.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_MIN 4u

static ze_result_t bases_grow(struct geo_bases *bases)
{
    uint32_t room = bases->room ? bases->room * 2 : ROOM_MIN;
    struct geo_base *entries = bases->count < GEO_EVENT_BASE_LIMIT
                                   ? realloc(bases->entries, room * sizeof(*entries))
                                   : NULL;
    if (!entries) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for the counter of a list");
    }
    bases->entries = entries;
    bases->room = room;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_bases_index(struct geo_bases *bases, struct geo_counter *counter, uint32_t *index)
{
    uint32_t i = bases->count;
    GEO_ASSERT(bases->count <= bases->room && bases->room <= GEO_EVENT_BASE_LIMIT);
    while (i != 0 && bases->entries[i - 1].counter != counter) { /* the newest is the most likely */
        i--;
    }
    if (i == 0) {
        if (bases->count == bases->room) {
            GEO_CHECK(bases_grow(bases));
        }
        geo_counter_ref(counter);
        bases->entries[bases->count++] = (struct geo_base){.counter = counter};
        i = bases->count;
    }
    *index = i - 1;
    return ZE_RESULT_SUCCESS;
}

void geo_bases_begin(struct geo_bases *bases, uint64_t *out)
{
    for (uint32_t i = 0; i < bases->count; i++) {
        struct geo_base *entry = &bases->entries[i];
        GEO_ASSERT(atomic_load_explicit(&entry->counter->references, memory_order_relaxed) != 0);
        out[i] = entry->signals ? geo_counter_advance(entry->counter, entry->signals)
                                : geo_counter_base(entry->counter);
    }
}

void geo_bases_clear(struct geo_bases *bases)
{
    for (uint32_t i = 0; i < bases->count; i++) {
        geo_counter_unref(bases->entries[i].counter);
    }
    free(bases->entries);
    memset(bases, 0, sizeof(*bases));
}
