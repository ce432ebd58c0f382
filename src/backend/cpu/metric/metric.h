/* The metrics of the CPU backend. docs/user/metrics.md describes groups and metrics. */
#ifndef GEO_BACKEND_CPU_METRIC_METRIC_H
#define GEO_BACKEND_CPU_METRIC_METRIC_H

#include "backend/metric.h"

/* Handles fork. Called once, before a device is used. Further calls have no effect. */
void geo_cpu_metric_open(void);

extern const struct geo_metric_ops geo_cpu_metric_ops;

#endif
