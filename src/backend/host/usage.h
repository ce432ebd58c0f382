/* The books of memory: how many bytes this process takes of the machine and of each device.
 *
 * Allocations, physical memory and loaded modules are charged before they are made and discharged
 * when they end. A charge beyond a limit fails: that is how memory runs out. Memory that another
 * process allocated and this one maps (imports) is charged to its owner only. Here it is noted as
 * shared, without a limit, because its pages exist already. */
#ifndef GEO_BACKEND_HOST_USAGE_H
#define GEO_BACKEND_HOST_USAGE_H

#include "backend/host/device.h"

/* Sets how many bytes this process may take in all: the memory of the machine or the container. */
void geo_usage_limit(uint64_t bytes);
/* Returns how many bytes this process takes in all. */
uint64_t geo_usage_bytes(void);

/* (any thread) Charges bytes to the process and, unless `device` is NULL, to the device and to
 * those that it is a part of. Returns false, and charges nothing, if one of them lacks the bytes. */
bool geo_usage_charge(struct geo_backend_device *device, uint64_t bytes);
void geo_usage_discharge(struct geo_backend_device *device, uint64_t bytes);

/* (any thread) Notes that the process maps bytes of another process's device memory, or no more.
 * device NULL: memory of no device, which nobody asks for. */
void geo_usage_share(struct geo_backend_device *device, uint64_t bytes);
void geo_usage_unshare(struct geo_backend_device *device, uint64_t bytes);

/* Returns how many bytes can still be charged to a device (NULL: to the process). */
uint64_t geo_usage_left(const struct geo_backend_device *device);

#endif
