/* How often and for how long CPUs were slowed down because of heat. */
#ifndef GEO_BACKEND_CPU_SYSMAN_THROTTLE_H
#define GEO_BACKEND_CPU_SYSMAN_THROTTLE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct geo_sysman;

struct geo_sysman_throttle {
    uint64_t count; /* of all CPUs, for the core's and the package's heat */
    bool timed;
    uint64_t ms; /* of the CPU that it was longest for */
};

/* False: the system counts none of it. */
bool geo_sysman_throttle_read(const struct geo_sysman *sysman, const cpu_set_t *cpus,
                              struct geo_sysman_throttle *out);

#endif
