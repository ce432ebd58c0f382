/* Tracers: they record events of active groups. */
#ifndef GEO_DRIVER_TOOLS_METRIC_TRACER_H
#define GEO_DRIVER_TOOLS_METRIC_TRACER_H

#include "driver/tools/metric/collector.h"

struct geo_metric_tracer {
    struct geo_object base;
    struct geo_metric_collector collector;
};

GEO_OBJECT_HANDLE(metric_tracer, GEO_OBJECT_METRIC_TRACER, zet_metric_tracer_exp_handle_t)

/* Creates a tracer that is disabled. Errors as geo_metric_collector_open. */
GEO_MUST_CHECK ze_result_t geo_metric_tracer_create(struct geo_metric_collector_desc *desc,
                                                    struct geo_metric_tracer **out);
void geo_metric_tracer_close(struct geo_metric_tracer *tracer);

#endif
