/* Which groups are active on which device, and the device's totals of all counters. */
#ifndef GEO_BACKEND_CPU_METRIC_ACTIVE_H
#define GEO_BACKEND_CPU_METRIC_ACTIVE_H

#include "backend/cpu/metric/group.h"

/* Implements `activate` of struct geo_metric_ops. */
ze_result_t geo_cpu_metric_activate(struct geo_backend_device *device,
                                    const struct geo_metric_group *const *groups, uint32_t count,
                                    struct geo_strbuf *why);

/* Returns whether a group is active on a device. */
bool geo_cpu_metric_active(const struct geo_backend_device *device,
                           const struct geo_cpu_metric_group *group);

/* Adds the counters of a group, over all threads of the device, to `counts`. Their cache lines are
 * usually on other cores, so the other counters are left alone. */
void geo_cpu_metric_totals(const struct geo_backend_device *device,
                           const struct geo_cpu_metric_group *group, uint64_t counts[GEO_COUNTS]);
uint32_t geo_cpu_metric_workers(const struct geo_backend_device *device);

/* Hold the lock around fork. */
void geo_cpu_metric_active_before_fork(void);
void geo_cpu_metric_active_after_fork(void);

#endif
