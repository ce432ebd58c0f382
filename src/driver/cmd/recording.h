/* What events know of recordings. A list that records a graph (capture.h) signals an event in the
 * graph, not now: the event is marked with the recording until that ends. Below events, so that
 * they can ask. */
#ifndef GEO_DRIVER_CMD_RECORDING_H
#define GEO_DRIVER_CMD_RECORDING_H

#include "base/lock.h"
#include "driver/core/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of one graph. */
struct geo_recording {
    bool spoilt; /* something was refused that belongs into it: it ends without a graph. Under
                    geo_recording_lock */
};

/* Guards what several lists share that record one graph, marks of events, and who records. Taken
 * before locks of events. */
extern struct geo_object_lock geo_recording_lock;

/* How many go on in this process. */
extern _Atomic uint32_t geo_recordings;

static inline bool geo_recordings_any(void)
{
    return __builtin_expect(atomic_load_explicit(&geo_recordings, memory_order_acquire) != 0, 0);
}

/* GRAPH_CAPTURE_UNSUPPORTED for a host that asks after an event with this mark; who waits spoils
 * the recording. */
ze_result_t geo_recording_refuse(_Atomic(struct geo_recording *) *mark, bool waits)
    __attribute__((cold));

#endif
