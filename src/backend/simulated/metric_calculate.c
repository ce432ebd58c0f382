/* Typed values from reports and events. The data is untrusted. See metric.h. */
#include "backend/simulated/metric.h"

#include <string.h>

enum { REPORT_HEAD = 16 };

static double value_at(const uint8_t *report, uint32_t metric)
{
    double value;
    memcpy(&value, report + REPORT_HEAD + metric * sizeof(value), sizeof(value));
    return value;
}

ze_result_t sim_metric_calculate(const struct geo_metric_group *group,
                                 zet_metric_group_calculation_type_t type, const uint8_t *data,
                                 size_t bytes, uint32_t *count, zet_typed_value_t *values)
{
    const size_t report = sim_report_bytes(group), reports = bytes / report;
    const bool is_max = type == ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES;
    const uint64_t total = (is_max ? reports != 0 : reports) * (uint64_t)group->metric_count;
    if (bytes % report != 0 || total > UINT32_MAX) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; values && i < total && i < *count; i++) {
        const uint32_t metric = i % group->metric_count;
        const struct geo_metric *described = group->metrics[metric];
        values[i] = sim_typed(described->result,
                              is_max ? sim_metric_of(described)->max
                                     : value_at(data + i / group->metric_count * report, metric));
    }
    *count = values && *count < total ? *count : (uint32_t)total;
    return ZE_RESULT_SUCCESS;
}

/* Returns the metric of an event, or NULL if the data is damaged. */
static const struct geo_metric *event_metric(const struct geo_metric_group *const *groups,
                                             uint32_t group_count, const uint8_t *event)
{
    uint64_t key;
    uint32_t index;
    memcpy(&key, event, sizeof(key));
    memcpy(&index, event + 8, sizeof(index));
    for (uint32_t i = 0; i < group_count; i++) {
        if (sim_group_key(groups[i]) == key && index < groups[i]->metric_count) {
            return groups[i]->metrics[index];
        }
    }
    return NULL;
}

ze_result_t sim_metric_decode(const struct geo_metric_group *const *groups, uint32_t group_count,
                              const struct geo_metric *const *metrics, uint32_t metric_count,
                              const uint8_t *data, size_t *bytes, uint32_t *count,
                              zet_metric_entry_exp_t *entries)
{
    uint32_t found = 0;
    if (*bytes % SIM_EVENT_BYTES != 0) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    for (size_t at = 0; at < *bytes; at += SIM_EVENT_BYTES) {
        const struct geo_metric *metric = event_metric(groups, group_count, data + at);
        uint32_t index = 0;
        if (!metric) {
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        while (index < metric_count && metrics[index] != metric) {
            index++;
        }
        if (index == metric_count) {
            continue; /* not wanted */
        }
        if (entries && found < *count) {
            double value;
            memcpy(&value, data + at + 24, sizeof(value));
            entries[found] = (zet_metric_entry_exp_t){
                .value = sim_typed(metric->result, value).value, .metricIndex = index};
            memcpy(&entries[found].timeStamp, data + at + 16, sizeof(entries[found].timeStamp));
        }
        found++;
    }
    *count = found;
    return ZE_RESULT_SUCCESS;
}
