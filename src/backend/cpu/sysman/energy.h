/* Energy counted by performance events. */
#ifndef GEO_BACKEND_CPU_SYSMAN_ENERGY_H
#define GEO_BACKEND_CPU_SYSMAN_ENERGY_H

#include "backend/cpu/sysman/perf.h"

/* Finds the counter of a domain of the package that contains these CPUs, in joules. The set is
 * empty when the system has none. */
void geo_energy_find(struct geo_finding *finding, zes_power_domain_t domain, const cpu_set_t *cpus,
                     struct geo_perf_set *set);

/* Lists one CPU of each counted package, and returns their number. */
uint32_t geo_energy_cpus(const struct geo_sysman *sysman, int *list, uint32_t room);

#endif
