/* Collections of the backend that are read as one. See collector.h. */
#include "driver/tools/metric/collector.h"

#include "driver/tools/metric/ask.h"
#include "driver/tools/metric/frame.h"

#include <stdlib.h>

/* ---- open ---- */

static ze_result_t groups_resolve(struct geo_metric_collector *collector,
                                  const struct geo_metric_collector_desc *desc)
{
    collector->groups = calloc(desc->group_count, sizeof(struct geo_metric_group_object *));
    if (!collector->groups) {
        return geo_metric_ask_memory("metric groups");
    }
    for (uint32_t i = 0; i < desc->group_count; i++) {
        struct geo_metric_group_object *group;
        GEO_CHECK(geo_metric_group_ready(desc->groups[i], desc->root, &group));
        if (!(group->group->sampling & desc->sampling)) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "metric group %s cannot be sampled in this way: see its samplingType",
                            group->group->name);
        }
        geo_object_ref(&group->base);
        collector->groups[i] = group;
    }
    return ZE_RESULT_SUCCESS;
}

/* Finds the slot that notifications raise. */
static ze_result_t event_take(struct geo_metric_collector *collector, ze_event_handle_t handle,
                              struct geo_event_ref *notify)
{
    struct geo_event *event;
    *notify = (struct geo_event_ref){0};
    if (!handle) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_event_from(handle, &event));
    if (event->counter_based || !(event->pool->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                        "the notification event must be of a pool with "
                        "ZE_EVENT_POOL_FLAG_HOST_VISIBLE, and not be counter-based");
    }
    geo_object_ref(&event->pool->base);
    collector->notified = event->pool;
    *notify = geo_event_reference(event);
    return ZE_RESULT_SUCCESS;
}

/* Opens the collection of one device, whose groups are `groups`. */
static ze_result_t part_open_locked(struct geo_metric_collector *collector,
                                    struct geo_metric_root *root,
                                    struct geo_metric_group_object *const *groups,
                                    struct geo_metric_collection_desc *desc)
{
    const struct geo_metric_group **descriptions =
        calloc(collector->group_count, sizeof(*descriptions));
    struct geo_metric_part *part = &collector->parts[collector->part_count];
    ze_result_t result;
    if (!descriptions) {
        return geo_metric_ask_memory("a collection of metrics");
    }
    for (uint32_t i = 0; i < collector->group_count; i++) {
        descriptions[i] = groups[i]->group;
    }
    desc->groups = descriptions;
    GEO_METRIC_ASK(result, root, open, root->device->backend_device, desc, &part->collection);
    free(descriptions);
    if (result == ZE_RESULT_SUCCESS) {
        part->root = root;
        collector->part_count++;
    }
    return result;
}

/* The groups of each part: [part * group_count + group]. */
struct plan {
    struct geo_metric_group_object **groups;
    uint32_t part_count; /* 0: the device measures as a whole */
};

