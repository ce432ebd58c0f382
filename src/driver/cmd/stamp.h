/* Stamps: where the timestamps of a counter-based event are written, one for each signal, so that a
 * slow signaller writes to its own although the event has been given to another meanwhile. The
 * event reads that of its latest signal.
 *
 * A stamp is kept by the event, by regular lists that write it and by lists that query it. A
 * command of an immediate list keeps nothing: the stamp knows its signal and is used again when
 * that has come. Their memory is never given back to the system. */
#ifndef GEO_DRIVER_CMD_STAMP_H
#define GEO_DRIVER_CMD_STAMP_H

#include "backend/command.h"
#include "driver/core/object.h"

struct geo_stamp {
    struct geo_object base; /* for lists to keep; never a handle */
    struct geo_timestamps times;
    struct geo_event_ref written; /* complete: no command writes it any more; slot NULL: likewise */
    struct geo_stamp *next;       /* while free */
};

/* One that nobody writes, with one reference; NULL without memory. */
struct geo_stamp *geo_stamp_acquire(void);

/* Whether its one reference is the caller's and nobody writes it. */
static inline bool geo_stamp_idle(const struct geo_stamp *stamp)
{
    return atomic_load_explicit(&stamp->base.references, memory_order_acquire) == 1 &&
           (!stamp->written.slot || geo_event_complete(&stamp->written));
}

/* Accepts NULL. */
static inline void geo_stamp_unref(struct geo_stamp *stamp)
{
    if (stamp) {
        geo_object_unref(&stamp->base);
    }
}

#endif
