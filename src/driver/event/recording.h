/* The marks of events that are signalled in a graph that is being recorded (capture.h). Such an
 * event is not signalled now; it is marked with the recording until that ends. This file is below
 * events, so that they can check the mark. */
#ifndef GEO_DRIVER_EVENT_RECORDING_H
#define GEO_DRIVER_EVENT_RECORDING_H

#include "base/lock.h"
#include "driver/core/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The state of one graph's recording; part of the graph. */
struct geo_recording {
    /* a call was rejected that should have been recorded: the recording will fail. Protected by
     * geo_recording_lock */
    bool spoilt;
};

/* Protects the state that lists of one recording share, marks of events, and which lists record. It
 * is taken before locks of events. */
extern struct geo_object_lock geo_recording_lock;

/* Number of active recordings in this process. */
extern _Atomic uint32_t geo_recordings;

static inline bool geo_recordings_any(void)
{
    return __builtin_expect(atomic_load_explicit(&geo_recordings, memory_order_acquire) != 0, 0);
}

/* Returns GRAPH_CAPTURE_UNSUPPORTED when the host uses an event with this mark. A wait also
 * invalidates the recording. */
ze_result_t geo_recording_refuse(_Atomic(struct geo_recording *) *mark, bool waits)
    __attribute__((cold));

#endif
