/* Groups that programs make from metrics of the CPU. */
#ifndef GEO_BACKEND_CPU_METRIC_MADE_H
#define GEO_BACKEND_CPU_METRIC_MADE_H

#include "backend/metric.h"

/* Implement the operations of struct geo_metric_ops. */
bool geo_cpu_metric_made_accepts(struct geo_backend_device *device,
                                 const struct geo_metric *const *metrics, uint32_t count,
                                 const struct geo_metric *candidate, struct geo_strbuf *why);
ze_result_t geo_cpu_metric_made_create(struct geo_backend_device *device, const char *name,
                                       const char *description,
                                       zet_metric_group_sampling_type_flags_t sampling,
                                       const struct geo_metric *const *metrics, uint32_t count,
                                       struct geo_metric_group **out, struct geo_strbuf *why);
void geo_cpu_metric_made_destroy(struct geo_metric_group *group);

#endif
