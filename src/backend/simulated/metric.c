/* Metrics of a device: read at the first use. See metric.h. */
#include "backend/simulated/metric.h"

#include <stdlib.h>
#include <string.h>

/* ---- identities ---- */

static uint64_t hash_add(uint64_t hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
    return hash;
}

static uint64_t group_hash(const struct geo_metric_group *group, uint64_t hash)
{
    const uint32_t numbers[3] = {group->sampling, group->domain, group->timer_bits};
    hash = hash_add(hash, group->name, strlen(group->name) + 1);
    hash = hash_add(hash, numbers, sizeof(numbers));
    for (uint32_t i = 0; i < group->metric_count; i++) {
        const struct geo_metric *metric = group->metrics[i];
        const uint32_t types[2] = {metric->type, metric->result};
        hash = hash_add(hash, metric->name, strlen(metric->name) + 1);
        hash = hash_add(hash, types, sizeof(types));
    }
    return hash;
}

void sim_metric_identify(struct sim_group *group)
{
    const uint64_t halves[2] = {group_hash(&group->seam, UINT64_C(0xcbf29ce484222325)),
                                group_hash(&group->seam, UINT64_C(0x9e3779b97f4a7c15))};
    memcpy(group->seam.identity, halves, sizeof(halves));
}

/* ---- reading ---- */

static bool group_complete(struct sim_metrics *metrics, struct sim_group *group)
{
    struct sim_metric *items = group->metrics.items;
    const struct geo_metric **list =
        geo_arena_new_array(&metrics->arena, const struct geo_metric *, group->metrics.count);
    if (!list) {
        return false;
    }
    for (uint32_t i = 0; i < group->metrics.count; i++) {
        list[i] = &items[i].seam;
    }
    group->owner = metrics;
    group->seam.metrics = list;
    group->seam.metric_count = group->metrics.count;
    sim_metric_identify(group);
    return true;
}

/* Lists the groups; those on demand come last. */
static bool groups_complete(struct sim_metrics *metrics)
{
    struct sim_group *groups = metrics->groups.items;
    const uint32_t count = metrics->groups.count;
    metrics->shown =
        geo_arena_new_array(&metrics->arena, const struct geo_metric_group *, count + 1u);
    if (!metrics->shown) {
        return false;
    }
    for (int on_demand = 0; on_demand <= 1; on_demand++) {
        for (uint32_t i = 0; i < count; i++) {
            if (groups[i].on_demand != on_demand) {
                continue;
            }
            if (!group_complete(metrics, &groups[i])) {
                return false;
            }
            metrics->shown[metrics->shown_count++] = &groups[i].seam;
        }
        metrics->always_count = on_demand ? metrics->always_count : metrics->shown_count;
    }
    return true;
}

static bool parameter_complete(struct sim_metrics *metrics, const struct sim_parameter *from,
                               struct geo_metric_parameter *to)
{
    const struct sim_parameter_value *values = from->values.items;
    zet_metric_programmable_param_value_info_exp_t *infos = geo_arena_new_array(
        &metrics->arena, zet_metric_programmable_param_value_info_exp_t, from->values.count + 1u);
    if (!infos) {
        return false;
    }
    for (uint32_t i = 0; i < from->values.count; i++) {
        infos[i].valueInfo.ui64Range =
            (zet_value_uint64_range_exp_t){(uint64_t)values[i].min, (uint64_t)values[i].max};
        memcpy(infos[i].description, values[i].description, sizeof(infos[i].description));
    }
    *to = (struct geo_metric_parameter){.name = from->name,
                                        .type = from->type,
                                        .value_type = ZET_VALUE_INFO_TYPE_EXP_UINT64_RANGE,
                                        .fallback = {.ui64 = (uint64_t)from->fallback},
                                        .values = infos,
                                        .value_count = from->values.count};
    return true;
}

