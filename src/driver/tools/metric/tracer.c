/* Tracers. See tracer.h. */
#include "driver/tools/metric/tracer.h"

#include "driver/tools/metric/ask.h"

#include <stdlib.h>

static void tracer_destroy(struct geo_object *object)
{
    struct geo_metric_tracer *tracer = (struct geo_metric_tracer *)object;
    geo_metric_collector_finish(&tracer->collector);
    free(tracer);
}

ze_result_t geo_metric_tracer_create(struct geo_metric_collector_desc *desc,
                                     struct geo_metric_tracer **out)
{
    if (desc->group_count == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a metric tracer without groups");
    }
    struct geo_metric_tracer *tracer = calloc(1, sizeof(*tracer));
    if (!tracer) {
        return geo_metric_ask_memory("a metric tracer");
    }
    geo_object_init(&tracer->base, GEO_OBJECT_METRIC_TRACER, desc->root->device->base.driver,
                    tracer_destroy);
    ze_result_t result = geo_metric_collector_open(&tracer->collector, desc);
    if (result != ZE_RESULT_SUCCESS) {
        geo_metric_tracer_close(tracer);
        return result;
    }
    *out = tracer;
    return ZE_RESULT_SUCCESS;
}

void geo_metric_tracer_close(struct geo_metric_tracer *tracer)
{
    geo_metric_collector_stop(&tracer->collector);
    geo_object_close(&tracer->base);
}
