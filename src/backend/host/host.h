/* Operations that the backends of this machine (cpu, null) share: memory, streams and events, based
 * on the host runtime (src/exec). The backends differ in their device descriptions and in the
 * execution of launches. */
#ifndef GEO_BACKEND_HOST_HOST_H
#define GEO_BACKEND_HOST_HOST_H

#include "backend/host/device.h"
#include "backend/host/memory.h"

/* Called before the first executor is created. Registers fork handlers and sets the limit of all
 * allocations: the memory of the machine or the container. */
void geo_host_open(uint64_t memory_bytes);

/* Operations of the backend interface. */
uint32_t geo_host_device_count(struct geo_backend *backend);
struct geo_backend_device *geo_host_device(struct geo_backend *backend, uint32_t index);
const struct geo_device_info *geo_host_device_info(struct geo_backend_device *device);
/* Returns how many work-groups can wait for each other if each needs a worker of the device. */
uint32_t geo_host_cooperative_groups(const struct geo_device_info *info);
/* Does nothing, because at exit workers may still execute endless work. */
void geo_host_close(struct geo_backend *backend);
extern const struct geo_stream_ops geo_host_stream_ops;
extern const struct geo_event_ops geo_host_event_ops;
extern const struct geo_semaphore_ops geo_host_semaphore_ops;

#endif
