/* The CPU backend's objects. */
#ifndef GEO_BACKEND_CPU_CPU_H
#define GEO_BACKEND_CPU_CPU_H

#include "backend/cpu/kernel.h"

struct geo_cpu_device {
    struct geo_backend_device base; /* first: the seam's handle is its address */
    char name[96];
};

ze_result_t geo_cpu_device_init(struct geo_cpu_device *device);

extern const struct geo_program_ops geo_cpu_program_ops;
extern const struct geo_backend_ops geo_backend_cpu_ops;

#endif
