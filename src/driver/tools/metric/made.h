/* Groups that the application makes. While a group is open, metrics are added and removed. Closing
 * it lets the backend make the group that is measured; a later change opens it again. */
#ifndef GEO_DRIVER_TOOLS_METRIC_MADE_H
#define GEO_DRIVER_TOOLS_METRIC_MADE_H

#include "driver/tools/metric/group.h"

struct geo_metric_made_desc {
    const char *name, *description;
    zet_metric_group_sampling_type_flags_t sampling;
};

/* Creates an empty group. Returns INVALID_ARGUMENT for texts that are too long, and for no
 * sampling. */
GEO_MUST_CHECK ze_result_t geo_metric_made_create(struct geo_metric_root *root,
                                                  const struct geo_metric_made_desc *desc,
                                                  struct geo_metric_group_object **out);

/* Adds a metric, once. Returns INVALID_ARGUMENT with the reason in `why` if it does not fit,
 * HANDLE_OBJECT_IN_USE for a group that is held. */
GEO_MUST_CHECK ze_result_t geo_metric_made_add(struct geo_metric_group_object *group,
                                               struct geo_metric_object *metric,
                                               struct geo_strbuf *why);
/* Removes a metric. Returns INVALID_ARGUMENT if it is not in the group. */
GEO_MUST_CHECK ze_result_t geo_metric_made_remove(struct geo_metric_group_object *group,
                                                  struct geo_metric_object *metric);
/* Completes a group. Returns INVALID_ARGUMENT if it is empty. */
GEO_MUST_CHECK ze_result_t geo_metric_made_close(struct geo_metric_group_object *group);
/* Ends the handle. HANDLE_OBJECT_IN_USE for a group that is held. */
ze_result_t geo_metric_made_destroy(struct geo_metric_group_object *group);

/* Makes closed groups for metrics: each metric goes to the first group that accepts it. Follows the
 * protocol of zetDeviceCreateMetricGroupsFromMetricsExp. */
GEO_MUST_CHECK ze_result_t geo_metric_made_from_metrics(
    struct geo_metric_root *root, const struct geo_metric_made_desc *desc, uint32_t metric_count,
    zet_metric_handle_t *metrics, uint32_t *count, zet_metric_group_handle_t *groups);

#endif
