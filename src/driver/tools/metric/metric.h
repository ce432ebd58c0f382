/* Metrics as objects. A metric of the backend lives as long as its group, which is for ever. A
 * metric that the application made from a programmable one is referenced by the groups that contain
 * it. */
#ifndef GEO_DRIVER_TOOLS_METRIC_METRIC_H
#define GEO_DRIVER_TOOLS_METRIC_METRIC_H

#include "driver/tools/metric/root.h"

struct geo_metric_object {
    struct geo_object base;
    struct geo_metric_root *root;
    const struct geo_metric *metric;
    zet_metric_group_sampling_type_flags_t sampling;
    struct geo_metric *own; /* made by the application: the backend's discard ends it; or NULL */
    uint32_t groups;        /* groups of the application that contain it; protected by the lock */
};

GEO_OBJECT_HANDLE(metric_object, GEO_OBJECT_METRIC, zet_metric_handle_t)

/* Makes an object for a description. `own` is as in the structure; the caller keeps it if this
 * fails. Returns NULL if memory is short. */
struct geo_metric_object *geo_metric_object_create(struct geo_metric_root *root,
                                                   const struct geo_metric *metric,
                                                   zet_metric_group_sampling_type_flags_t sampling,
                                                   struct geo_metric *own);

/* Fills properties and their chain. */
void geo_metric_object_properties(const struct geo_metric_object *metric,
                                  zet_metric_properties_t *properties);

/* Implements zetMetricDestroyExp. Returns INVALID_ARGUMENT for a metric of the backend,
 * HANDLE_OBJECT_IN_USE for one that is in a group. */
GEO_MUST_CHECK ze_result_t geo_metric_object_close(struct geo_metric_object *metric);

/* Copies a text into an array of a structure of the API: cut to its size, and terminated. */
void geo_metric_text_copy(char *to, size_t size, const char *text);

#endif
