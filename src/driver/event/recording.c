/* Marks of events in recordings. See recording.h. */
#include "driver/event/recording.h"

#include "base/assert.h"

struct geo_object_lock geo_recording_lock;
_Atomic uint32_t geo_recordings;

ze_result_t geo_recording_refuse(_Atomic(struct geo_recording *) *mark, bool waits)
{
    geo_object_lock_acquire(&geo_recording_lock);
    struct geo_recording *recording = atomic_load(mark);
    GEO_ASSERT(!recording || geo_recordings_any());
    if (recording && waits) {
        recording->spoilt = true;
    }
    geo_object_lock_release(&geo_recording_lock);
    return geo_fail(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                    "the event is signalled by a command that is only being recorded into a graph: "
                    "end the recording and execute the graph before the host %s",
                    waits ? "waits for the event. This call has invalidated the recording"
                          : "queries the event");
}
