/* What the backends of this machine share beside execution (src/exec): memory, event operations,
 * what fork needs. */
#ifndef GEO_BACKEND_HOST_HOST_H
#define GEO_BACKEND_HOST_HOST_H

#include "exec/device.h"

extern const struct geo_event_ops geo_host_event_ops;
extern const struct geo_memory_ops geo_host_memory_ops;

/* Total bytes that all allocations together may have: the memory of the machine or the container.
 */
void geo_host_memory_limit(uint64_t bytes);
uint64_t geo_host_memory_used(void);

/* Called by every backend's open: fork handlers, once per process. */
void geo_host_open(void);

/* In the child after fork: pool, jobs, lot, guests, slabs and streams start afresh. Work that was
 * in flight stays the parent's; the child's streams are empty. */
void geo_host_after_fork(void);

#endif
