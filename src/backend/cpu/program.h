/* Program operations of the CPU backend: loading native binaries. */
#ifndef GEO_BACKEND_CPU_PROGRAM_H
#define GEO_BACKEND_CPU_PROGRAM_H

#include "backend/backend.h"

extern const struct geo_program_ops geo_cpu_program_ops;

#endif
