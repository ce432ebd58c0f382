/* Metric groups as objects. A group of the backend exists for ever. A group of the application
 * (made.h) can be changed and destroyed while nobody holds it. */
#ifndef GEO_DRIVER_TOOLS_METRIC_GROUP_H
#define GEO_DRIVER_TOOLS_METRIC_GROUP_H

#include "driver/tools/metric/metric.h"

struct geo_metric_group_object {
    struct geo_object base;
    struct geo_metric_root *root;
    const struct geo_metric_group *group; /* NULL: a group of the application that is not closed */
    struct {
        struct geo_metric_object **items;
        size_t count, capacity;
    } metrics;
    /* The active set, streamers, tracers and query pools that use it; protected by the lock. Each
     * also has a reference. */
    uint32_t holders;
    /* of the application: */
    bool made;
    struct geo_metric_group *own; /* made by the backend when the group was closed; or NULL */
    zet_metric_group_sampling_type_flags_t sampling;
    char name[ZET_MAX_METRIC_GROUP_NAME], description[ZET_MAX_METRIC_GROUP_DESCRIPTION];
};

GEO_OBJECT_HANDLE(metric_group_object, GEO_OBJECT_METRIC_GROUP, zet_metric_group_handle_t)

/* Applies the list protocol to the groups that the backend has now. */
GEO_MUST_CHECK ze_result_t geo_metric_group_list(struct geo_metric_root *root, uint32_t *count,
                                                 zet_metric_group_handle_t *handles);

/* Returns the backend's group of a device that has this identity; *out is NULL if it lacks
 * one. The lock is held. */
GEO_MUST_CHECK ze_result_t geo_metric_group_find_locked(struct geo_metric_root *root,
                                                        const uint8_t identity[16],
                                                        struct geo_metric_group_object **out);

/* Allocates an object without metrics. Returns NULL if memory is short. */
struct geo_metric_group_object *geo_metric_group_new(struct geo_metric_root *root);

void geo_metric_group_properties(const struct geo_metric_group_object *group,
                                 zet_metric_group_properties_t *properties);

/* Applies the list protocol to the metrics of a group. */
void geo_metric_group_metrics(const struct geo_metric_group_object *group, uint32_t *count,
                              zet_metric_handle_t *handles);

/* Converts a handle whose group can be measured: INVALID_ARGUMENT if it is not closed, or belongs
 * to another device than `root`; NULL: any. */
GEO_MUST_CHECK ze_result_t geo_metric_group_ready(zet_metric_group_handle_t handle,
                                                  const struct geo_metric_root *root,
                                                  struct geo_metric_group_object **out);

/* Hold a group, and end that. The lock is held. */
void geo_metric_group_hold_locked(struct geo_metric_group_object *group);
void geo_metric_group_release_locked(struct geo_metric_group_object *group);

#endif
