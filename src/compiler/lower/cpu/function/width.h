/* Chooses the width (number of lanes) of kernels. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_WIDTH_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_WIDTH_H

#include "compiler/lower/state/code.h"

/* Sets lanes, sub-group size, flags and local memory of a kernel. Returns false, with a message in
 * the log, if it cannot be lowered. */
bool geo_function_width_plan(struct geo_lower *lower, const struct geo_lower_code *code,
                             struct geo_lower_kernel *kernel);
/* Returns the width of functions that no kernel of the module determines. */
uint32_t geo_function_width_default(const struct geo_lower *lower);
/* Returns the number of items of a sub-group, for kernels that require none. */
uint32_t geo_function_width_subgroup_size(const struct geo_lower *lower);

#endif
