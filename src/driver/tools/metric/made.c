/* Groups that the application makes. See made.h. */
#include "driver/tools/metric/made.h"

#include "base/array.h"
#include "driver/core/check.h"
#include "driver/tools/metric/ask.h"

#include <stdio.h>
#include <string.h>

static ze_result_t text_check(const char *text, size_t size, const char *what)
{
    return strnlen(text, size) < size
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the %s of a metric group is too long: it may have %zu bytes", what,
                          size - 1);
}

ze_result_t geo_metric_made_create(struct geo_metric_root *root,
                                   const struct geo_metric_made_desc *desc,
                                   struct geo_metric_group_object **out)
{
    if (!root->ops->group_create || !root->ops->group_accepts) {
        return geo_metric_ask_unsupported(root->device->info->name,
                                          "metric groups made by applications");
    }
    GEO_CHECK(text_check(desc->name, ZET_MAX_METRIC_GROUP_NAME, "name"));
    GEO_CHECK(text_check(desc->description, ZET_MAX_METRIC_GROUP_DESCRIPTION, "description"));
    if (desc->sampling == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a metric group needs a samplingType");
    }
    struct geo_metric_group_object *group = geo_metric_group_new(root);
    if (!group) {
        return geo_metric_ask_memory("a metric group");
    }
    group->made = true;
    group->sampling = desc->sampling;
    geo_metric_text_copy(group->name, sizeof(group->name), desc->name);
    geo_metric_text_copy(group->description, sizeof(group->description), desc->description);
    *out = group;
    return ZE_RESULT_SUCCESS;
}

/* ---- changes ---- */

/* Returns whether the group may be changed now. */
static ze_result_t change_check_locked(const struct geo_metric_group_object *group)
{
    GEO_ASSERT(geo_metric_root_locked());
    if (!group->made) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "metric group %s was not created by the application", group->group->name);
    }
    return group->holders == 0
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                          "metric group %s is active, or a streamer, tracer or query pool uses it",
                          group->name);
}

/* Opens a closed group. */
static void open_locked(struct geo_metric_group_object *group)
{
    if (group->own) {
        group->root->ops->group_destroy(group->own);
    }
    group->own = NULL;
    group->group = NULL;
}

/* Returns the descriptions of the group's metrics, which the caller frees; NULL if memory is
 * short. */
static const struct geo_metric **descriptions_of(const struct geo_metric_group_object *group)
{
    const struct geo_metric **metrics = calloc(group->metrics.count + 1, sizeof(*metrics));
    for (size_t i = 0; metrics && i < group->metrics.count; i++) {
        metrics[i] = group->metrics.items[i]->metric;
    }
    return metrics;
}

