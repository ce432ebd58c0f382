/* Memory bandwidth, counted by the memory controllers. */
#ifndef GEO_BACKEND_CPU_SYSMAN_BANDWIDTH_H
#define GEO_BACKEND_CPU_SYSMAN_BANDWIDTH_H

#include "backend/cpu/sysman/perf.h"

enum {
    GEO_BANDWIDTH_READ, /* indices of the set's sums, in MiB */
    GEO_BANDWIDTH_WRITE,
};

/* Finds the counters of the controllers that belong to these CPUs. The set is empty when the system
 * has none. */
void geo_bandwidth_find(struct geo_finding *finding, const cpu_set_t *cpus,
                        struct geo_perf_set *set);

#endif
