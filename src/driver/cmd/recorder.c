/* The functions by which appends call recordings. See recorder.h. */
#include "driver/cmd/recorder.h"

#include "base/assert.h"

const struct geo_recorder_ops *geo_recorder;

void geo_recorder_set(const struct geo_recorder_ops *ops)
{
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock));
    GEO_ASSERT(!geo_recorder || geo_recorder == ops);
    if (!geo_recorder) { /* other threads may read it already */
        geo_recorder = ops;
    }
}