/* Finds out which parts measure. They do only if they have all of the groups. */
static ze_result_t plan_make_locked(const struct geo_metric_collector *collector, struct plan *plan)
{
    const uint32_t count = collector->group_count;
    const struct geo_device *device = collector->root->device;
    plan->part_count = 0;
    plan->groups = calloc((size_t)count * (device->part_count + 1), sizeof(*plan->groups));
    if (!plan->groups) {
        return geo_metric_ask_memory("a collection of metrics");
    }
    for (uint32_t i = 0; i < count; i++) {
        struct geo_metric_group_object **parts;
        uint32_t found;
        GEO_CHECK(geo_metric_active_parts_locked(collector->groups[i], &found, &parts));
        for (uint32_t k = 0; k < found; k++) {
            plan->groups[(size_t)k * count + i] = parts[k];
        }
        plan->part_count = i == 0 || found < plan->part_count ? found : plan->part_count;
        free(parts);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t parts_open_locked(struct geo_metric_collector *collector,
                                     const struct plan *plan,
                                     struct geo_metric_collection_desc *desc)
{
    const uint32_t parts = plan->part_count ? plan->part_count : 1;
    collector->parts = calloc(parts, sizeof(*collector->parts));
    if (!collector->parts) {
        return geo_metric_ask_memory("a collection of metrics");
    }
    for (uint32_t k = 0; k < parts; k++) {
        struct geo_metric_group_object *const *groups =
            plan->part_count ? &plan->groups[(size_t)k * collector->group_count]
                             : collector->groups;
        GEO_CHECK(part_open_locked(collector, groups[0]->root, groups, desc));
    }
    return ZE_RESULT_SUCCESS;
}

static void count_locked(struct geo_metric_collector *collector, uint32_t add)
{
    GEO_ASSERT(geo_metric_root_locked());
    collector->root->collecting += add;
    for (uint32_t i = 0; i < collector->part_count; i++) {
        struct geo_metric_root *root = collector->parts[i].root;
        root->collecting += root != collector->root ? add : 0;
    }
    collector->counted = add == 1;
}

static ze_result_t open_locked(struct geo_metric_collector *collector,
                               struct geo_metric_collection_desc *desc)
{
    struct plan plan;
    for (uint32_t i = 0; i < collector->group_count; i++) {
        GEO_CHECK(geo_metric_active_check_locked(collector->groups[i]));
    }
    ze_result_t result = plan_make_locked(collector, &plan);
    if (result == ZE_RESULT_SUCCESS) {
        result = parts_open_locked(collector, &plan, desc);
    }
    free(plan.groups);
    GEO_CHECK(result);
    for (uint32_t i = 0; i < collector->group_count; i++) {
        geo_metric_group_hold_locked(collector->groups[i]);
    }
    count_locked(collector, 1);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_collector_open(struct geo_metric_collector *collector,
                                      struct geo_metric_collector_desc *desc)
{
    struct geo_metric_collection_desc backend = {
        .group_count = desc->group_count,
        .tracer = desc->sampling == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED,
        /* with an event, 0 becomes the smallest possible value */
        .notify_every = desc->event && desc->notify_every == 0 ? 1 : desc->notify_every,
        .period_ns = desc->period_ns,
    };
    geo_object_ref(&desc->context->base);
    collector->context = desc->context;
    collector->root = desc->root;
    collector->group_count = desc->group_count;
    GEO_CHECK(groups_resolve(collector, desc));
    GEO_CHECK(event_take(collector, desc->event, &backend.notify));
    geo_metric_root_lock();
    ze_result_t result = open_locked(collector, &backend);
    geo_metric_root_unlock();
    desc->notify_every = backend.notify_every;
    desc->period_ns = backend.period_ns;
    return result;
}

/* ---- run, end ---- */

ze_result_t geo_metric_collector_run(struct geo_metric_collector *collector, bool run, bool wait)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    geo_work_lock_acquire(&collector->lock);
    bool failed = false;
    for (uint32_t i = 0; i < collector->part_count && !failed; i++) {
        const struct geo_metric_part *part = &collector->parts[i];
        const ze_result_t answer = run ? part->root->ops->start(part->collection, wait)
                                       : part->root->ops->stop(part->collection, wait);
        failed = answer != ZE_RESULT_SUCCESS && answer != ZE_RESULT_NOT_READY;
        result = answer != ZE_RESULT_SUCCESS ? answer : result;
        if (failed) {
            geo_fail(result, "%s: collecting metrics cannot be %s", part->root->device->info->name,
                     run ? "started" : "stopped");
        }
    }
    collector->running = failed ? collector->running : run;
    geo_work_lock_release(&collector->lock);
    return result;
}

bool geo_metric_collector_is_running(struct geo_metric_collector *collector)
{
    geo_work_lock_acquire(&collector->lock);
    const bool running = collector->running;
    geo_work_lock_release(&collector->lock);
    return running;
}

void geo_metric_collector_stop(struct geo_metric_collector *collector)
{
    for (uint32_t i = 0; i < collector->part_count; i++) {
        (void)collector->parts[i].root->ops->stop(collector->parts[i].collection, true);
    }
    geo_metric_root_lock();
    if (collector->counted) {
        count_locked(collector, UINT32_MAX); /* subtracts 1 */
        for (uint32_t i = 0; i < collector->group_count; i++) {
            geo_metric_group_release_locked(collector->groups[i]);
        }
    }
    geo_metric_root_unlock();
}

void geo_metric_collector_finish(struct geo_metric_collector *collector)
{
    GEO_ASSERT(!collector->counted);
    for (uint32_t i = 0; i < collector->part_count; i++) {
        collector->parts[i].root->ops->close(collector->parts[i].collection);
    }
    if (collector->notified) {
        geo_object_unref(&collector->notified->base);
    }
    free(collector->parts);
    for (uint32_t i = 0; collector->groups && i < collector->group_count; i++) {
        geo_object_unref(collector->groups[i] ? &collector->groups[i]->base : NULL);
    }
    free(collector->groups);
    if (collector->context) {
        geo_object_unref(&collector->context->base);
    }
}

/* ---- read ---- */

/* Adds the result of one part. A part without data does not matter if others have some. */
static ze_result_t results_join(ze_result_t sum, ze_result_t result)
{
    if (sum != ZE_RESULT_SUCCESS && sum != ZE_RESULT_NOT_READY &&
        sum != ZE_RESULT_WARNING_DROPPED_DATA) {
        return sum;
    }
    const bool is_minor = result == ZE_RESULT_SUCCESS || result == ZE_RESULT_NOT_READY;
    if (sum == ZE_RESULT_WARNING_DROPPED_DATA && is_minor) {
        return sum;
    }
    return sum == ZE_RESULT_SUCCESS && result == ZE_RESULT_NOT_READY ? sum : result;
}

/* Writes the size that a read of everything would need. */
static ze_result_t size_read(struct geo_metric_collector *collector, uint32_t max_reports,
                             size_t *bytes)
{
    ze_result_t sum = ZE_RESULT_NOT_READY;
    size_t total = 0;
    for (uint32_t i = 0; i < collector->part_count; i++) {
        const struct geo_metric_part *part = &collector->parts[i];
        size_t size = 0;
        sum = results_join(sum, part->root->ops->read(part->collection, max_reports, &size, NULL));
        total += size;
    }
    *bytes = total ? geo_metric_frame_overhead(collector->part_count) + total : 0;
    return sum;
}

/* Writes the size that each part has. Returns the sum. */
static size_t sizes_find(struct geo_metric_collector *collector, uint32_t max_reports,
                         size_t *sizes)
{
    size_t total = 0;
    for (uint32_t i = 0; i < collector->part_count; i++) {
        const struct geo_metric_part *part = &collector->parts[i];
        (void)part->root->ops->read(part->collection, max_reports, &sizes[i], NULL);
        total += sizes[i];
    }
    return total;
}

/* Reads the parts one behind the other. A part may use what the later ones do not need, and an
 * equal share at least. */
static ze_result_t parts_read(struct geo_metric_collector *collector, uint32_t max_reports,
                              size_t room, uint8_t *data, size_t *sizes)
{
    ze_result_t sum = ZE_RESULT_NOT_READY;
    size_t later = sizes_find(collector, max_reports, sizes);
    for (uint32_t i = 0; i < collector->part_count; i++) {
        const struct geo_metric_part *part = &collector->parts[i];
        const size_t equal = room / (collector->part_count - i);
        later -= sizes[i];
        const size_t share = room > later && room - later > equal ? room - later : equal;
        sizes[i] = share;
        const ze_result_t result =
            share ? part->root->ops->read(part->collection, max_reports, &sizes[i], data)
                  : ZE_RESULT_SUCCESS;
        if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_WARNING_DROPPED_DATA) {
            sizes[i] = 0;
        }
        GEO_ASSERT(sizes[i] <= share);
        sum = results_join(sum, result);
        data += sizes[i];
        room -= sizes[i];
    }
    return sum;
}

static ze_result_t frame_read(struct geo_metric_collector *collector, uint32_t max_reports,
                              size_t *bytes, uint8_t *data)
{
    const size_t head = geo_metric_frame_overhead(collector->part_count);
    if (*bytes < head) { /* not even an empty frame fits */
        *bytes = 0;
        return ZE_RESULT_SUCCESS;
    }
    size_t *sizes = calloc(collector->part_count, sizeof(*sizes));
    if (!sizes) {
        return geo_metric_ask_memory("a read of metrics");
    }
    const ze_result_t result =
        parts_read(collector, max_reports, *bytes - head, data + head, sizes);
    size_t total = 0;
    for (uint32_t i = 0; i < collector->part_count; i++) {
        total += sizes[i];
    }
    geo_metric_frame_write(data, collector->groups[0]->group->identity, collector->part_count,
                           sizes);
    *bytes = total ? head + total : 0;
    free(sizes);
    return result;
}

ze_result_t geo_metric_collector_read(struct geo_metric_collector *collector, uint32_t max_reports,
                                      size_t *bytes, uint8_t *data)
{
    geo_work_lock_acquire(&collector->lock);
    const ze_result_t result = *bytes == 0 || !data
                                   ? size_read(collector, max_reports, bytes)
                                   : frame_read(collector, max_reports, bytes, data);
    geo_work_lock_release(&collector->lock);
    switch (result) {
    case ZE_RESULT_SUCCESS:
    case ZE_RESULT_NOT_READY:
        return result;
    case ZE_RESULT_WARNING_DROPPED_DATA:
        return geo_fail(result, "%s: metric reports were lost because they were not read in time",
                        collector->root->device->info->name);
    default:
        return geo_fail(result, "%s: metric reports cannot be read",
                        collector->root->device->info->name);
    }
}
