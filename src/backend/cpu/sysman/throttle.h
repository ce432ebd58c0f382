/* How often and for how long CPUs were slowed down because of heat. */
#ifndef GEO_BACKEND_CPU_SYSMAN_THROTTLE_H
#define GEO_BACKEND_CPU_SYSMAN_THROTTLE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct geo_sysman;

/* Whether the system counts it: for one CPU, for all. */
bool geo_sysman_throttle_counted(const struct geo_sysman *sysman);

/* How often, all CPUs together, for the heat of cores and packages. False: nobody counts. */
bool geo_sysman_throttle_count(const struct geo_sysman *sysman, const cpu_set_t *cpus,
                               uint64_t *count);

/* Milliseconds of the CPU that it was longest for. False: nobody tells. */
bool geo_sysman_throttle_time(const struct geo_sysman *sysman, const cpu_set_t *cpus, uint64_t *ms);

#endif
