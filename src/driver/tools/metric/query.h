/* Query pools and queries: they measure the commands between two points of a list. */
#ifndef GEO_DRIVER_TOOLS_METRIC_QUERY_H
#define GEO_DRIVER_TOOLS_METRIC_QUERY_H

#include "driver/cmd/append.h"
#include "driver/tools/metric/group.h"

/* A pool. Each of its queries references it. */
struct geo_metric_query_pool {
    struct geo_object base;
    struct geo_context *context;           /* referenced */
    struct geo_metric_group_object *group; /* held */
    zet_metric_query_pool_type_t type;
    uint32_t count;
    size_t stride;                      /* distance of the slots */
    uint8_t *slots;                     /* [count] struct geo_metric_slot with its data */
    bool *used;                         /* [count] the index has a query; protected by the lock */
    struct geo_metric_query_pool *next; /* in the device's list; protected by the lock */
};

/* A query. Lists that use it reference it. */
struct geo_metric_query {
    struct geo_object base;
    struct geo_metric_query_pool *pool; /* referenced */
    uint32_t index;
    struct geo_metric_slot *slot;
};

GEO_OBJECT_HANDLE(metric_query_pool, GEO_OBJECT_METRIC_QUERY_POOL, zet_metric_query_pool_handle_t)
GEO_OBJECT_HANDLE(metric_query, GEO_OBJECT_METRIC_QUERY, zet_metric_query_handle_t)

/* Creates a pool. Returns INVALID_ARGUMENT for a group that has no queries, INVALID_SIZE for no
 * queries. */
GEO_MUST_CHECK ze_result_t geo_metric_query_pool_create(struct geo_context *context,
                                                        struct geo_metric_group_object *group,
                                                        const zet_metric_query_pool_desc_t *desc,
                                                        struct geo_metric_query_pool **out);

/* Creates a query. Returns INVALID_ARGUMENT for an index that is out of range or in use. */
GEO_MUST_CHECK ze_result_t geo_metric_query_create(struct geo_metric_query_pool *pool,
                                                   uint32_t index, struct geo_metric_query **out);
/* Ends the handle; the index is free again. */
void geo_metric_query_close(struct geo_metric_query *query);

/* Empties the slot. */
void geo_metric_query_reset(struct geo_metric_query *query);

/* Appends a command that begins or ends the query. Returns INVALID_ARGUMENT for a list of another
 * context or device. */
GEO_MUST_CHECK ze_result_t geo_metric_query_append(struct geo_command_list *list,
                                                   struct geo_metric_query *query,
                                                   enum geo_metric_record what,
                                                   const struct geo_append_events *events);

/* Reads the data, by the protocol of zetMetricQueryGetData. Returns NOT_READY before the end has
 * run. */
GEO_MUST_CHECK ze_result_t geo_metric_query_data(const struct geo_metric_query *query,
                                                 size_t *bytes, uint8_t *data);

/* Returns whether a query of the device has begun and not ended. The lock is held. */
bool geo_metric_query_is_running_locked(const struct geo_metric_root *root);

#endif
