/* Metrics of a device: the backend's descriptions (backend/metric.h) as objects, the active groups,
 * and what collects now. It is created when metrics are first used for the device, and never freed,
 * like the device itself. A backend without metrics has no groups.
 *
 * One lock protects the lists of all devices. Operations of the backend that only measure are
 * called without it.
 *
 * The order of the files; each uses only those before it:
 *     ask < root < metric < group < made
 *     group, frame < query < active < collector < streamer, tracer < decoder
 *     root, frame < calculate < export
 *     metric < programmable */
#ifndef GEO_DRIVER_TOOLS_METRIC_ROOT_H
#define GEO_DRIVER_TOOLS_METRIC_ROOT_H

#include "backend/metric.h"
#include "driver/core/context.h"

struct geo_metric_group_object;
struct geo_metric_query_pool;
struct geo_metric_programmable_object;

struct geo_metric_groups {
    struct geo_metric_group_object **items;
    size_t count, capacity;
};

/* The lists are protected by the lock. */
struct geo_metric_root {
    struct geo_device *device;
    const struct geo_metric_ops *ops;
    struct geo_metric_groups known;  /* one for each description that the backend showed so far */
    struct geo_metric_groups active; /* each is held (group.h) */
    struct geo_metric_query_pool *pools;
    struct {
        struct geo_metric_programmable_object **items;
        size_t count, capacity;
    } programmables;
    uint32_t collecting; /* open streamers and tracers, also those of the whole device */
};

/* Return the metrics of a device, and create them at the first call. UNSUPPORTED_FEATURE if the
 * backend has none, OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_metric_root_of(struct geo_device *device,
                                              struct geo_metric_root **out);
GEO_MUST_CHECK ze_result_t geo_metric_root_from(zet_device_handle_t handle,
                                                struct geo_metric_root **out);

/* Take and release the lock of all metrics. */
void geo_metric_root_lock(void);
void geo_metric_root_unlock(void);
/* Returns whether a thread holds the lock. For assertions. */
bool geo_metric_root_locked(void);

#endif
