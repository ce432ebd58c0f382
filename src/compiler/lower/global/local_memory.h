/* Lowering at module scope: where the Workgroup variables of a module lie in local memory. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_LOCAL_MEMORY_H
#define GEO_COMPILER_LOWER_GLOBAL_LOCAL_MEMORY_H

#include "compiler/lower/state/module.h"

/* Places them: shared ones first, each kernel's own behind them. False: memory ran out, or it is
 * said in the log which is too large. */
bool geo_lower_local_place(struct geo_lower *lower);
/* Bytes of static local memory of a kernel. */
uint64_t geo_lower_local_bytes(const struct geo_lower *lower, const struct geo_ir_function *kernel);

#endif
