/* Values of metrics at a time, and reports. See metric.h. */
#include "backend/simulated/metric.h"
#include "backend/simulated/part.h"

#include <string.h>

enum { REPORT_HEAD = 16 };

size_t sim_report_bytes(const struct geo_metric_group *group)
{
    return REPORT_HEAD + group->metric_count * sizeof(double);
}

uint64_t sim_group_ticks(const struct geo_metric_group *group, double t)
{
    return sim_wrap(t * (double)group->timer_hz, group->timer_bits);
}

double sim_metric_value(const struct sim_metric *metric, const struct geo_backend_device *device,
                        double t)
{
    const double tiles = device->part > 1 ? device->part - 1 : 0;
    return (sim_value(metric->value, t, 0) + metric->tile_step * tiles) * metric->factor;
}

static bool is_increase(const struct sim_metric *metric)
{
    return metric->seam.type == ZET_METRIC_TYPE_EVENT ||
           metric->seam.type == ZET_METRIC_TYPE_EVENT_WITH_RANGE ||
           metric->seam.type == ZET_METRIC_TYPE_DURATION;
}

static double period_value(const struct sim_group *group, const struct sim_metric *metric,
                           double from_s, double to_s, uint32_t marker)
{
    const struct geo_backend_device *device = group->owner->device;
    if (metric->seam.type == ZET_METRIC_TYPE_TIMESTAMP) {
        return (double)sim_group_ticks(&group->seam, to_s);
    }
    if (!metric->value) {
        return marker;
    }
    const double value = sim_metric_value(metric, device, to_s);
    return is_increase(metric) ? value - sim_metric_value(metric, device, from_s) : value;
}

void sim_report_write(const struct sim_group *group, double from_s, double to_s, uint32_t marker,
                      uint8_t *out)
{
    const uint64_t ticks = sim_group_ticks(&group->seam, to_s);
    memset(out, 0, REPORT_HEAD);
    memcpy(out, &ticks, sizeof(ticks));
    memcpy(out + sizeof(ticks), &marker, sizeof(marker));
    for (uint32_t i = 0; i < group->seam.metric_count; i++) {
        const double value =
            period_value(group, sim_metric_of(group->seam.metrics[i]), from_s, to_s, marker);
        memcpy(out + REPORT_HEAD + i * sizeof(value), &value, sizeof(value));
    }
}

zet_typed_value_t sim_typed(zet_value_type_t type, double value)
{
    zet_typed_value_t typed = {.type = type};
    switch (type) {
    case ZET_VALUE_TYPE_UINT32:
        typed.value.ui32 = sim_u32(value);
        break;
    case ZET_VALUE_TYPE_UINT8:
        typed.value.ui32 = (uint32_t)sim_clamp(value, 0, UINT8_MAX);
        break;
    case ZET_VALUE_TYPE_UINT16:
        typed.value.ui32 = (uint32_t)sim_clamp(value, 0, UINT16_MAX);
        break;
    case ZET_VALUE_TYPE_FLOAT32:
        typed.value.fp32 = (float)sim_clamp(value, -1e38, 1e38);
        break;
    case ZET_VALUE_TYPE_FLOAT64:
        typed.value.fp64 = value;
        break;
    case ZET_VALUE_TYPE_BOOL8:
        typed.value.b8 = value != 0;
        break;
    default:
        typed.value.ui64 = value >= 0x1p64 ? UINT64_MAX : value > 0 ? (uint64_t)value : 0;
        break;
    }
    return typed;
}
