/* The CPUs that the system lets this process use. */
#ifndef GEO_BACKEND_CPU_ALLOWED_H
#define GEO_BACKEND_CPU_ALLOWED_H

#include <sched.h>
#include <stdbool.h>

/* The type of sched_getaffinity. Tests pass a replacement. */
typedef int geo_affinity_fn(pid_t pid, size_t bytes, cpu_set_t *set);

/* Stores the allowed CPUs that fit into a cpu_set_t. Returns false when the
 * set is empty or the system cannot be queried. */
bool geo_cpus_allowed(geo_affinity_fn *get, cpu_set_t *allowed);

#endif
