/* The operations of metrics (backend/metric.h). See metric.h. */
#include "backend/simulated/metric.h"
#include "backend/simulated/simulated.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct geo_metric_group *const *metric_groups(struct geo_backend_device *device,
                                                           uint32_t *count)
{
    const struct sim_metrics *metrics = sim_metrics_of(device);
    sim_lock();
    *count = !metrics ? 0 : metrics->enabled ? metrics->shown_count : metrics->always_count;
    sim_unlock();
    return metrics ? metrics->shown : NULL;
}

static const struct geo_metric_programmable *const *
metric_programmables(struct geo_backend_device *device, uint32_t *count)
{
    const struct sim_metrics *metrics = sim_metrics_of(device);
    *count = metrics ? metrics->programmables.count : 0;
    return metrics ? metrics->programmable_list : NULL;
}

static ze_result_t metric_enable(struct geo_backend_device *device, bool enable,
                                 struct geo_strbuf *why)
{
    struct sim_metrics *metrics = sim_metrics_of(device);
    if (!metrics || metrics->shown_count == metrics->always_count) {
        geo_strbuf_printf(why, "the description has no metric group that is \"on_demand\"");
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    sim_lock();
    metrics->enabled = enable;
    sim_unlock();
    return ZE_RESULT_SUCCESS;
}

static ze_result_t metric_activate(struct geo_backend_device *device,
                                   const struct geo_metric_group *const *groups, uint32_t count,
                                   struct geo_strbuf *why)
{
    (void)device;
    for (uint32_t i = 0; i < count; i++) {
        const struct sim_group *group = sim_group_of(groups[i]);
        if (group->refusal != ZE_RESULT_SUCCESS) {
            geo_strbuf_printf(why, "%s", group->refusal_text);
            return group->refusal;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t metric_timestamps(struct geo_backend_device *device,
                                     const struct geo_metric_group *group, bool host,
                                     uint64_t *clock, uint64_t *metric_clock)
{
    struct timespec now;
    (void)device;
    sim_lock();
    const double t = sim_clock_now_s();
    sim_unlock();
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    *clock = host ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec
                  : (uint64_t)(t * 1e9 + 0.5);
    *metric_clock = sim_group_ticks(group, t);
    return ZE_RESULT_SUCCESS;
}

/* ---- collections ---- */

static ze_result_t metric_open(struct geo_backend_device *device,
                               struct geo_metric_collection_desc *desc,
                               struct geo_metric_collection **out, struct geo_strbuf *why)
{
    struct geo_metric_collection *collection = calloc(1, sizeof(*collection));
    const struct sim_group **groups = calloc(desc->group_count, sizeof(*groups));
    (void)why;
    if (!collection || !groups) {
        free(collection);
        free(groups);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < desc->group_count; i++) {
        groups[i] = sim_group_of(desc->groups[i]);
    }
    if (!desc->tracer && desc->period_ns < groups[0]->min_period_ns) {
        desc->period_ns = groups[0]->min_period_ns;
    }
    if (!desc->tracer && desc->notify_every > groups[0]->buffer) {
        desc->notify_every = groups[0]->buffer;
    }
    collection->metrics = sim_metrics_of(device);
    collection->groups = groups;
    collection->group_count = desc->group_count;
    collection->tracer = desc->tracer;
    collection->notify_every = desc->notify_every;
    collection->period_s = desc->period_ns * 1e-9;
    sim_lock();
    collection->next = collection->metrics->open;
    collection->metrics->open = collection;
    sim_unlock();
    *out = collection;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t metric_start(struct geo_metric_collection *collection, bool wait)
{
    (void)wait;
    sim_lock();
    if (!collection->running) {
        collection->running = true;
        collection->start_s = collection->base_s = sim_clock_now_s();
        collection->taken = collection->skip = 0;
    }
    sim_unlock();
    return ZE_RESULT_SUCCESS;
}

static ze_result_t metric_stop(struct geo_metric_collection *collection, bool wait)
{
    (void)wait;
    sim_lock();
    if (collection->running) {
        collection->running = false;
        collection->stop_s = sim_clock_now_s();
    }
    sim_unlock();
    return ZE_RESULT_SUCCESS;
}

static ze_result_t metric_read(struct geo_metric_collection *collection, uint32_t max_reports,
                               size_t *bytes, uint8_t *data)
{
    sim_lock();
    const size_t size = collection->tracer ? sim_trace_read(collection, *bytes, data)
                                           : sim_stream_read(collection, max_reports, *bytes, data);
    const bool lost = collection->lost && data && size != SIZE_MAX;
    const bool ended = collection->tracer && !collection->running && size == 0;
    collection->lost = collection->lost && !lost;
    sim_unlock();
    if (size == SIZE_MAX) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *bytes = size;
    return lost ? ZE_RESULT_WARNING_DROPPED_DATA : ended ? ZE_RESULT_NOT_READY : ZE_RESULT_SUCCESS;
}

static void metric_close(struct geo_metric_collection *collection)
{
    sim_lock();
    struct geo_metric_collection **at = &collection->metrics->open;
    while (*at != collection) {
        at = &(*at)->next;
    }
    *at = collection->next;
    sim_unlock();
    free(collection->groups);
    free(collection);
}

bool sim_metric_is_due(struct geo_metric_collection *collection)
{
    sim_lock();
    const uint64_t available = collection->tracer
                                   ? sim_trace_available(collection) * SIM_EVENT_BYTES
                                   : sim_stream_available(collection);
    sim_unlock();
    return collection->notify_every && collection->running && available >= collection->notify_every;
}

/* ---- queries and markers ---- */

static uint32_t metric_query_bytes(struct geo_backend_device *device,
                                   const struct geo_metric_group *group,
                                   zet_metric_query_pool_type_t pool)
{
    (void)device;
    (void)pool;
    return (uint32_t)sim_report_bytes(group);
}

static void marker_add(struct geo_metric_collection *collection, double t, uint32_t value)
{
    if (collection->marker_count == SIM_MARKERS) {
        memmove(collection->markers, collection->markers + 1,
                (SIM_MARKERS - 1) * sizeof(collection->markers[0]));
        collection->marker_count--;
    }
    collection->markers[collection->marker_count++] = (struct sim_marker){t, value};
}

/* Begins or ends a query. The slot has the time of the beginning until the end. */
static void query_run(const struct geo_command_metric *command, double t)
{
    struct geo_metric_slot *slot = command->slot;
    double begin_s = t;
    if (command->what == GEO_METRIC_BEGIN) {
        memcpy(slot->data, &t, sizeof(t));
        atomic_store_explicit(&slot->state, 1, memory_order_release);
        return;
    }
    if (atomic_load_explicit(&slot->state, memory_order_relaxed) == 1) {
        memcpy(&begin_s, slot->data, sizeof(begin_s));
    }
    sim_report_write(sim_group_of(command->group), begin_s, t, 0, slot->data);
    slot->bytes = (uint32_t)sim_report_bytes(command->group);
    atomic_store_explicit(&slot->state, 2, memory_order_release);
}

void sim_metric_record(const struct geo_command_metric *command)
{
    sim_lock();
    const double t = sim_clock_now_s();
    if (command->what != GEO_METRIC_MARKER) {
        query_run(command, t);
    } else if (command->collection) {
        marker_add(command->collection, t, command->value);
    } else {
        sim_metrics_each(sim_group_of(command->group)->owner->device, command->group->identity,
                         marker_add, t, command->value);
    }
    sim_unlock();
}

const struct geo_metric_ops sim_metric_ops = {
    .groups = metric_groups,
    .programmables = metric_programmables,
    .enable = metric_enable,
    .activate = metric_activate,
    .timestamps = metric_timestamps,
    .open = metric_open,
    .start = metric_start,
    .stop = metric_stop,
    .read = metric_read,
    .close = metric_close,
    .query_bytes = metric_query_bytes,
    .calculate = sim_metric_calculate,
    .decode = sim_metric_decode,
    .find_group = sim_metric_find_group,
    .program = sim_metric_program,
    .discard = sim_metric_discard,
    .group_accepts = sim_group_accepts,
    .group_create = sim_group_create,
    .group_destroy = sim_group_destroy,
};
