/* API functions that calculate metric values, and export data for that. */
#include "ddi/geo_api.h"
#include "driver/tools/metric/ask.h"
#include "driver/tools/metric/calculate.h"
#include "driver/tools/metric/export.h"

static ze_result_t calculate(const struct geo_metric_calculation *calculation,
                             const struct geo_metric_values *values)
{
    return calculation->ops->calculate
               ? geo_metric_calculate(calculation, values)
               : geo_metric_ask_unsupported(calculation->group->name, "calculation of values");
}

ze_result_t geo_zetMetricGroupCalculateMetricValues(zet_metric_group_handle_t hMetricGroup,
                                                    zet_metric_group_calculation_type_t type,
                                                    size_t rawDataSize, const uint8_t *pRawData,
                                                    uint32_t *pMetricValueCount,
                                                    zet_typed_value_t *pMetricValues)
{
    struct geo_metric_group_object *group;
    uint32_t sets = 0;
    GEO_CHECK(geo_metric_group_ready(hMetricGroup, NULL, &group));
    const struct geo_metric_calculation calculation = {.ops = group->root->ops,
                                                       .group = group->group,
                                                       .type = type,
                                                       .data = pRawData,
                                                       .bytes = rawDataSize,
                                                       .first_only = true};
    const struct geo_metric_values values = {
        .set_count = &sets, .total = pMetricValueCount, .values = pMetricValues};
    return calculate(&calculation, &values);
}

ze_result_t geo_zetMetricGroupCalculateMultipleMetricValuesExp(
    zet_metric_group_handle_t hMetricGroup, zet_metric_group_calculation_type_t type,
    size_t rawDataSize, const uint8_t *pRawData, uint32_t *pSetCount,
    uint32_t *pTotalMetricValueCount, uint32_t *pMetricCounts, zet_typed_value_t *pMetricValues)
{
    struct geo_metric_group_object *group;
    GEO_CHECK(geo_metric_group_ready(hMetricGroup, NULL, &group));
    const struct geo_metric_calculation calculation = {.ops = group->root->ops,
                                                       .group = group->group,
                                                       .type = type,
                                                       .data = pRawData,
                                                       .bytes = rawDataSize};
    const struct geo_metric_values values = {pSetCount, pMetricCounts, pTotalMetricValueCount,
                                             pMetricValues};
    return calculate(&calculation, &values);
}

ze_result_t geo_zetMetricGroupGetExportDataExp(zet_metric_group_handle_t hMetricGroup,
                                               const uint8_t *pRawData, size_t rawDataSize,
                                               size_t *pExportDataSize, uint8_t *pExportData)
{
    struct geo_metric_group_object *group;
    GEO_CHECK(geo_metric_group_ready(hMetricGroup, NULL, &group));
    if (!group->root->ops->calculate) {
        return geo_metric_ask_unsupported(group->group->name, "calculation of values");
    }
    return geo_metric_export_write(group, pRawData, rawDataSize, pExportDataSize, pExportData);
}

ze_result_t geo_zetMetricGroupCalculateMetricExportDataExp(
    ze_driver_handle_t hDriver, zet_metric_group_calculation_type_t type, size_t exportDataSize,
    const uint8_t *pExportData, zet_metric_calculate_exp_desc_t *pCalculateDescriptor,
    uint32_t *pSetCount, uint32_t *pTotalMetricValueCount, uint32_t *pMetricCounts,
    zet_typed_value_t *pMetricValues)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    struct geo_metric_calculation calculation = {
        .ops = driver->ops->metric, .type = type, .skip = pCalculateDescriptor->rawReportSkipCount};
    GEO_CHECK(geo_metric_export_read(driver, pExportData, exportDataSize, &calculation.group,
                                     &calculation.data, &calculation.bytes));
    const struct geo_metric_values values = {pSetCount, pMetricCounts, pTotalMetricValueCount,
                                             pMetricValues};
    return calculate(&calculation, &values);
}
