/* Accounting of memory: how many bytes of the machine and of each device this process uses.
 *
 * Allocations, physical memory and loaded modules are charged before they are made and discharged
 * when they end. A charge beyond a limit fails: that is how memory runs out. Memory that another
 * process allocated and this one maps (imports) is charged to its owner only. Here it is recorded
 * as shared, without a limit, because its pages exist already. */
#ifndef GEO_BACKEND_HOST_USAGE_H
#define GEO_BACKEND_HOST_USAGE_H

#include "backend/host/device.h"

/* Sets the limit of all memory of this process: the memory of the machine or the container. */
void geo_usage_limit(uint64_t bytes);
/* Returns the bytes that this process uses in total. */
uint64_t geo_usage_bytes(void);

/* (any thread) Charges bytes to the process and, unless `device` is NULL, to the device and its
 * parents. Returns false, and charges nothing, if one of them lacks the bytes. */
bool geo_usage_charge(struct geo_backend_device *device, uint64_t bytes);
void geo_usage_discharge(struct geo_backend_device *device, uint64_t bytes);

/* (any thread) Record that the process maps, or unmaps, another process's device memory. device
 * NULL: memory of no device, which is not counted. */
void geo_usage_share(struct geo_backend_device *device, uint64_t bytes);
void geo_usage_unshare(struct geo_backend_device *device, uint64_t bytes);

/* Returns how many bytes can still be charged to a device (NULL: to the process). */
uint64_t geo_usage_left(const struct geo_backend_device *device);

#endif
