/* The CPU device: one, the whole of what this process may use. */
#ifndef GEO_BACKEND_CPU_DEVICE_H
#define GEO_BACKEND_CPU_DEVICE_H

#include "backend/host/device.h"

struct geo_cpu_device {
    struct geo_backend_device base; /* first: the seam's handle is its address */
    char name[96];
};

/* Again is harmless: the executor stays the one that it was. OUT_OF_HOST_MEMORY. */
ze_result_t geo_cpu_device_init(struct geo_cpu_device *device);

#endif
