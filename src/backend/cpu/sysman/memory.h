/* The health of the machine's memory. */
#ifndef GEO_BACKEND_CPU_SYSMAN_MEMORY_H
#define GEO_BACKEND_CPU_SYSMAN_MEMORY_H

#include "backend/cpu/sysman/tree.h"

#include <level_zero/zes_api.h>

zes_mem_health_t geo_cpu_sysman_health(const struct geo_tree *tree);

#endif
