/* Evaluates the formulas of metrics (group.h) on checked copies of reports. See calculate.h. */
#include "backend/cpu/metric/calculate.h"

#include "backend/cpu/metric/group.h"
#include "backend/cpu/metric/report.h"
#include "base/assert.h"

#include <string.h>

/* A report that was read and checked. */
struct reading {
    struct geo_cpu_metric_report head;
    uint64_t values[GEO_COUNTS];
};

/* Copies a report of this group. The data need not be aligned. Returns false if it is none. */
static bool report_read(const struct geo_cpu_metric_group *group, const uint8_t *data,
                        struct reading *out)
{
    GEO_ASSERT(group->count <= GEO_COUNTS);
    memcpy(&out->head, data, sizeof(out->head));
    memcpy(out->values, data + sizeof(out->head), group->count * sizeof(*out->values));
    return out->head.magic == GEO_CPU_METRIC_REPORT && out->head.family == group->family &&
           out->head.count == group->count && out->head.workers != 0 &&
           out->head.begin <= out->head.end;
}

static double value_get(const struct reading *reading, uint32_t index)
{
    GEO_ASSERT(index == GEO_CPU_METRIC_NO_VALUE || index < GEO_COUNTS);
    return index == GEO_CPU_METRIC_NO_VALUE ? 0 : (double)reading->values[index];
}

static double quotient(double dividend, double divisor)
{
    return divisor > 0 ? dividend / divisor : 0;
}

/* Returns the sum of the values from number a to b. */
static uint64_t values_sum(const struct geo_cpu_metric *metric, const struct reading *reading)
{
    uint64_t sum = 0;
    GEO_ASSERT(metric->a <= metric->b && metric->b < GEO_COUNTS);
    for (uint32_t i = metric->a; i <= metric->b; i++) {
        sum += reading->values[i];
    }
    return sum;
}

/* Returns the value of a metric as a real number. */
static double real_compute(const struct geo_cpu_metric *metric, const struct reading *reading)
{
    const double span = (double)(reading->head.end - reading->head.begin);
    const double a = value_get(reading, metric->a), b = value_get(reading, metric->b);
    switch ((enum geo_cpu_metric_formula)metric->formula) {
    case GEO_CPU_METRIC_RATE:
        return quotient((a + b) * 1e9, span);
    case GEO_CPU_METRIC_SUM_RATE:
        return quotient((double)values_sum(metric, reading) * 1e9, span);
    case GEO_CPU_METRIC_RATIO:
        return quotient(a, b);
    case GEO_CPU_METRIC_PERCENT:
        return quotient(a * 100, b);
    case GEO_CPU_METRIC_COMPLEMENT:
        return b > 0 ? 100 - a * 100 / b : 0;
    case GEO_CPU_METRIC_USE:
        return quotient(a * 100, span * reading->head.workers);
    default:
        return a;
    }
}

/* Returns the value of a metric that is a whole number. */
static uint64_t whole_compute(const struct geo_cpu_metric *metric, const struct reading *reading)
{
    switch ((enum geo_cpu_metric_formula)metric->formula) {
    case GEO_CPU_METRIC_BEGIN:
        return reading->head.begin;
    case GEO_CPU_METRIC_SPAN:
        return reading->head.end - reading->head.begin;
    case GEO_CPU_METRIC_SUM:
        return values_sum(metric, reading);
    case GEO_CPU_METRIC_MISSED:
        return reading->head.missed;
    case GEO_CPU_METRIC_MARKER:
        return reading->head.marker;
    default:
        GEO_ASSERT(metric->a < GEO_COUNTS);
        return reading->values[metric->a];
    }
}

static zet_typed_value_t metric_compute(const struct geo_metric *base,
                                        const struct reading *reading)
{
    const struct geo_cpu_metric *metric = (const struct geo_cpu_metric *)base;
    zet_typed_value_t value = {.type = base->result};
    if (base->result == ZET_VALUE_TYPE_FLOAT64) {
        value.value.fp64 = real_compute(metric, reading);
    } else {
        GEO_ASSERT(base->result == ZET_VALUE_TYPE_UINT64);
        value.value.ui64 = whole_compute(metric, reading);
    }
    return value;
}

