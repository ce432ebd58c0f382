/* The services that running kernels request from the host: printf and assert (struct
 * geo_services). */
#ifndef GEO_BACKEND_CPU_SERVICES_H
#define GEO_BACKEND_CPU_SERVICES_H

#include "backend/cpu/kernel.h"
#include "backend/cpu/regroup.h"

/* The backend's state of a launch. The services find it through the struct geo_launch that compiled
 * code passes. */
struct geo_cpu_launch {
    struct geo_launch launch; /* must be first */
    const struct geo_backend_kernel *kernel;
    const struct geo_runner *runner;
    struct geo_grid asked;           /* the program's groups; the launch may use others */
    const struct geo_worker *groups; /* barriers of the device: one per group; else NULL */
    bool pends;                      /* workers keep pending additions from call to call */
};

extern const struct geo_services geo_cpu_services;

#endif
