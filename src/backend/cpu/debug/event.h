/* The events of a session: sent at once if they fit, and queued until the agent sends them. */
#ifndef GEO_BACKEND_CPU_DEBUG_EVENT_H
#define GEO_BACKEND_CPU_DEBUG_EVENT_H

#include "backend/cpu/debug/state.h"

#include <level_zero/zet_api.h>

#define GEO_CPU_DEBUG_EVENTS 65536u /* a debugger that leaves more unread is detached */

/* Part of a session, and protected by the lock. Zeroed, it is empty. */
struct geo_cpu_debug_events {
    /* Sends an event, on any thread; false: it does not fit. NULL: all events are queued. */
    bool (*send)(const struct geo_cpu_debug_events *events, const zet_debug_event_t *event);
    zet_debug_event_t *items; /* a ring, owned */
    uint32_t first, count, room;
    bool full; /* an event was lost: too many, or no memory for it */
};

/* Fills in an event without details. Events are compared by bytes, so their padding is zero. */
void geo_cpu_debug_event_clear(zet_debug_event_t *event, zet_debug_event_type_t type);

/* Sends an event, or queues it for the agent and wakes it. */
void geo_cpu_debug_event_push(struct geo_cpu_debug_events *events, const zet_debug_event_t *event);

/* Sends queued events until one does not fit. Returns false if the debugger cannot be reached, or
 * has lost an event. */
bool geo_cpu_debug_event_flush(struct geo_cpu_debug_events *events);

void geo_cpu_debug_event_finish(struct geo_cpu_debug_events *events);

#endif
