/* Events of sessions. See event.h. */
#include "backend/cpu/debug/event.h"

#include "base/assert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void geo_cpu_debug_event_clear(zet_debug_event_t *event, zet_debug_event_type_t type)
{
    memset(event, 0, sizeof(*event));
    event->type = type;
}

static bool ring_grow(struct geo_cpu_debug_events *events)
{
    const uint32_t room = events->room ? 2 * events->room : 64;
    zet_debug_event_t *items = room <= GEO_CPU_DEBUG_EVENTS ? calloc(room, sizeof(*items)) : NULL;
    if (!items) {
        return false;
    }
    for (uint32_t i = 0; i < events->count; i++) {
        items[i] = events->items[(events->first + i) % events->room];
    }
    free(events->items);
    events->items = items;
    events->first = 0;
    events->room = room;
    return true;
}

/* A process that ends next must not take its last events along, so they do not wait for the
 * agent. */
void geo_cpu_debug_event_push(struct geo_cpu_debug_events *events, const zet_debug_event_t *event)
{
    GEO_ASSERT(geo_cpu_debug_state_locked());
    if (events->count == 0 && events->send && events->send(events, event)) {
        return;
    }
    if (events->count == events->room && !ring_grow(events)) {
        events->full = true;
    } else {
        events->items[(events->first + events->count++) % events->room] = *event;
    }
    geo_cpu_debug_state_kick();
}

bool geo_cpu_debug_event_flush(struct geo_cpu_debug_events *events)
{
    GEO_ASSERT(geo_cpu_debug_state_locked());
    while (events->count != 0 && events->send) {
        errno = 0;
        if (!events->send(events, &events->items[events->first])) {
            return errno == EAGAIN && !events->full;
        }
        events->first = (events->first + 1) % events->room;
        events->count--;
    }
    return !events->full;
}

void geo_cpu_debug_event_finish(struct geo_cpu_debug_events *events)
{
    free(events->items);
    *events = (struct geo_cpu_debug_events){.items = NULL};
}
