/* Emits a module for the CPU: rows of its table (machine.h). */
#ifndef GEO_COMPILER_LOWER_CPU_MODULE_H
#define GEO_COMPILER_LOWER_CPU_MODULE_H

#include "compiler/lower/state/module.h"

/* Emits all kernels and what they reach, and fills *result. Returns false after a failure. */
bool geo_cpu_module_emit(struct geo_lower *lower, struct geo_lower_result *result);
/* Frees the lists of callees. */
void geo_cpu_module_finish(struct geo_lower *lower);

#endif
