/* Metric groups as objects. See group.h. */
#include "driver/tools/metric/group.h"

#include "base/array.h"
#include "ddi/geo_ddi_chain.h"
#include "driver/core/check.h"
#include "driver/tools/metric/ask.h"

#include <string.h>

static void object_destroy(struct geo_object *object)
{
    struct geo_metric_group_object *group = (struct geo_metric_group_object *)object;
    GEO_ASSERT(group->holders == 0);
    if (group->own) {
        group->root->ops->group_destroy(group->own);
    }
    for (size_t i = 0; i < group->metrics.count; i++) {
        geo_object_unref(&group->metrics.items[i]->base);
    }
    geo_array_finish(&group->metrics);
    free(group);
}

struct geo_metric_group_object *geo_metric_group_new(struct geo_metric_root *root)
{
    struct geo_metric_group_object *group = calloc(1, sizeof(*group));
    if (group) {
        geo_object_init(&group->base, GEO_OBJECT_METRIC_GROUP, root->device->base.driver,
                        object_destroy);
        group->root = root;
    }
    return group;
}

/* ---- the backend's groups ---- */

static bool metrics_create(struct geo_metric_group_object *object)
{
    const struct geo_metric_group *group = object->group;
    if (!geo_array_reserve(&object->metrics, group->metric_count)) {
        return false;
    }
    for (uint32_t i = 0; i < group->metric_count; i++) {
        struct geo_metric_object *metric =
            geo_metric_object_create(object->root, group->metrics[i], group->sampling, NULL);
        if (!metric) {
            return false;
        }
        object->metrics.items[object->metrics.count++] = metric;
    }
    return true;
}

/* Returns the object of a description, and makes it at the first call. NULL if memory is short. */
static struct geo_metric_group_object *object_of_locked(struct geo_metric_root *root,
                                                        const struct geo_metric_group *group)
{
    GEO_ASSERT(geo_metric_root_locked());
    for (size_t i = 0; i < root->known.count; i++) {
        if (root->known.items[i]->group == group) {
            return root->known.items[i];
        }
    }
    struct geo_metric_group_object *object = geo_metric_group_new(root);
    if (!object) {
        return NULL;
    }
    object->group = group;
    if (!metrics_create(object) || !geo_array_reserve(&root->known, 1)) {
        geo_object_close(&object->base);
        return NULL;
    }
    root->known.items[root->known.count++] = object;
    return object;
}

static ze_result_t list_locked(struct geo_metric_root *root, uint32_t *count,
                               zet_metric_group_handle_t *handles)
{
    uint32_t available = 0;
    const struct geo_metric_group *const *groups =
        root->ops->groups(root->device->backend_device, &available);
    for (uint32_t i = 0; i < available; i++) {
        if (!object_of_locked(root, groups[i])) {
            return geo_metric_ask_memory("metric groups");
        }
    }
    const uint32_t wanted = geo_count_protocol(count, available, handles);
    for (uint32_t i = 0; i < wanted; i++) {
        handles[i] = geo_metric_group_object_handle(object_of_locked(root, groups[i]));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_group_list(struct geo_metric_root *root, uint32_t *count,
                                  zet_metric_group_handle_t *handles)
{
    geo_metric_root_lock();
    const ze_result_t result = list_locked(root, count, handles);
    geo_metric_root_unlock();
    return result;
}

ze_result_t geo_metric_group_find_locked(struct geo_metric_root *root, const uint8_t identity[16],
                                         struct geo_metric_group_object **out)
{
    uint32_t count = 0;
    const struct geo_metric_group *const *groups =
        root->ops->groups(root->device->backend_device, &count);
    *out = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (memcmp(groups[i]->identity, identity, sizeof(groups[i]->identity)) == 0) {
            *out = object_of_locked(root, groups[i]);
            return *out ? ZE_RESULT_SUCCESS : geo_metric_ask_memory("metric groups");
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- properties ---- */

static void link_fill(const struct geo_metric_group_object *object, ze_base_properties_t *link)
{
    const struct geo_metric_group *group = object->group;
    switch ((uint32_t)link->stype) {
    case GEO_LINK_STYPE(zet_metric_group_properties_t,
                        zet_metric_global_timestamps_resolution_exp_t): {
        zet_metric_global_timestamps_resolution_exp_t *timer = (void *)link;
        timer->timerResolution = group ? group->timer_hz : 0;
        timer->timestampValidBits = group ? group->timer_bits : 0;
        break;
    }
    case GEO_LINK_STYPE(zet_metric_group_properties_t, zet_metric_group_type_exp_t):
        ((zet_metric_group_type_exp_t *)(void *)link)->type =
            (group ? group->type : 0) |
            (object->made ? (uint32_t)ZET_METRIC_GROUP_TYPE_EXP_FLAG_USER_CREATED : 0);
        break;
    case GEO_LINK_STYPE(zet_metric_group_properties_t, zet_metric_source_id_exp_t):
        ((zet_metric_source_id_exp_t *)(void *)link)->sourceId = group ? group->source : 0;
        break;
    case GEO_LINK_STYPE(zet_metric_group_properties_t, zet_export_dma_buf_exp_properties_t): {
        zet_export_dma_buf_exp_properties_t *buffer = (void *)link;
        buffer->fd = group ? group->export_fd : -1;
        buffer->size = group && group->export_fd >= 0 ? (size_t)group->export_bytes : 0;
        break;
    }
    default:
        break;
    }
}

void geo_metric_group_properties(const struct geo_metric_group_object *object,
                                 zet_metric_group_properties_t *properties)
{
    const struct geo_metric_group *group = object->group;
    geo_metric_text_copy(properties->name, sizeof(properties->name),
                         object->made ? object->name : group->name);
    geo_metric_text_copy(properties->description, sizeof(properties->description),
                         object->made ? object->description : group->description);
    properties->samplingType = group ? group->sampling : object->sampling;
    properties->domain = group ? group->domain : 0;
    properties->metricCount = (uint32_t)object->metrics.count;
    for (struct geo_chain walk =
             geo_chain_begin(GEO_CHAIN_OF(zet_metric_group_properties_t, properties));
         walk.link; geo_chain_step(&walk)) {
        link_fill(object, walk.link);
    }
}

void geo_metric_group_metrics(const struct geo_metric_group_object *group, uint32_t *count,
                              zet_metric_handle_t *handles)
{
    geo_metric_root_lock();
    const uint32_t wanted = geo_count_protocol(count, (uint32_t)group->metrics.count, handles);
    for (uint32_t i = 0; i < wanted; i++) {
        handles[i] = geo_metric_object_handle(group->metrics.items[i]);
    }
    geo_metric_root_unlock();
}

/* ---- use ---- */

ze_result_t geo_metric_group_ready(zet_metric_group_handle_t handle,
                                   const struct geo_metric_root *root,
                                   struct geo_metric_group_object **out)
{
    GEO_CHECK(geo_metric_group_object_from(handle, out));
    if (root && (*out)->root != root) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the metric group belongs to another device");
    }
    return (*out)->group
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "metric group %s is not complete: call zetMetricGroupCloseExp first",
                          (*out)->name);
}

void geo_metric_group_hold_locked(struct geo_metric_group_object *group)
{
    GEO_ASSERT(geo_metric_root_locked() && group->group);
    geo_object_ref(&group->base);
    group->holders++;
}

void geo_metric_group_release_locked(struct geo_metric_group_object *group)
{
    GEO_ASSERT(geo_metric_root_locked() && group->holders > 0);
    group->holders--;
    geo_object_unref(&group->base);
}
