/* API functions of programmable metrics, and of metrics and groups that applications make. */
#include "ddi/geo_api.h"
#include "driver/tools/metric/ask.h"
#include "driver/tools/metric/made.h"
#include "driver/tools/metric/programmable.h"

#include <string.h>

/* A device without metrics has no programmable ones. */
ze_result_t
geo_zetMetricProgrammableGetExp(zet_device_handle_t hDevice, uint32_t *pCount,
                                zet_metric_programmable_exp_handle_t *phMetricProgrammables)
{
    struct geo_device *device;
    struct geo_metric_root *root;
    GEO_CHECK(geo_device_from(hDevice, &device));
    if (!device->base.driver->ops->metric) {
        *pCount = 0;
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_metric_root_of(device, &root));
    return geo_metric_programmable_list(root, pCount, phMetricProgrammables);
}

ze_result_t
geo_zetMetricProgrammableGetPropertiesExp(zet_metric_programmable_exp_handle_t hMetricProgrammable,
                                          zet_metric_programmable_exp_properties_t *pProperties)
{
    struct geo_metric_programmable_object *programmable;
    GEO_CHECK(geo_metric_programmable_object_from(hMetricProgrammable, &programmable));
    geo_metric_programmable_properties(programmable, pProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zetMetricProgrammableGetParamInfoExp(zet_metric_programmable_exp_handle_t hMetricProgrammable,
                                         uint32_t *pParameterCount,
                                         zet_metric_programmable_param_info_exp_t *pParameterInfo)
{
    struct geo_metric_programmable_object *programmable;
    GEO_CHECK(geo_metric_programmable_object_from(hMetricProgrammable, &programmable));
    return geo_metric_programmable_parameters(programmable, pParameterCount, pParameterInfo);
}

ze_result_t geo_zetMetricProgrammableGetParamValueInfoExp(
    zet_metric_programmable_exp_handle_t hMetricProgrammable, uint32_t parameterOrdinal,
    uint32_t *pValueInfoCount, zet_metric_programmable_param_value_info_exp_t *pValueInfo)
{
    struct geo_metric_programmable_object *programmable;
    GEO_CHECK(geo_metric_programmable_object_from(hMetricProgrammable, &programmable));
    return geo_metric_programmable_values(programmable, parameterOrdinal, pValueInfoCount,
                                          pValueInfo);
}

/* ---- metrics ---- */

ze_result_t geo_zetMetricCreateFromProgrammableExp2(
    zet_metric_programmable_exp_handle_t hMetricProgrammable, uint32_t parameterCount,
    zet_metric_programmable_param_value_exp_t *pParameterValues, const char *pName,
    const char *pDescription, uint32_t *pMetricHandleCount, zet_metric_handle_t *phMetricHandles)
{
    struct geo_metric_programmable_object *programmable;
    const struct geo_metric_program program = {pParameterValues, parameterCount, pName,
                                               pDescription};
    GEO_CHECK(geo_metric_programmable_object_from(hMetricProgrammable, &programmable));
    return geo_metric_programmable_create(programmable, &program, pMetricHandleCount,
                                          phMetricHandles);
}

ze_result_t
geo_zetMetricCreateFromProgrammableExp(zet_metric_programmable_exp_handle_t hMetricProgrammable,
                                       zet_metric_programmable_param_value_exp_t *pParameterValues,
                                       uint32_t parameterCount, const char *pName,
                                       const char *pDescription, uint32_t *pMetricHandleCount,
                                       zet_metric_handle_t *phMetricHandles)
{
    return geo_zetMetricCreateFromProgrammableExp2(hMetricProgrammable, parameterCount,
                                                   pParameterValues, pName, pDescription,
                                                   pMetricHandleCount, phMetricHandles);
}

ze_result_t geo_zetMetricDestroyExp(zet_metric_handle_t hMetric)
{
    struct geo_metric_object *metric;
    GEO_CHECK(geo_metric_object_from(hMetric, &metric));
    return geo_metric_object_close(metric);
}

/* ---- groups ---- */

ze_result_t geo_zetDeviceCreateMetricGroupsFromMetricsExp(
    zet_device_handle_t hDevice, uint32_t metricCount, zet_metric_handle_t *phMetrics,
    const char *pMetricGroupNamePrefix, const char *pDescription, uint32_t *pMetricGroupCount,
    zet_metric_group_handle_t *phMetricGroup)
{
    struct geo_metric_root *root;
    const struct geo_metric_made_desc desc = {pMetricGroupNamePrefix, pDescription, 0};
    GEO_CHECK(geo_metric_root_from(hDevice, &root));
    return geo_metric_made_from_metrics(root, &desc, metricCount, phMetrics, pMetricGroupCount,
                                        phMetricGroup);
}

ze_result_t geo_zetMetricGroupCreateExp(zet_device_handle_t hDevice, const char *pName,
                                        const char *pDescription,
                                        zet_metric_group_sampling_type_flags_t samplingType,
                                        zet_metric_group_handle_t *phMetricGroup)
{
    struct geo_metric_root *root;
    struct geo_metric_group_object *group;
    const struct geo_metric_made_desc desc = {pName, pDescription, samplingType};
    GEO_CHECK(geo_metric_root_from(hDevice, &root));
    GEO_CHECK(geo_metric_made_create(root, &desc, &group));
    *phMetricGroup = geo_metric_group_object_handle(group);
    return ZE_RESULT_SUCCESS;
}

/* Writes the reason why a metric was refused, cut to the size of the array. */
static void reason_write(const struct geo_strbuf *why, size_t *size, char *text)
{
    const char *reason = geo_strbuf_text(why);
    const size_t needed = strlen(reason) + 1;
    if (!size) {
        return;
    }
    if (*size != 0 && text) {
        geo_metric_text_copy(text, *size, reason);
    }
    *size = needed;
}

ze_result_t geo_zetMetricGroupAddMetricExp(zet_metric_group_handle_t hMetricGroup,
                                           zet_metric_handle_t hMetric, size_t *pErrorStringSize,
                                           char *pErrorString)
{
    struct geo_metric_group_object *group;
    struct geo_metric_object *metric;
    struct geo_strbuf why;
    GEO_CHECK(geo_metric_group_object_from(hMetricGroup, &group));
    GEO_CHECK(geo_metric_object_from(hMetric, &metric));
    geo_strbuf_init(&why, GEO_METRIC_WHY_BYTES);
    const ze_result_t result = geo_metric_made_add(group, metric, &why);
    if (result == ZE_RESULT_ERROR_INVALID_ARGUMENT) {
        reason_write(&why, pErrorStringSize, pErrorString);
    }
    geo_strbuf_finish(&why);
    return result;
}

ze_result_t geo_zetMetricGroupRemoveMetricExp(zet_metric_group_handle_t hMetricGroup,
                                              zet_metric_handle_t hMetric)
{
    struct geo_metric_group_object *group;
    struct geo_metric_object *metric;
    GEO_CHECK(geo_metric_group_object_from(hMetricGroup, &group));
    GEO_CHECK(geo_metric_object_from(hMetric, &metric));
    return geo_metric_made_remove(group, metric);
}

ze_result_t geo_zetMetricGroupCloseExp(zet_metric_group_handle_t hMetricGroup)
{
    struct geo_metric_group_object *group;
    GEO_CHECK(geo_metric_group_object_from(hMetricGroup, &group));
    return geo_metric_made_close(group);
}

ze_result_t geo_zetMetricGroupDestroyExp(zet_metric_group_handle_t hMetricGroup)
{
    struct geo_metric_group_object *group;
    GEO_CHECK(geo_metric_group_object_from(hMetricGroup, &group));
    return geo_metric_made_destroy(group);
}
