/* Streamers: reports at regular times, computed when they are read. See metric.h. */
#include "backend/simulated/metric.h"

#include <math.h>

double sim_collection_end_s(const struct geo_metric_collection *collection)
{
    return collection->running ? sim_clock_now_s() : collection->stop_s;
}

uint64_t sim_stream_available(struct geo_metric_collection *stream)
{
    const double periods =
        (sim_collection_end_s(stream) - stream->start_s) / stream->period_s * (1 + 1e-12);
    const uint64_t total = periods > 0 ? (uint64_t)periods : 0;
    const uint32_t buffer = stream->groups[0]->buffer;
    if (total > stream->taken && total - stream->taken > buffer) {
        stream->taken = total - buffer;
        stream->lost = true;
    }
    return total > stream->taken ? total - stream->taken : 0;
}

/* Returns the last marker of a period, or 0. */
static uint32_t marker_find(const struct geo_metric_collection *stream, double from_s, double to_s)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < stream->marker_count; i++) {
        const struct sim_marker *marker = &stream->markers[i];
        value = marker->at_s > from_s && marker->at_s <= to_s ? marker->value : value;
    }
    return value;
}

size_t sim_stream_read(struct geo_metric_collection *stream, uint32_t max_reports, size_t bytes,
                       uint8_t *data)
{
    const struct sim_group *group = stream->groups[0];
    const size_t report = sim_report_bytes(&group->seam);
    uint64_t count = sim_stream_available(stream);
    count = count < max_reports ? count : max_reports;
    if (data) {
        count = count < bytes / report ? count : bytes / report;
    }
    for (uint64_t i = 0; data && i < count; i++, stream->taken++) {
        const double from_s = stream->start_s + (double)stream->taken * stream->period_s;
        const double to_s = from_s + stream->period_s;
        sim_report_write(group, from_s, to_s, marker_find(stream, from_s, to_s), data + i * report);
    }
    return (size_t)count * report;
}
