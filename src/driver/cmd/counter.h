/* Counters: the slots behind counter-based events, one per in-order list that signals any.
 *
 * Their memory is never given back to the system, a counter that nobody refers to is used again and
 * goes on counting from where it was. So a reference {slot, value} in a recorded command may
 * outlive everything else: it is complete then. */
#ifndef GEO_DRIVER_CMD_COUNTER_H
#define GEO_DRIVER_CMD_COUNTER_H

#include "backend/command.h"

struct geo_counter {
    struct geo_event_slot slot;
    _Atomic uint32_t references;
    bool restarts;            /* of regular lists */
    struct geo_counter *next; /* while free */
};

/* With one reference; NULL without memory. */
struct geo_counter *geo_counter_acquire(bool restarts);

static inline void geo_counter_ref(struct geo_counter *counter)
{
    atomic_fetch_add_explicit(&counter->references, 1, memory_order_relaxed);
}

/* Accepts NULL. */
void geo_counter_unref(struct geo_counter *counter);

#endif
