/* The CPU backend: its driver, the device and what its files know of each other. */
#ifndef GEO_BACKEND_CPU_CPU_H
#define GEO_BACKEND_CPU_CPU_H

#include "backend/backend.h"

extern const struct geo_backend_ops geo_backend_cpu_ops;

#endif
