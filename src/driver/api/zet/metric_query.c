/* API functions of metric queries. */
#include "ddi/geo_api.h"
#include "driver/tools/metric/query.h"

ze_result_t geo_zetMetricQueryPoolCreate(zet_context_handle_t hContext, zet_device_handle_t hDevice,
                                         zet_metric_group_handle_t hMetricGroup,
                                         const zet_metric_query_pool_desc_t *desc,
                                         zet_metric_query_pool_handle_t *phMetricQueryPool)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_metric_root *root;
    struct geo_metric_group_object *group;
    struct geo_metric_query_pool *pool;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_metric_root_of(device, &root));
    GEO_CHECK(geo_metric_group_ready(hMetricGroup, root, &group));
    GEO_CHECK(geo_metric_query_pool_create(context, group, desc, &pool));
    *phMetricQueryPool = geo_metric_query_pool_handle(pool);
    return ZE_RESULT_SUCCESS;
}

/* Its queries keep the pool. */
ze_result_t geo_zetMetricQueryPoolDestroy(zet_metric_query_pool_handle_t hMetricQueryPool)
{
    struct geo_metric_query_pool *pool;
    GEO_CHECK(geo_metric_query_pool_from(hMetricQueryPool, &pool));
    geo_object_close(&pool->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricQueryCreate(zet_metric_query_pool_handle_t hMetricQueryPool,
                                     uint32_t index, zet_metric_query_handle_t *phMetricQuery)
{
    struct geo_metric_query_pool *pool;
    struct geo_metric_query *query;
    GEO_CHECK(geo_metric_query_pool_from(hMetricQueryPool, &pool));
    GEO_CHECK(geo_metric_query_create(pool, index, &query));
    *phMetricQuery = geo_metric_query_handle(query);
    return ZE_RESULT_SUCCESS;
}

/* Lists keep the queries that they use. */
ze_result_t geo_zetMetricQueryDestroy(zet_metric_query_handle_t hMetricQuery)
{
    struct geo_metric_query *query;
    GEO_CHECK(geo_metric_query_from(hMetricQuery, &query));
    geo_metric_query_close(query);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricQueryReset(zet_metric_query_handle_t hMetricQuery)
{
    struct geo_metric_query *query;
    GEO_CHECK(geo_metric_query_from(hMetricQuery, &query));
    geo_metric_query_reset(query);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricQueryGetData(zet_metric_query_handle_t hMetricQuery, size_t *pRawDataSize,
                                      uint8_t *pRawData)
{
    struct geo_metric_query *query;
    GEO_CHECK(geo_metric_query_from(hMetricQuery, &query));
    return geo_metric_query_data(query, pRawDataSize, pRawData);
}

ze_result_t geo_zetCommandListAppendMetricQueryBegin(zet_command_list_handle_t hCommandList,
                                                     zet_metric_query_handle_t hMetricQuery)
{
    const struct geo_append_events none = {0};
    struct geo_command_list *list;
    struct geo_metric_query *query;
    GEO_CHECK(geo_command_list_from((ze_command_list_handle_t)hCommandList, &list));
    GEO_CHECK(geo_metric_query_from(hMetricQuery, &query));
    return geo_metric_query_append(list, query, GEO_METRIC_BEGIN, &none);
}

ze_result_t geo_zetCommandListAppendMetricQueryEnd(zet_command_list_handle_t hCommandList,
                                                   zet_metric_query_handle_t hMetricQuery,
                                                   ze_event_handle_t hSignalEvent,
                                                   uint32_t numWaitEvents,
                                                   ze_event_handle_t *phWaitEvents)
{
    const struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct geo_metric_query *query;
    GEO_CHECK(geo_command_list_from((ze_command_list_handle_t)hCommandList, &list));
    GEO_CHECK(geo_metric_query_from(hMetricQuery, &query));
    return geo_metric_query_append(list, query, GEO_METRIC_END, &events);
}

/* The reports of a query are in memory when its end has run, so a barrier is enough. */
ze_result_t geo_zetCommandListAppendMetricMemoryBarrier(zet_command_list_handle_t hCommandList)
{
    const struct geo_append_events none = {0};
    struct geo_command_list *list;
    struct geo_append append;
    GEO_CHECK(geo_command_list_from((ze_command_list_handle_t)hCommandList, &list));
    GEO_CHECK(
        geo_append_begin(list, GEO_COMMAND_BARRIER, sizeof(struct geo_command), &none, &append));
    return geo_append_commit(&append);
}
