/* Tracers: the events of groups, computed when they are read. See metric.h. */
#include "backend/simulated/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An event that happened. */
struct happened {
    double at_s;
    uint32_t group, event;
};

uint64_t sim_group_key(const struct geo_metric_group *group)
{
    uint64_t key;
    memcpy(&key, group->identity, sizeof(key));
    return key;
}

/* Returns how often the event has happened by time t. */
static double occurrences(const struct sim_trace_event *event, double t)
{
    if (t < event->at_s) {
        return 0;
    }
    return event->every_s > 0 ? floor((t - event->at_s) / event->every_s * (1 + 1e-12)) + 1 : 1;
}

static double count_between(const struct geo_metric_collection *trace, double after, double until)
{
    double count = 0;
    for (uint32_t g = 0; g < trace->group_count; g++) {
        const struct sim_list *events = &trace->groups[g]->events;
        for (uint32_t i = 0; i < events->count; i++) {
            const struct sim_trace_event *event = (const struct sim_trace_event *)events->items + i;
            count += occurrences(event, until) - occurrences(event, after);
        }
    }
    return count;
}

static uint32_t buffer_of(const struct geo_metric_collection *trace)
{
    uint32_t buffer = trace->groups[0]->buffer;
    for (uint32_t g = 1; g < trace->group_count; g++) {
        buffer = trace->groups[g]->buffer < buffer ? trace->groups[g]->buffer : buffer;
    }
    return buffer;
}

/* Drops the oldest events until the rest fits the buffer: finds the time by halving. */
static void overrun(struct geo_metric_collection *trace, double end_s, uint32_t buffer)
{
    double low = trace->base_s, high = end_s;
    for (int i = 0; i < 64; i++) {
        const double middle = low + (high - low) / 2;
        *(count_between(trace, middle, end_s) > buffer ? &low : &high) = middle;
    }
    trace->base_s = high;
    trace->skip = 0;
    trace->lost = true;
}

uint64_t sim_trace_available(struct geo_metric_collection *trace)
{
    const double end_s = sim_collection_end_s(trace);
    const uint32_t buffer = buffer_of(trace);
    double count = count_between(trace, trace->base_s, end_s) - (double)trace->skip;
    if (count > buffer) {
        overrun(trace, end_s, buffer);
        count = count_between(trace, trace->base_s, end_s);
    }
    return count > 0 ? (uint64_t)count : 0;
}

static int happened_compare(const void *a, const void *b)
{
    const struct happened *x = a, *y = b;
    if (x->at_s != y->at_s) {
        return x->at_s < y->at_s ? -1 : 1;
    }
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Lists the events since base_s in order, those that were read already included. */
static size_t events_list(const struct geo_metric_collection *trace, double end_s,
                          struct happened *list, size_t room)
{
    size_t count = 0;
    for (uint32_t g = 0; g < trace->group_count; g++) {
        const struct sim_list *events = &trace->groups[g]->events;
        for (uint32_t i = 0; i < events->count; i++) {
            const struct sim_trace_event *event = (const struct sim_trace_event *)events->items + i;
            const double first = occurrences(event, trace->base_s);
            const double more = occurrences(event, end_s) - first;
            for (uint64_t n = 0; (double)n < more && count < room; n++) {
                const double at_s = event->at_s + (first + (double)n) * event->every_s;
                list[count++] = (struct happened){at_s, g, i};
            }
        }
    }
    qsort(list, count, sizeof(*list), happened_compare);
    return count;
}

static void event_write(const struct geo_metric_collection *trace, const struct happened *happened,
                        uint8_t *out)
{
    const struct sim_group *group = trace->groups[happened->group];
    const struct sim_trace_event *event =
        (const struct sim_trace_event *)group->events.items + happened->event;
    const struct sim_metric *metric = sim_metric_of(group->seam.metrics[event->metric]);
    const uint64_t key = sim_group_key(&group->seam);
    const uint64_t ticks = sim_group_ticks(&group->seam, happened->at_s);
    const double value = event->value
                             ? sim_script_value(event->value, happened->at_s)
                             : sim_metric_value(metric, trace->metrics->device, happened->at_s);
    memset(out, 0, SIM_EVENT_BYTES);
    memcpy(out, &key, sizeof(key));
    memcpy(out + 8, &event->metric, sizeof(event->metric));
    memcpy(out + 16, &ticks, sizeof(ticks));
    memcpy(out + 24, &value, sizeof(value));
}

size_t sim_trace_read(struct geo_metric_collection *trace, size_t bytes, uint8_t *data)
{
    const double end_s = sim_collection_end_s(trace);
    const uint64_t available = sim_trace_available(trace);
    if (!data) {
        return (size_t)available * SIM_EVENT_BYTES;
    }
    const size_t room = (size_t)(available + trace->skip);
    struct happened *list = calloc(room + 1, sizeof(*list));
    if (!list) {
        return SIZE_MAX;
    }
    const size_t count = events_list(trace, end_s, list, room);
    size_t written = 0;
    for (size_t i = (size_t)trace->skip; i < count && (written + 1) * SIM_EVENT_BYTES <= bytes;
         i++, written++) {
        event_write(trace, &list[i], data + written * SIM_EVENT_BYTES);
    }
    trace->skip += written;
    if (trace->skip >= count) {
        trace->base_s = end_s;
        trace->skip = 0;
    }
    free(list);
    return written * SIM_EVENT_BYTES;
}
