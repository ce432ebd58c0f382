/* The groups of a device that are active, and which groups can be active together. */
#ifndef GEO_DRIVER_TOOLS_METRIC_ACTIVE_H
#define GEO_DRIVER_TOOLS_METRIC_ACTIVE_H

#include "driver/tools/metric/group.h"

/* Replaces the active groups of a device, and those of its parts that measure for it. Returns
 * INVALID_ARGUMENT for two groups of one domain, HANDLE_OBJECT_IN_USE while something collects. */
GEO_MUST_CHECK ze_result_t geo_metric_active_set(struct geo_metric_root *root, uint32_t count,
                                                 zet_metric_group_handle_t *handles);

/* Returns NOT_READY with a text unless the group is active. The lock is held. */
GEO_MUST_CHECK ze_result_t
geo_metric_active_check_locked(const struct geo_metric_group_object *group);

/* Returns HANDLE_OBJECT_IN_USE with a text if the device or one of its parts has active groups. */
GEO_MUST_CHECK ze_result_t geo_metric_active_unused_check(const struct geo_metric_root *root);

/* Finds the group of each part that measures for a group of the whole device. *count is 0 for a
 * device without parts, and if a part lacks the group. The caller frees the array. The lock is
 * held. */
GEO_MUST_CHECK ze_result_t
geo_metric_active_parts_locked(const struct geo_metric_group_object *group, uint32_t *count,
                               struct geo_metric_group_object ***parts);

/* Sorts groups into sets whose groups can be active at the same time. `sizes` has the number of
 * groups of each set, and may be NULL: then only *sets is written. */
GEO_MUST_CHECK ze_result_t geo_metric_active_sort(const struct geo_metric_root *root,
                                                  uint32_t count,
                                                  zet_metric_group_handle_t *handles,
                                                  uint32_t *sizes, uint32_t *sets);

#endif
