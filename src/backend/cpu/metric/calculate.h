/* Converts reports to values, and events of the tracer to entries. The data is untrusted. */
#ifndef GEO_BACKEND_CPU_METRIC_CALCULATE_H
#define GEO_BACKEND_CPU_METRIC_CALCULATE_H

#include "backend/metric.h"

/* Implement `calculate` and `decode` of struct geo_metric_ops. */
ze_result_t geo_cpu_metric_calculate(const struct geo_metric_group *group,
                                     zet_metric_group_calculation_type_t type, const uint8_t *data,
                                     size_t bytes, uint32_t *count, zet_typed_value_t *values);
ze_result_t geo_cpu_metric_decode(const struct geo_metric_group *const *groups,
                                  uint32_t group_count, const struct geo_metric *const *metrics,
                                  uint32_t metric_count, const uint8_t *data, size_t *bytes,
                                  uint32_t *count, zet_metric_entry_exp_t *entries);

#endif
