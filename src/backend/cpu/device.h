/* The CPU devices: what this process may use of the machine, divided by the roster. */
#ifndef GEO_BACKEND_CPU_DEVICE_H
#define GEO_BACKEND_CPU_DEVICE_H

#include "backend/host/device.h"

/* Fills devices[GEO_ROSTER_DEVICES] and the backend. A second call changes nothing. Returns
 * OUT_OF_HOST_MEMORY on failure. */
ze_result_t geo_cpu_devices_init(struct geo_backend *backend, struct geo_backend_device *devices);

#endif
