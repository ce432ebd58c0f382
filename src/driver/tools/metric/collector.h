/* The common part of streamers and tracers: collections of the backend. Each device that measures
 * has one, and their reports are read as one frame.
 *
 * Lists whose markers name a collection reference its owner. So the backend's collections are
 * stopped when the application closes the owner, and closed with the last list. */
#ifndef GEO_DRIVER_TOOLS_METRIC_COLLECTOR_H
#define GEO_DRIVER_TOOLS_METRIC_COLLECTOR_H

#include "base/lock.h"
#include "driver/event/event.h"
#include "driver/tools/metric/active.h"

struct geo_metric_part {
    struct geo_metric_root *root;
    struct geo_metric_collection *collection;
};

struct geo_metric_collector {
    struct geo_context *context; /* referenced */
    struct geo_metric_root *root;
    struct geo_metric_group_object **groups; /* [group_count] referenced, held until stop */
    uint32_t group_count;
    struct geo_metric_part *parts; /* [part_count] */
    uint32_t part_count;
    struct geo_event_pool *notified; /* referenced: pool of the notification event; or NULL */
    bool counted;                    /* in `collecting` of the root and of the parts' roots */
    bool running;                    /* started, and not stopped since; protected by `lock` */
    struct geo_work_lock lock;       /* of reads, starts and stops */
};

struct geo_metric_collector_desc {
    struct geo_context *context;
    struct geo_metric_root *root;
    zet_metric_group_handle_t *groups;
    uint32_t group_count;
    zet_metric_group_sampling_type_flag_t sampling; /* that all groups must have */
    ze_event_handle_t event;                        /* NULL: none */
    uint32_t notify_every, period_ns;               /* replaced by the actual values */
};

/* Opens the collections of a zeroed collector. Returns INVALID_ARGUMENT for a group that does not
 * fit, NOT_READY if it is not active, INVALID_SYNCHRONIZATION_OBJECT for an event that cannot be
 * used. After an error geo_metric_collector_finish may be called. */
GEO_MUST_CHECK ze_result_t geo_metric_collector_open(struct geo_metric_collector *collector,
                                                     struct geo_metric_collector_desc *desc);
/* Stops the collections for ever: the groups may be deactivated from now on. */
void geo_metric_collector_stop(struct geo_metric_collector *collector);
/* Closes the collections. */
void geo_metric_collector_finish(struct geo_metric_collector *collector);

/* Start and stop all parts. */
GEO_MUST_CHECK ze_result_t geo_metric_collector_run(struct geo_metric_collector *collector,
                                                    bool run, bool wait);
bool geo_metric_collector_is_running(struct geo_metric_collector *collector);

/* Reads a frame, by the protocol of zetMetricStreamerReadData. max_reports applies to each part.
 * Returns WARNING_DROPPED_DATA after a loss; NOT_READY if a stopped tracer has no data. */
GEO_MUST_CHECK ze_result_t geo_metric_collector_read(struct geo_metric_collector *collector,
                                                     uint32_t max_reports, size_t *bytes,
                                                     uint8_t *data);

#endif
