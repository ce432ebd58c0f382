/* Energy as performance events count it. */
#ifndef GEO_BACKEND_CPU_SYSMAN_ENERGY_H
#define GEO_BACKEND_CPU_SYSMAN_ENERGY_H

#include "backend/cpu/sysman/perf.h"

/* The counter of a domain of the package that these CPUs are of, in joules; an empty set where the
 * system names none. */
void geo_energy_find(struct geo_finding *finding, zes_power_domain_t domain, const cpu_set_t *cpus,
                     struct geo_perf_set *set);

/* One CPU of each package that is counted; how many. */
uint32_t geo_energy_cpus(const struct geo_sysman *sysman, int *list, uint32_t room);

#endif
