/* Queries: what a stream did between two of its records. Executes the records of metrics. */
#ifndef GEO_BACKEND_CPU_METRIC_QUERY_H
#define GEO_BACKEND_CPU_METRIC_QUERY_H

#include "backend/metric.h"
#include "exec/record/runner.h"

/* Implements `metric` of struct geo_record_ops. */
ze_result_t geo_cpu_metric_query_record(const struct geo_command_metric *command,
                                        const struct geo_runner *runner,
                                        struct geo_exec_worker *worker);

/* Implements `query_bytes` of struct geo_metric_ops. */
uint32_t geo_cpu_metric_query_bytes(struct geo_backend_device *device,
                                    const struct geo_metric_group *group,
                                    zet_metric_query_pool_type_t pool);

#endif
