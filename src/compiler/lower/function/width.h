/* Lowering of whole functions: at which width (lanes) a kernel runs. */
#ifndef GEO_COMPILER_LOWER_FUNCTION_WIDTH_H
#define GEO_COMPILER_LOWER_FUNCTION_WIDTH_H

#include "compiler/lower/state/code.h"

/* Lanes, sub-group size, flags and local memory of a kernel. False: the log says why it cannot be
 * lowered. */
bool geo_lower_kernel_plan(struct geo_lower *lower, const struct geo_lower_code *code,
                           struct geo_lower_kernel *kernel);
/* The width of functions where no kernel says one. */
uint32_t geo_lower_default_lanes(const struct geo_lower *lower);

#endif
