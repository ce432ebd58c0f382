/* What the backends of this machine (cpu, null) share: memory, streams and events over the host
 * runtime (src/exec). They differ in their devices' descriptions and in what a launch does. */
#ifndef GEO_BACKEND_HOST_HOST_H
#define GEO_BACKEND_HOST_HOST_H

#include "backend/host/device.h"
#include "backend/host/memory.h"

/* Before the first executor is made: fork handlers, and how much memory all allocations together
 * may have, that of the machine or the container. */
void geo_host_open(uint64_t memory_bytes);

/* The seam's operations. */
uint32_t geo_host_device_count(struct geo_backend *backend);
struct geo_backend_device *geo_host_device(struct geo_backend *backend, uint32_t index);
const struct geo_device_info *geo_host_device_info(struct geo_backend_device *device);
/* Nothing: at exit workers may still run what never ends, so what they use is never freed. */
void geo_host_close(struct geo_backend *backend);
extern const struct geo_stream_ops geo_host_stream_ops;
extern const struct geo_event_ops geo_host_event_ops;
extern const struct geo_semaphore_ops geo_host_semaphore_ops;

#endif
