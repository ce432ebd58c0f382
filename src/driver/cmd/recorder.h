/* The calls from appends into recordings of graphs. The room of graphs (driver/graph/capture.h) is
 * above this one: it sets these functions before the first recording begins. They are called only
 * while a recording is active. */
#ifndef GEO_DRIVER_CMD_RECORDER_H
#define GEO_DRIVER_CMD_RECORDER_H

#include "driver/cmd/append.h"

struct geo_recorder_ops {
    /* Called before each append. Checks whether the list may use these events. The list may have
     * become a fork of a recording afterwards. */
    ze_result_t (*meet)(struct geo_command_list *list, const struct geo_append_events *events);
    /* Called instead of `meet` for an append that cannot be recorded. Returns an error if the list
     * records or would become a fork of a recording. `what` names the append in that error. */
    ze_result_t (*refuse)(struct geo_command_list *list, const struct geo_append_events *events,
                          const char *what);
    /* Implement geo_append_begin and geo_append_commit for a list that records. */
    ze_result_t (*begin)(struct geo_command_list *list, enum geo_command_operation operation,
                         size_t payload_bytes, const struct geo_append_events *events,
                         struct geo_append *append);
    ze_result_t (*commit)(struct geo_append *append);
};

/* NULL until the first recording begins, constant from then on. A thread for which
 * geo_recordings_any was true sees it. */
extern const struct geo_recorder_ops *geo_recorder;

/* Called with geo_recording_lock held, before a recording is counted as active. */
void geo_recorder_set(const struct geo_recorder_ops *ops);

#endif
