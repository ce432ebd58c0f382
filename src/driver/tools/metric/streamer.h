/* Streamers: they sample an active group at regular intervals. */
#ifndef GEO_DRIVER_TOOLS_METRIC_STREAMER_H
#define GEO_DRIVER_TOOLS_METRIC_STREAMER_H

#include "driver/cmd/append.h"
#include "driver/tools/metric/collector.h"

/* Lists with markers reference it. */
struct geo_metric_streamer {
    struct geo_object base;
    struct geo_metric_collector collector;
};

GEO_OBJECT_HANDLE(metric_streamer, GEO_OBJECT_METRIC_STREAMER, zet_metric_streamer_handle_t)

/* Opens a streamer and starts it. Errors as geo_metric_collector_open. */
GEO_MUST_CHECK ze_result_t geo_metric_streamer_open(struct geo_metric_collector_desc *desc,
                                                    struct geo_metric_streamer **out);
/* Stops the streamer and ends its handle. */
void geo_metric_streamer_close(struct geo_metric_streamer *streamer);

/* Append a command that writes a marker, to the stream or to all streams of a group. Return
 * INVALID_ARGUMENT for a list of another context or device. */
GEO_MUST_CHECK ze_result_t geo_metric_streamer_mark(struct geo_command_list *list,
                                                    struct geo_metric_streamer *streamer,
                                                    uint32_t value);
GEO_MUST_CHECK ze_result_t geo_metric_streamer_mark_group(struct geo_command_list *list,
                                                          struct geo_metric_group_object *group,
                                                          uint32_t value);

#endif
