/* Programmable metrics. See programmable.h. */
#include "driver/tools/metric/programmable.h"

#include "base/array.h"
#include "driver/core/check.h"
#include "driver/tools/metric/ask.h"

#include <string.h>

static void object_destroy(struct geo_object *object)
{
    free(object);
}

/* Makes objects for all programmable metrics at the first call. */
static ze_result_t objects_create_locked(struct geo_metric_root *root)
{
    uint32_t count = 0;
    const struct geo_metric_programmable *const *items =
        root->ops->programmables ? root->ops->programmables(root->device->backend_device, &count)
                                 : NULL;
    if (!geo_array_reserve(&root->programmables, count)) {
        return geo_metric_ask_memory("programmable metrics");
    }
    for (size_t i = root->programmables.count; i < count; i++) {
        struct geo_metric_programmable_object *object = calloc(1, sizeof(*object));
        if (!object) {
            return geo_metric_ask_memory("programmable metrics");
        }
        geo_object_init(&object->base, GEO_OBJECT_METRIC_PROGRAMMABLE, root->device->base.driver,
                        object_destroy);
        object->root = root;
        object->programmable = items[i];
        root->programmables.items[root->programmables.count++] = object;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_programmable_list(struct geo_metric_root *root, uint32_t *count,
                                         zet_metric_programmable_exp_handle_t *handles)
{
    geo_metric_root_lock();
    const ze_result_t result = objects_create_locked(root);
    geo_metric_root_unlock();
    GEO_CHECK(result);
    const uint32_t wanted = geo_count_protocol(count, (uint32_t)root->programmables.count, handles);
    for (uint32_t i = 0; i < wanted; i++) {
        handles[i] = geo_metric_programmable_object_handle(root->programmables.items[i]);
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- descriptions ---- */

void geo_metric_programmable_properties(const struct geo_metric_programmable_object *object,
                                        zet_metric_programmable_exp_properties_t *properties)
{
    const zet_structure_type_t stype = properties->stype;
    void *const next = properties->pNext;
    *properties = object->programmable->properties;
    properties->stype = stype;
    properties->pNext = next;
}

static ze_result_t count_check(uint32_t *count, uint32_t available, const char *name)
{
    if (*count == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "*%s is 0: it must be at least 1", name);
    }
    *count = *count < available ? *count : available;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_programmable_parameters(const struct geo_metric_programmable_object *object,
                                               uint32_t *count,
                                               zet_metric_programmable_param_info_exp_t *infos)
{
    const struct geo_metric_programmable *programmable = object->programmable;
    GEO_CHECK(count_check(count, programmable->properties.parameterCount, "pParameterCount"));
    for (uint32_t i = 0; i < *count; i++) {
        const struct geo_metric_parameter *parameter = &programmable->parameters[i];
        infos[i].type = parameter->type;
        geo_metric_text_copy(infos[i].name, sizeof(infos[i].name), parameter->name);
        infos[i].valueInfoType = parameter->value_type;
        infos[i].defaultValue = parameter->fallback;
        infos[i].valueInfoCount = parameter->value_count;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_programmable_values(const struct geo_metric_programmable_object *object,
                                           uint32_t parameter, uint32_t *count,
                                           zet_metric_programmable_param_value_info_exp_t *infos)
{
    const struct geo_metric_programmable *programmable = object->programmable;
    if (parameter >= programmable->properties.parameterCount) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "parameter %u is out of range: programmable metric %s has %u", parameter,
                        programmable->properties.name, programmable->properties.parameterCount);
    }
    const struct geo_metric_parameter *described = &programmable->parameters[parameter];
    GEO_CHECK(count_check(count, described->value_count, "pValueInfoCount"));
    for (uint32_t i = 0; i < *count; i++) {
        infos[i].valueInfo = described->values[i].valueInfo;
        memcpy(infos[i].description, described->values[i].description,
               sizeof(infos[i].description));
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- metrics ---- */

static ze_result_t program_check(const struct geo_metric_programmable_object *object,
                                 const struct geo_metric_program *program)
{
    const zet_metric_programmable_exp_properties_t *properties = &object->programmable->properties;
    if (program->value_count > properties->parameterCount) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%u values are given: programmable metric %s has %u parameters",
                        program->value_count, properties->name, properties->parameterCount);
    }
    if (strnlen(program->name, ZET_MAX_METRIC_NAME) == ZET_MAX_METRIC_NAME ||
        strnlen(program->description, ZET_MAX_METRIC_DESCRIPTION) == ZET_MAX_METRIC_DESCRIPTION) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the name or the description of a metric is too long: they may have %u and "
                        "%u bytes",
                        ZET_MAX_METRIC_NAME - 1, ZET_MAX_METRIC_DESCRIPTION - 1);
    }
    return ZE_RESULT_SUCCESS;
}

/* Calls the backend. `metrics` NULL: only asks for the number. */
static ze_result_t metrics_program(const struct geo_metric_programmable_object *object,
                                   const struct geo_metric_program *program, uint32_t *count,
                                   struct geo_metric **metrics)
{
    ze_result_t result;
    GEO_METRIC_ASK(result, object->root, program, object->programmable, program->values,
                   program->value_count, program->name, program->description, count, metrics);
    return result;
}

/* Makes objects for metrics of the backend. Makes all or none, and discards the metrics then. */
static ze_result_t objects_make(const struct geo_metric_programmable_object *object,
                                struct geo_metric **metrics, uint32_t count,
                                zet_metric_handle_t *handles)
{
    uint32_t made = 0;
    for (; made < count; made++) {
        struct geo_metric_object *metric =
            geo_metric_object_create(object->root, metrics[made],
                                     object->programmable->properties.samplingType, metrics[made]);
        if (!metric) {
            break;
        }
        handles[made] = geo_metric_object_handle(metric);
    }
    if (made == count) {
        return ZE_RESULT_SUCCESS;
    }
    for (uint32_t i = made; i < count; i++) {
        object->root->ops->discard(metrics[i]);
    }
    for (uint32_t i = 0; i < made; i++) {
        geo_object_close((struct geo_object *)(void *)handles[i]);
        handles[i] = NULL;
    }
    return geo_metric_ask_memory("metrics");
}

ze_result_t geo_metric_programmable_create(const struct geo_metric_programmable_object *object,
                                           const struct geo_metric_program *program,
                                           uint32_t *count, zet_metric_handle_t *handles)
{
    uint32_t available = 0;
    GEO_CHECK(program_check(object, program));
    GEO_CHECK(metrics_program(object, program, &available, NULL));
    uint32_t wanted = geo_count_protocol(count, available, handles);
    if (wanted == 0) {
        return ZE_RESULT_SUCCESS;
    }
    struct geo_metric **metrics = calloc(wanted, sizeof(*metrics));
    if (!metrics) {
        return geo_metric_ask_memory("metrics");
    }
    ze_result_t result = metrics_program(object, program, &wanted, metrics);
    if (result == ZE_RESULT_SUCCESS) {
        result = objects_make(object, metrics, wanted, handles);
        *count = wanted;
    }
    free(metrics);
    return result;
}
