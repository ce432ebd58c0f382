/* Metrics as objects. See metric.h. */
#include "driver/tools/metric/metric.h"

#include "ddi/geo_ddi_chain.h"

#include <stdlib.h>
#include <string.h>

static void object_destroy(struct geo_object *object)
{
    struct geo_metric_object *metric = (struct geo_metric_object *)object;
    if (metric->own) {
        metric->root->ops->discard(metric->own);
    }
    free(metric);
}

struct geo_metric_object *geo_metric_object_create(struct geo_metric_root *root,
                                                   const struct geo_metric *metric,
                                                   zet_metric_group_sampling_type_flags_t sampling,
                                                   struct geo_metric *own)
{
    struct geo_metric_object *object = calloc(1, sizeof(*object));
    if (object) {
        geo_object_init(&object->base, GEO_OBJECT_METRIC, root->device->base.driver,
                        object_destroy);
        object->root = root;
        object->metric = metric;
        object->sampling = sampling;
        object->own = own;
    }
    return object;
}

void geo_metric_text_copy(char *to, size_t size, const char *text)
{
    const size_t length = text ? strnlen(text, size - 1) : 0;
    memset(to, 0, size);
    memcpy(to, text ? text : "", length);
}

void geo_metric_object_properties(const struct geo_metric_object *metric,
                                  zet_metric_properties_t *properties)
{
    const struct geo_metric *from = metric->metric;
    geo_metric_text_copy(properties->name, sizeof(properties->name), from->name);
    geo_metric_text_copy(properties->description, sizeof(properties->description),
                         from->description);
    geo_metric_text_copy(properties->component, sizeof(properties->component), from->component);
    geo_metric_text_copy(properties->resultUnits, sizeof(properties->resultUnits), from->units);
    properties->tierNumber = from->tier;
    properties->metricType = from->type;
    properties->resultType = from->result;
    zet_export_dma_buf_exp_properties_t *buffer =
        GEO_CHAIN_FIND(zet_metric_properties_t, zet_export_dma_buf_exp_properties_t,
                       GEO_CHAIN_OF(zet_metric_properties_t, properties));
    if (buffer) { /* only groups export memory */
        buffer->fd = -1;
        buffer->size = 0;
    }
}

ze_result_t geo_metric_object_close(struct geo_metric_object *metric)
{
    if (!metric->own) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "metric %s was not created from a programmable metric",
                        metric->metric->name);
    }
    geo_metric_root_lock();
    const uint32_t groups = metric->groups;
    geo_metric_root_unlock();
    if (groups != 0) {
        return geo_fail(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                        "metric %s is in %u metric groups: remove it or destroy them first",
                        metric->metric->name, groups);
    }
    geo_object_close(&metric->base);
    return ZE_RESULT_SUCCESS;
}
