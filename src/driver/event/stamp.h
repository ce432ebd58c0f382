/* Stamps: the memory for timestamps of counter-based events, one for each signal. So a slow command
 * writes to its own stamp even if the event has been signalled by another command since. The event
 * reads the stamp of its latest signal.
 *
 * A stamp is referenced by the event, by regular lists that write it and by lists that query it. A
 * command of an immediate list has no reference: the stamp records its signal and is reused only
 * when that is complete. The memory of stamps is never returned to the system. */
#ifndef GEO_DRIVER_EVENT_STAMP_H
#define GEO_DRIVER_EVENT_STAMP_H

#include "backend/command.h"
#include "driver/core/object.h"

/* The timestamps of one signal. */
struct geo_stamp {
    struct geo_object base; /* for the reference count; never a handle */
    struct geo_timestamps times;
    /* once complete, no command writes it any more; slot NULL: no command writes it */
    struct geo_event_ref written;
    struct geo_stamp *next; /* while it is free */
};

/* Returns a stamp that no command writes, with one reference, or NULL if memory is short. */
struct geo_stamp *geo_stamp_acquire(void);

/* Returns whether the caller has the only reference and no command writes the stamp. */
static inline bool geo_stamp_idle(const struct geo_stamp *stamp)
{
    return atomic_load_explicit(&stamp->base.references, memory_order_acquire) == 1 &&
           (!stamp->written.slot || geo_command_event_complete(&stamp->written));
}

/* Releases a reference; accepts NULL. */
static inline void geo_stamp_unref(struct geo_stamp *stamp)
{
    if (stamp) {
        geo_object_unref(&stamp->base);
    }
}

#endif
