/* Active groups. See active.h. */
#include "driver/tools/metric/active.h"

#include "base/array.h"
#include "driver/tools/metric/ask.h"
#include "driver/tools/metric/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups that exclude each other ---- */

static ze_result_t domains_check(struct geo_metric_group_object *const *groups, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (groups[i]->group->domain == groups[k]->group->domain) {
                return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                                "metric groups %s and %s have the same domain (%u): only one of "
                                "them can be active",
                                groups[k]->group->name, groups[i]->group->name,
                                groups[i]->group->domain);
            }
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t groups_resolve(const struct geo_metric_root *root, uint32_t count,
                                  zet_metric_group_handle_t *handles,
                                  struct geo_metric_group_object ***out)
{
    struct geo_metric_group_object **groups = calloc(count ? count : 1, sizeof(*groups));
    if (!groups) {
        return geo_metric_ask_memory("metric groups");
    }
    for (uint32_t i = 0; i < count; i++) {
        ze_result_t result = geo_metric_group_ready(handles[i], root, &groups[i]);
        if (result != ZE_RESULT_SUCCESS) {
            free(groups);
            return result;
        }
    }
    *out = groups;
    return ZE_RESULT_SUCCESS;
}

/* Returns the first set, of those before `end`, that has no group of this domain. */
static uint32_t set_find(struct geo_metric_group_object *const *groups, const uint32_t *sets,
                         uint32_t index, uint32_t end)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < index && set < end; i++) {
        if (sets[i] == set && groups[i]->group->domain == groups[index]->group->domain) {
            set++;
            i = UINT32_MAX; /* compare with all groups of the next set */
        }
    }
    return set;
}

static void sets_write(struct geo_metric_group_object *const *groups, const uint32_t *set_of,
                       uint32_t count, uint32_t sets, zet_metric_group_handle_t *handles,
                       uint32_t *sizes)
{
    uint32_t at = 0;
    for (uint32_t set = 0; set < sets; set++) {
        sizes[set] = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (set_of[i] == set) {
                handles[at++] = geo_metric_group_object_handle(groups[i]);
                sizes[set]++;
            }
        }
    }
    GEO_ASSERT(at == count);
}

ze_result_t geo_metric_active_sort(const struct geo_metric_root *root, uint32_t count,
                                   zet_metric_group_handle_t *handles, uint32_t *sizes,
                                   uint32_t *sets)
{
    struct geo_metric_group_object **groups;
    GEO_CHECK(groups_resolve(root, count, handles, &groups));
    uint32_t *set_of = calloc(count ? count : 1, sizeof(*set_of));
    if (!set_of) {
        free(groups);
        return geo_metric_ask_memory("metric groups");
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        set_of[i] = set_find(groups, set_of, i, found);
        found += set_of[i] == found;
    }
    if (sizes) {
        sets_write(groups, set_of, count, found, handles, sizes);
    }
    *sets = found;
    free(set_of);
    free(groups);
    return ZE_RESULT_SUCCESS;
}

/* ---- parts ---- */

/* Finds the group of one part; *out is NULL if it has none. */
static ze_result_t part_find_locked(const struct geo_metric_group_object *group,
                                    struct geo_device *part, struct geo_metric_group_object **out)
{
    struct geo_metric_root *root = atomic_load_explicit(&part->metric, memory_order_acquire);
    GEO_ASSERT(root);
    return geo_metric_group_find_locked(root, group->group->identity, out);
}