static bool programmable_complete(struct sim_metrics *metrics,
                                  struct sim_programmable *programmable)
{
    const uint32_t count = programmable->parameters.count;
    zet_metric_programmable_exp_properties_t *properties = &programmable->seam.properties;
    struct geo_metric_parameter *parameters =
        geo_arena_new_array(&metrics->arena, struct geo_metric_parameter, count + 1u);
    if (!parameters) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!parameter_complete(metrics,
                                (const struct sim_parameter *)programmable->parameters.items + i,
                                &parameters[i])) {
            return false;
        }
    }
    programmable->owner = metrics;
    programmable->seam.parameters = parameters;
    properties->parameterCount = count;
    properties->tierNumber = programmable->metric.seam.tier;
    strncpy(properties->component, programmable->metric.seam.component,
            sizeof(properties->component) - 1);
    return true;
}

static bool programmables_complete(struct sim_metrics *metrics)
{
    struct sim_programmable *items = metrics->programmables.items;
    const uint32_t count = metrics->programmables.count;
    metrics->programmable_list =
        geo_arena_new_array(&metrics->arena, const struct geo_metric_programmable *, count + 1u);
    if (!metrics->programmable_list) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!programmable_complete(metrics, &items[i])) {
            return false;
        }
        metrics->programmable_list[i] = &items[i].seam;
    }
    return true;
}

static bool metrics_read(struct sim_metrics *metrics)
{
    const struct geo_backend_device *device = metrics->device;
    struct sim_whole whole;
    struct sim_reader reader = sim_reader_of(device, &metrics->arena, NULL);
    return sim_read(&reader, device->json, &sim_whole_table, &whole) &&
           (!whole.metric_groups ||
            sim_read_list(&reader, whole.metric_groups, &sim_metric_group_table, SIM_GROUPS,
                          &metrics->groups)) &&
           (!whole.programmable_metrics ||
            sim_read_list(&reader, whole.programmable_metrics, &sim_programmable_table,
                          SIM_PROGRAMMABLES, &metrics->programmables)) &&
           groups_complete(metrics) && programmables_complete(metrics);
}

void sim_metrics_close(struct geo_backend_device *device)
{
    if (device->metrics) {
        geo_arena_finish(&device->metrics->arena);
        free(device->metrics);
        device->metrics = NULL;
    }
}

static void metrics_open_locked(struct geo_backend_device *device)
{
    device->metrics = calloc(1, sizeof(*device->metrics));
    if (!device->metrics) {
        return;
    }
    device->metrics->device = device;
    geo_arena_init(&device->metrics->arena, SIM_DEVICE_BYTES);
    if (!metrics_read(device->metrics)) {
        sim_metrics_close(device);
    }
}

struct sim_metrics *sim_metrics_of(struct geo_backend_device *device)
{
    sim_lock();
    if (!device->metrics) {
        metrics_open_locked(device);
    }
    struct sim_metrics *metrics = device->metrics;
    sim_unlock();
    return metrics;
}

/* ---- all devices ---- */

static struct {
    struct geo_backend_device *devices;
    uint32_t count;
} all;

void sim_metrics_list(struct geo_backend_device *devices, uint32_t count)
{
    all.devices = devices;
    all.count = count;
}

static bool is_identity(const struct geo_metric_group *group, const uint8_t identity[16])
{
    return memcmp(group->identity, identity, sizeof(group->identity)) == 0;
}

const struct geo_metric_group *sim_metric_find_group(struct geo_backend *backend,
                                                     const uint8_t identity[16])
{
    (void)backend;
    for (uint32_t i = 0; i < all.count; i++) {
        const struct sim_metrics *metrics = sim_metrics_of(&all.devices[i]);
        for (uint32_t k = 0; metrics && k < metrics->shown_count; k++) {
            if (is_identity(metrics->shown[k], identity)) {
                return metrics->shown[k];
            }
        }
    }
    return NULL;
}

void sim_metrics_each(const struct geo_backend_device *device, const uint8_t identity[16],
                      void (*function)(struct geo_metric_collection *, double, uint32_t), double t,
                      uint32_t value)
{
    for (uint32_t i = 0; i < all.count; i++) {
        const struct sim_metrics *metrics =
            all.devices[i].number == device->number ? all.devices[i].metrics : NULL;
        struct geo_metric_collection *at = metrics ? metrics->open : NULL;
        for (; at; at = at->next) {
            for (uint32_t k = 0; k < at->group_count; k++) {
                if (is_identity(&at->groups[k]->seam, identity)) {
                    function(at, t, value);
                }
            }
        }
    }
}
