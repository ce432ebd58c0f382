/* Queries the CPUs that this process may use. See allowed.h. */
#include "backend/cpu/allowed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)1 << 16)

/* Queries with growing sets, because the system refuses a set smaller than its own maximum. */
bool geo_cpus_allowed(geo_affinity_fn *get, cpu_set_t *allowed)
{
    int error = EINVAL;
    CPU_ZERO(allowed);
    for (size_t bytes = sizeof(*allowed); error == EINVAL && bytes <= BYTES_MAX; bytes *= 2) {
        cpu_set_t *set = calloc(1, bytes);
        error = !set ? ENOMEM : get(0, bytes, set) != 0 ? errno : 0;
        if (error == 0) {
            memcpy(allowed, set, sizeof(*allowed));
        }
        free(set);
    }
    return CPU_COUNT(allowed) != 0;
}
