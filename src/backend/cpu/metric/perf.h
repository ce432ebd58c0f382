/* Counters of perf_event for the calling thread. A thread opens its own when it first reads them,
 * and counts only its code in user mode.
 *
 * The descriptors are kept open while the counters are selected. The program may close them, and
 * open other files under the same numbers. All files of perf_event share one inode, so they are
 * identified by the number that the system gives each event. */
#ifndef GEO_BACKEND_CPU_METRIC_PERF_H
#define GEO_BACKEND_CPU_METRIC_PERF_H

#include "base/strbuf.h"

#include <level_zero/ze_api.h>

#define GEO_CPU_METRIC_PERF_EVENTS 4u /* that are counted together; more may not fit a processor */

/* Events that are counted together, as in struct perf_event_attr. Static data. */
struct geo_cpu_metric_perf_set {
    struct geo_cpu_metric_perf_event {
        const char *name; /* as libpfm4 calls it */
        uint32_t type;
        uint64_t config;
    } events[GEO_CPU_METRIC_PERF_EVENTS];
};

/* Returns whether this machine has the events, or might have them if the system did not deny it. */
bool geo_cpu_metric_perf_exists(const struct geo_cpu_metric_perf_set *set);

/* Selects the events that threads count from now on; NULL: none. The caller serialises the calls.
 * Returns INSUFFICIENT_PERMISSIONS with the reason if the system denies them, and
 * UNSUPPORTED_FEATURE if the machine lacks them. The old selection stays then. */
ze_result_t geo_cpu_metric_perf_select(const struct geo_cpu_metric_perf_set *set,
                                       struct geo_strbuf *why);

/* Reads the counters of the calling thread: the time for which they ran in ns, then the events.
 * Returns false if the thread has no counters. */
bool geo_cpu_metric_perf_read(uint64_t counts[1 + GEO_CPU_METRIC_PERF_EVENTS]);

/* Frees the lock in the child after fork. The child's threads open counters of their own. */
void geo_cpu_metric_perf_after_fork(void);

#endif
