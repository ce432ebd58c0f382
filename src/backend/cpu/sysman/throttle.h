/* How often and how long CPUs were throttled because of heat. */
#ifndef GEO_BACKEND_CPU_SYSMAN_THROTTLE_H
#define GEO_BACKEND_CPU_SYSMAN_THROTTLE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct geo_sysman;

/* Returns whether the system counts throttling. All CPUs have the counters or none has. */
bool geo_throttle_counted(const struct geo_sysman *sysman);

/* Returns how often the CPUs were throttled in total, because of cores and packages. Returns false
 * without counters. */
bool geo_throttle_count(const struct geo_sysman *sysman, const cpu_set_t *cpus, uint64_t *count);

/* Returns the milliseconds of the CPU that was throttled longest. Returns false when unknown. */
bool geo_throttle_time(const struct geo_sysman *sysman, const cpu_set_t *cpus, uint64_t *ms);

#endif
