/* API functions of metric groups and metrics, and of activation. */
#include "ddi/geo_api.h"
#include "driver/tools/metric/active.h"
#include "driver/tools/metric/ask.h"

/* A device without metrics has no groups. */
ze_result_t geo_zetMetricGroupGet(zet_device_handle_t hDevice, uint32_t *pCount,
                                  zet_metric_group_handle_t *phMetricGroups)
{
    struct geo_device *device;
    struct geo_metric_root *root;
    GEO_CHECK(geo_device_from(hDevice, &device));
    if (!device->base.driver->ops->metric) {
        *pCount = 0;
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_metric_root_of(device, &root));
    return geo_metric_group_list(root, pCount, phMetricGroups);
}

ze_result_t geo_zetMetricGroupGetProperties(zet_metric_group_handle_t hMetricGroup,
                                            zet_metric_group_properties_t *pProperties)
{
    struct geo_metric_group_object *group;
    GEO_CHECK(geo_metric_group_object_from(hMetricGroup, &group));
    geo_metric_group_properties(group, pProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricGet(zet_metric_group_handle_t hMetricGroup, uint32_t *pCount,
                             zet_metric_handle_t *phMetrics)
{
    struct geo_metric_group_object *group;
    GEO_CHECK(geo_metric_group_object_from(hMetricGroup, &group));
    geo_metric_group_metrics(group, pCount, phMetrics);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricGetProperties(zet_metric_handle_t hMetric,
                                       zet_metric_properties_t *pProperties)
{
    struct geo_metric_object *metric;
    GEO_CHECK(geo_metric_object_from(hMetric, &metric));
    geo_metric_object_properties(metric, pProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetContextActivateMetricGroups(zet_context_handle_t hContext,
                                               zet_device_handle_t hDevice, uint32_t count,
                                               zet_metric_group_handle_t *phMetricGroups)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_metric_root *root;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_metric_root_of(device, &root));
    return geo_metric_active_set(root, count, phMetricGroups);
}

ze_result_t
geo_zetDeviceGetConcurrentMetricGroupsExp(zet_device_handle_t hDevice, uint32_t metricGroupCount,
                                          zet_metric_group_handle_t *phMetricGroups,
                                          uint32_t *pMetricGroupsCountPerConcurrentGroup,
                                          uint32_t *pConcurrentGroupCount)
{
    struct geo_metric_root *root;
    GEO_CHECK(geo_metric_root_from(hDevice, &root));
    return geo_metric_active_sort(root, metricGroupCount, phMetricGroups,
                                  pMetricGroupsCountPerConcurrentGroup, pConcurrentGroupCount);
}

/* ---- at run time ---- */

static ze_result_t metrics_enable(zet_device_handle_t hDevice, bool enable)
{
    struct geo_metric_root *root;
    ze_result_t result;
    GEO_CHECK(geo_metric_root_from(hDevice, &root));
    if (!enable) {
        GEO_CHECK(geo_metric_active_unused_check(root));
    }
    GEO_METRIC_ASK(result, root, enable, root->device->backend_device, enable);
    return result;
}

ze_result_t geo_zetDeviceEnableMetricsExp(zet_device_handle_t hDevice)
{
    return metrics_enable(hDevice, true);
}

ze_result_t geo_zetDeviceDisableMetricsExp(zet_device_handle_t hDevice)
{
    return metrics_enable(hDevice, false);
}

ze_result_t geo_zetMetricGroupGetGlobalTimestampsExp(zet_metric_group_handle_t hMetricGroup,
                                                     ze_bool_t synchronizedWithHost,
                                                     uint64_t *globalTimestamp,
                                                     uint64_t *metricTimestamp)
{
    struct geo_metric_group_object *group;
    uint64_t clock, metric_clock;
    GEO_CHECK(geo_metric_group_ready(hMetricGroup, NULL, &group));
    const struct geo_device *device = group->root->device;
    if (!group->root->ops->timestamps) {
        return geo_metric_ask_unsupported(device->info->name, "timestamps of metrics");
    }
    const ze_result_t result = group->root->ops->timestamps(
        device->backend_device, group->group, synchronizedWithHost != 0, &clock, &metric_clock);
    if (result != ZE_RESULT_SUCCESS) {
        return geo_fail(result, "%s: the clock of metrics cannot be read", device->info->name);
    }
    *globalTimestamp = clock;
    *metricTimestamp = metric_clock;
    return ZE_RESULT_SUCCESS;
}