static bool value_is_larger(const zet_typed_value_t *value, const zet_typed_value_t *than)
{
    return value->type == ZET_VALUE_TYPE_FLOAT64 ? value->value.fp64 > than->value.fp64
                                                 : value->value.ui64 > than->value.ui64;
}

/* Checks all reports, so that the number of values is known to be right before any is written. */
static bool reports_are_valid(const struct geo_cpu_metric_group *group, const uint8_t *data,
                              size_t bytes, size_t each)
{
    struct reading reading;
    for (size_t at = 0; at < bytes; at += each) {
        if (!report_read(group, data + at, &reading)) {
            return false;
        }
    }
    return true;
}

ze_result_t geo_cpu_metric_calculate(const struct geo_metric_group *base,
                                     zet_metric_group_calculation_type_t type, const uint8_t *data,
                                     size_t bytes, uint32_t *count, zet_typed_value_t *values)
{
    const struct geo_cpu_metric_group *group = geo_cpu_metric_group_of(base);
    const bool most = type == ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES;
    if (!group || group->count == 0) {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    const size_t each = geo_cpu_metric_report_bytes(group->count);
    const size_t metrics = base->metric_count, reports = bytes / each;
    if (bytes % each != 0 || reports > UINT32_MAX / metrics ||
        !reports_are_valid(group, data, bytes, each)) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const size_t total = (most && reports > 1 ? 1 : reports) * metrics;
    if (!values) {
        *count = (uint32_t)total;
        return ZE_RESULT_SUCCESS;
    }
    const size_t room = *count < total ? *count : total;
    for (size_t i = 0; i < reports * metrics; i++) {
        struct reading reading;
        const size_t at = most ? i % metrics : i;
        if (at >= room) {
            continue;
        }
        (void)report_read(group, data + i / metrics * each, &reading);
        const zet_typed_value_t value = metric_compute(base->metrics[i % metrics], &reading);
        if (!most || i < metrics || value_is_larger(&value, &values[at])) {
            values[at] = value;
        }
    }
    *count = (uint32_t)room;
    return ZE_RESULT_SUCCESS;
}

/* ---- events ---- */

/* Returns the place of the metric of an event among those that are asked for. Returns false if it
 * is not among them. */
static bool event_find(const struct geo_metric *const *metrics, uint32_t count, uint32_t what,
                       uint32_t *index)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_cpu_metric *metric = (const struct geo_cpu_metric *)metrics[i];
        if (metric->formula == GEO_CPU_METRIC_EVENT_OF && metric->a == what) {
            *index = i;
            return true;
        }
    }
    return false;
}

ze_result_t geo_cpu_metric_decode(const struct geo_metric_group *const *groups,
                                  uint32_t group_count, const struct geo_metric *const *metrics,
                                  uint32_t metric_count, const uint8_t *data, size_t *bytes,
                                  uint32_t *count, zet_metric_entry_exp_t *entries)
{
    struct geo_cpu_metric_event event;
    const size_t limit = *bytes;
    const uint32_t room = *count;
    uint32_t found = 0, index = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < group_count; i++) {
        const struct geo_cpu_metric_group *group = geo_cpu_metric_group_of(groups[i]);
        if (!group || group->family != GEO_CPU_METRIC_TRACE) {
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
    }
    for (; limit - at >= sizeof(event); at += sizeof(event)) {
        memcpy(&event, data + at, sizeof(event));
        if (event.magic != GEO_CPU_METRIC_EVENT || event.what >= GEO_CPU_METRIC_TRACES) {
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        if (!event_find(metrics, metric_count, event.what, &index)) {
            continue;
        }
        if (entries && found == room) {
            break;
        }
        if (entries) {
            entries[found] = (zet_metric_entry_exp_t){
                .value = {.ui64 = event.value}, .timeStamp = event.time, .metricIndex = index};
        }
        if (found == UINT32_MAX) {
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        found++;
    }
    *bytes = at;
    *count = found;
    return ZE_RESULT_SUCCESS;
}
