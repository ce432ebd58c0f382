/* The CPU backend's table of operations. */
#ifndef GEO_BACKEND_CPU_CPU_H
#define GEO_BACKEND_CPU_CPU_H

#include "backend/backend.h"

extern const struct geo_backend_ops geo_backend_cpu_ops;

#endif
