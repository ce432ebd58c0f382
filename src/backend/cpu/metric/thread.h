/* Counters of threads that do not come from the executor: those of the operating system and of the
 * processor. They are read around each range of work that a thread runs (record/meter.h), so what
 * the thread does between ranges is not counted. */
#ifndef GEO_BACKEND_CPU_METRIC_THREAD_H
#define GEO_BACKEND_CPU_METRIC_THREAD_H

#include "backend/cpu/metric/group.h"

/* Selects the counters that threads read, when the active groups of a device change from `before`
 * to `after` (masks of group bits). The caller serialises the calls. Returns
 * INSUFFICIENT_PERMISSIONS with the reason if the system denies the processor's counters,
 * NOT_AVAILABLE if another device uses others. Nothing has changed then. */
ze_result_t geo_cpu_metric_thread_select(uint32_t before, uint32_t after, struct geo_strbuf *why);

/* Returns whether this machine has the counters of a family, or the system denies them. */
bool geo_cpu_metric_thread_has(enum geo_cpu_metric_family family);

/* Tells every event of the executor to `told` while it is not NULL. */
void geo_cpu_metric_thread_tell(void (*told)(const struct geo_meter_event *event));

#endif
