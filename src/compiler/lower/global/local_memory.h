/* Places the Workgroup variables of a module in local memory. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_LOCAL_MEMORY_H
#define GEO_COMPILER_LOWER_GLOBAL_LOCAL_MEMORY_H

#include "compiler/lower/state/module.h"

/* Places variables that functions share first, and behind them each kernel's own variables. Returns
 * false when memory runs out, or with a message in the log if a variable is too large. */
bool geo_global_local_memory_place(struct geo_lower *lower);
/* Returns the size in bytes of a kernel's static local memory. */
uint64_t geo_global_local_memory_bytes(const struct geo_lower *lower,
                                       const struct geo_ir_function *kernel);

#endif