/* Creates the metrics of all parts. */
static ze_result_t parts_open(const struct geo_device *device)
{
    struct geo_metric_root *root;
    for (uint32_t i = 0; i < device->part_count; i++) {
        GEO_CHECK(geo_metric_root_of(&device->parts[i], &root));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_active_parts_locked(const struct geo_metric_group_object *group,
                                           uint32_t *count, struct geo_metric_group_object ***parts)
{
    const struct geo_device *device = group->root->device;
    const uint32_t wanted = group->made || device->card != device ? 0 : device->part_count;
    *count = 0;
    *parts = calloc(wanted ? wanted : 1, sizeof(**parts));
    if (!*parts) {
        return geo_metric_ask_memory("the metric groups of sub-devices");
    }
    for (uint32_t i = 0; i < wanted; i++) {
        ze_result_t result = part_find_locked(group, &device->parts[i], &(*parts)[i]);
        if (result != ZE_RESULT_SUCCESS) {
            free(*parts);
            return result;
        }
        if (!(*parts)[i]) {
            return ZE_RESULT_SUCCESS;
        }
    }
    *count = wanted;
    return ZE_RESULT_SUCCESS;
}

/* ---- activation ---- */

static ze_result_t idle_check_locked(const struct geo_metric_root *root)
{
    return root->collecting == 0 && !geo_metric_query_is_running_locked(root)
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                          "metrics of %s are being collected: close its streamers and tracers and "
                          "wait for its queries before other groups are activated",
                          root->device->info->name);
}

/* Returns whether an active group of a device needs kernels with counters. */
static bool counts_kernels_locked(struct geo_device *device)
{
    const struct geo_metric_root *root =
        atomic_load_explicit(&device->metric, memory_order_acquire);
    for (size_t i = 0; root && i < root->active.count; i++) {
        if (root->active.items[i]->group->counted) {
            return true;
        }
    }
    return false;
}

/* Tells appended launches whether they need counters. Modules of a whole device also run on its
 * parts. */
static void counted_update_locked(struct geo_device *device)
{
    struct geo_device *card = device->card;
    bool any = counts_kernels_locked(card);
    for (uint32_t i = 0; i < card->part_count; i++) {
        const bool counted = counts_kernels_locked(&card->parts[i]);
        atomic_store(&card->parts[i].counted, counted);
        any |= counted;
    }
    atomic_store(&card->counted, any);
}

/* Makes these groups the active ones of one device. */
static ze_result_t device_activate_locked(struct geo_metric_root *root,
                                          struct geo_metric_group_object *const *groups,
                                          size_t count)
{
    struct geo_metric_groups next = {0};
    const struct geo_metric_group **descriptions = calloc(count ? count : 1, sizeof(*descriptions));
    if (!descriptions || !geo_array_reserve(&next, count)) {
        free(descriptions);
        return geo_metric_ask_memory("active metric groups");
    }
    for (size_t i = 0; i < count; i++) {
        descriptions[i] = groups[i]->group;
    }
    ze_result_t result;
    GEO_METRIC_ASK(result, root, activate, root->device->backend_device, descriptions,
                   (uint32_t)count);
    free(descriptions);
    if (result != ZE_RESULT_SUCCESS) {
        geo_array_finish(&next);
        return result;
    }
    for (size_t i = 0; i < count; i++) {
        geo_metric_group_hold_locked(groups[i]);
        next.items[next.count++] = groups[i];
    }
    for (size_t i = 0; i < root->active.count; i++) {
        geo_metric_group_release_locked(root->active.items[i]);
    }
    geo_array_finish(&root->active);
    root->active = next;
    counted_update_locked(root->device);
    return ZE_RESULT_SUCCESS;
}

/* The groups of one part that measure for active groups of the whole device. */
struct part_set {
    struct geo_metric_root *root;
    struct geo_metric_groups groups;
};

static ze_result_t part_sets_fill_locked(struct part_set *sets,
                                         struct geo_metric_group_object *const *groups,
                                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct geo_metric_group_object **parts;
        uint32_t part_count;
        GEO_CHECK(geo_metric_active_parts_locked(groups[i], &part_count, &parts));
        for (uint32_t k = 0; k < part_count; k++) {
            if (!geo_array_reserve(&sets[k].groups, 1)) {
                free(parts);
                return geo_metric_ask_memory("active metric groups");
            }
            sets[k].groups.items[sets[k].groups.count++] = parts[k];
        }
        free(parts);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t parts_activate_locked(const struct geo_device *device, struct part_set *sets,
                                         struct geo_metric_group_object *const *groups,
                                         uint32_t count)
{
    for (uint32_t i = 0; i < device->part_count; i++) {
        sets[i].root = atomic_load_explicit(&device->parts[i].metric, memory_order_acquire);
        GEO_CHECK(idle_check_locked(sets[i].root));
    }
    GEO_CHECK(part_sets_fill_locked(sets, groups, count));
    for (uint32_t i = 0; i < device->part_count; i++) {
        GEO_CHECK(device_activate_locked(sets[i].root, sets[i].groups.items, sets[i].groups.count));
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t set_locked(struct geo_metric_root *root,
                              struct geo_metric_group_object *const *groups, uint32_t count)
{
    const struct geo_device *device = root->device;
    const uint32_t parts = device->card == device ? device->part_count : 0;
    GEO_CHECK(idle_check_locked(root));
    struct part_set *sets = calloc(parts ? parts : 1, sizeof(*sets));
    if (!sets) {
        return geo_metric_ask_memory("active metric groups");
    }
    ze_result_t result =
        parts ? parts_activate_locked(device, sets, groups, count) : ZE_RESULT_SUCCESS;
    if (result == ZE_RESULT_SUCCESS) {
        result = device_activate_locked(root, groups, count);
    }
    for (uint32_t i = 0; i < parts; i++) {
        geo_array_finish(&sets[i].groups);
    }
    free(sets);
    return result;
}

ze_result_t geo_metric_active_set(struct geo_metric_root *root, uint32_t count,
                                  zet_metric_group_handle_t *handles)
{
    struct geo_metric_group_object **groups;
    GEO_CHECK(groups_resolve(root, count, handles, &groups));
    ze_result_t result = domains_check(groups, count);
    if (result == ZE_RESULT_SUCCESS) {
        result = parts_open(root->device);
    }
    if (result == ZE_RESULT_SUCCESS) {
        geo_metric_root_lock();
        result = set_locked(root, groups, count);
        geo_metric_root_unlock();
    }
    free(groups);
    return result;
}

ze_result_t geo_metric_active_check_locked(const struct geo_metric_group_object *group)
{
    const struct geo_metric_groups *active = &group->root->active;
    GEO_ASSERT(geo_metric_root_locked());
    for (size_t i = 0; i < active->count; i++) {
        if (active->items[i] == group) {
            return ZE_RESULT_SUCCESS;
        }
    }
    char text[2 * ZET_MAX_METRIC_GROUP_NAME];
    snprintf(text, sizeof(text),
             "metric group %s is not active: call zetContextActivateMetricGroups first",
             group->group->name);
    geo_error_note(text);
    return ZE_RESULT_NOT_READY;
}

static ze_result_t unused_check_locked(const struct geo_metric_root *root)
{
    GEO_ASSERT(geo_metric_root_locked());
    return !root || root->active.count == 0
               ? ZE_RESULT_SUCCESS
               : geo_fail(
                     ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                     "%s has active metric groups: deactivate them before metrics are disabled",
                     root->device->info->name);
}

ze_result_t geo_metric_active_unused_check(const struct geo_metric_root *root)
{
    const struct geo_device *device = root->device;
    const uint32_t parts = device->card == device ? device->part_count : 0;
    geo_metric_root_lock();
    ze_result_t result = unused_check_locked(root);
    for (uint32_t i = 0; i < parts && result == ZE_RESULT_SUCCESS; i++) {
        result = unused_check_locked(
            atomic_load_explicit(&device->parts[i].metric, memory_order_acquire));
    }
    geo_metric_root_unlock();
    return result;
}
