/* How much goes to and from memory, as memory controllers count it. */
#ifndef GEO_BACKEND_CPU_SYSMAN_BANDWIDTH_H
#define GEO_BACKEND_CPU_SYSMAN_BANDWIDTH_H

#include "backend/cpu/sysman/perf.h"

enum {
    GEO_BANDWIDTH_READ, /* the sums of the set, in MiB */
    GEO_BANDWIDTH_WRITE,
};

/* The counters of the controllers beside these CPUs; an empty set where the system names none. */
void geo_bandwidth_find(struct geo_finding *finding, const cpu_set_t *cpus,
                        struct geo_perf_set *set);

#endif
