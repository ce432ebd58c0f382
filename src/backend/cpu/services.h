/* What kernels ask of their host while they run: printf and assert (struct geo_services). */
#ifndef GEO_BACKEND_CPU_SERVICES_H
#define GEO_BACKEND_CPU_SERVICES_H

#include "backend/cpu/kernel.h"
#include "backend/cpu/regroup.h"

/* A launch as this backend runs it; the services find it by the launch that compiled code knows. */
struct geo_cpu_launch {
    struct geo_launch launch; /* first */
    const struct geo_backend_kernel *kernel;
    struct geo_grid asked; /* the program's groups; the launch may have others */
};

extern const struct geo_services geo_cpu_services;

#endif
