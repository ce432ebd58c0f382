/* Memory of the backends of this machine: the seam's operations. */
#ifndef GEO_BACKEND_HOST_MEMORY_H
#define GEO_BACKEND_HOST_MEMORY_H

#include "backend/backend.h"

extern const struct geo_memory_ops geo_host_memory_ops;

/* Total bytes that all allocations together may have: the memory of the machine or the container.
 */
void geo_host_memory_limit(uint64_t bytes);
uint64_t geo_host_memory_used(void);

#endif