/* Returns whether the metric can be measured with those of the group; says why not. */
static ze_result_t accept_locked(const struct geo_metric_group_object *group,
                                 const struct geo_metric_object *metric, struct geo_strbuf *why)
{
    const struct geo_metric_root *root = group->root;
    if (metric->root != root) {
        geo_strbuf_printf(why, "the metric belongs to another device");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (!(metric->sampling & group->sampling)) {
        geo_strbuf_printf(why, "the metric cannot be sampled as the group is");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const struct geo_metric **metrics = descriptions_of(group);
    if (!metrics) {
        return geo_metric_ask_memory("a metric group");
    }
    const bool accepted = root->ops->group_accepts(
        root->device->backend_device, metrics, (uint32_t)group->metrics.count, metric->metric, why);
    free(metrics);
    return accepted ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

static size_t metric_find(const struct geo_metric_group_object *group,
                          const struct geo_metric_object *metric)
{
    size_t i = 0;
    while (i < group->metrics.count && group->metrics.items[i] != metric) {
        i++;
    }
    return i;
}

static ze_result_t add_locked(struct geo_metric_group_object *group,
                              struct geo_metric_object *metric, struct geo_strbuf *why)
{
    GEO_CHECK(change_check_locked(group));
    if (metric_find(group, metric) < group->metrics.count) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(accept_locked(group, metric, why));
    if (!geo_array_reserve(&group->metrics, 1)) {
        return geo_metric_ask_memory("a metric group");
    }
    open_locked(group);
    geo_object_ref(&metric->base);
    metric->groups++;
    group->metrics.items[group->metrics.count++] = metric;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_made_add(struct geo_metric_group_object *group,
                                struct geo_metric_object *metric, struct geo_strbuf *why)
{
    geo_metric_root_lock();
    const ze_result_t result = add_locked(group, metric, why);
    geo_metric_root_unlock();
    return result == ZE_RESULT_SUCCESS || why->length == 0
               ? result
               : geo_fail(result, "metric %s cannot be added to group %s: %s", metric->metric->name,
                          group->name, geo_strbuf_text(why));
}

static ze_result_t remove_locked(struct geo_metric_group_object *group,
                                 struct geo_metric_object *metric)
{
    GEO_CHECK(change_check_locked(group));
    const size_t index = metric_find(group, metric);
    if (index == group->metrics.count) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "metric %s is not in metric group %s",
                        metric->metric->name, group->name);
    }
    open_locked(group);
    group->metrics.count--;
    memmove(&group->metrics.items[index], &group->metrics.items[index + 1],
            (group->metrics.count - index) * sizeof(struct geo_metric_object *));
    metric->groups--;
    geo_object_unref(&metric->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_made_remove(struct geo_metric_group_object *group,
                                   struct geo_metric_object *metric)
{
    geo_metric_root_lock();
    const ze_result_t result = remove_locked(group, metric);
    geo_metric_root_unlock();
    return result;
}

static ze_result_t close_locked(struct geo_metric_group_object *group)
{
    GEO_CHECK(change_check_locked(group));
    if (group->group) {
        return ZE_RESULT_SUCCESS;
    }
    if (group->metrics.count == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "metric group %s has no metrics",
                        group->name);
    }
    const struct geo_metric **metrics = descriptions_of(group);
    if (!metrics) {
        return geo_metric_ask_memory("a metric group");
    }
    ze_result_t result;
    GEO_METRIC_ASK(result, group->root, group_create, group->root->device->backend_device,
                   group->name, group->description, group->sampling, metrics,
                   (uint32_t)group->metrics.count, &group->own);
    free(metrics);
    group->group = result == ZE_RESULT_SUCCESS ? group->own : NULL;
    return result;
}

ze_result_t geo_metric_made_close(struct geo_metric_group_object *group)
{
    geo_metric_root_lock();
    const ze_result_t result = close_locked(group);
    geo_metric_root_unlock();
    return result;
}

ze_result_t geo_metric_made_destroy(struct geo_metric_group_object *group)
{
    geo_metric_root_lock();
    const ze_result_t result = change_check_locked(group);
    for (size_t i = 0; result == ZE_RESULT_SUCCESS && i < group->metrics.count; i++) {
        group->metrics.items[i]->groups--;
    }
    geo_metric_root_unlock();
    if (result == ZE_RESULT_SUCCESS) {
        geo_object_close(&group->base);
    }
    return result;
}

/* ---- groups for given metrics ---- */

struct made_groups {
    struct geo_metric_group_object **items;
    size_t count, capacity;
};

static void groups_destroy(struct made_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        (void)geo_metric_made_destroy(groups->items[i]);
    }
    geo_array_finish(groups);
}

/* Adds the metric to the first group that accepts it. *done: there is one. */
static ze_result_t metric_place(const struct made_groups *groups, struct geo_metric_object *metric,
                                bool *done)
{
    *done = false;
    for (size_t i = 0; i < groups->count && !*done; i++) {
        struct geo_strbuf why;
        geo_strbuf_init(&why, GEO_METRIC_WHY_BYTES);
        if (groups->items[i]->sampling != metric->sampling) {
            continue;
        }
        geo_metric_root_lock();
        const ze_result_t result = add_locked(groups->items[i], metric, &why);
        geo_metric_root_unlock();
        geo_strbuf_finish(&why);
        *done = result == ZE_RESULT_SUCCESS;
        if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_INVALID_ARGUMENT) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Makes a group with one metric. */
static ze_result_t group_begin(struct geo_metric_root *root,
                               const struct geo_metric_made_desc *desc,
                               struct geo_metric_object *metric, struct made_groups *groups)
{
    char name[ZET_MAX_METRIC_GROUP_NAME];
    struct geo_strbuf why;
    snprintf(name, sizeof(name), "%s_%zu", desc->name, groups->count);
    const struct geo_metric_made_desc one = {name, desc->description, metric->sampling};
    if (!geo_array_reserve(groups, 1)) {
        return geo_metric_ask_memory("metric groups");
    }
    GEO_CHECK(geo_metric_made_create(root, &one, &groups->items[groups->count]));
    groups->count++;
    geo_strbuf_init(&why, GEO_METRIC_WHY_BYTES);
    const ze_result_t result = geo_metric_made_add(groups->items[groups->count - 1], metric, &why);
    geo_strbuf_finish(&why);
    return result;
}

static ze_result_t groups_fill(struct geo_metric_root *root,
                               const struct geo_metric_made_desc *desc, uint32_t metric_count,
                               zet_metric_handle_t *metrics, struct made_groups *groups)
{
    for (uint32_t i = 0; i < metric_count; i++) {
        struct geo_metric_object *metric;
        bool done;
        GEO_CHECK(geo_metric_object_from(metrics[i], &metric));
        GEO_CHECK(metric_place(groups, metric, &done));
        if (!done) {
            GEO_CHECK(group_begin(root, desc, metric, groups));
        }
    }
    for (size_t i = 0; i < groups->count; i++) {
        GEO_CHECK(geo_metric_made_close(groups->items[i]));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_made_from_metrics(struct geo_metric_root *root,
                                         const struct geo_metric_made_desc *desc,
                                         uint32_t metric_count, zet_metric_handle_t *metrics,
                                         uint32_t *count, zet_metric_group_handle_t *handles)
{
    struct made_groups groups = {0};
    GEO_CHECK(text_check(desc->name, ZET_MAX_METRIC_GROUP_NAME_PREFIX_EXP, "name prefix"));
    GEO_CHECK(text_check(desc->description, ZET_MAX_METRIC_GROUP_DESCRIPTION, "description"));
    if (metric_count == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "metric groups without metrics");
    }
    ze_result_t result = groups_fill(root, desc, metric_count, metrics, &groups);
    if (result != ZE_RESULT_SUCCESS) {
        groups_destroy(&groups);
        return result;
    }
    const uint32_t wanted = geo_count_protocol(count, (uint32_t)groups.count, handles);
    for (uint32_t i = 0; i < wanted; i++) {
        handles[i] = geo_metric_group_object_handle(groups.items[i]);
    }
    while (groups.count > wanted) { /* a question, or too little room */
        (void)geo_metric_made_destroy(groups.items[--groups.count]);
    }
    geo_array_finish(&groups);
    return ZE_RESULT_SUCCESS;
}
