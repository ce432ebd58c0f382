/* Which CPUs the system lets this process run on. */
#ifndef GEO_BACKEND_CPU_ALLOWED_H
#define GEO_BACKEND_CPU_ALLOWED_H

#include <sched.h>
#include <stdbool.h>

/* sched_getaffinity, or a test's. */
typedef int geo_affinity_fn(pid_t pid, size_t bytes, cpu_set_t *set);

/* Those of them that a cpu_set_t has; there may be more. False: none, or the system does not say. */
bool geo_cpus_allowed(geo_affinity_fn *get, cpu_set_t *allowed);

#endif
