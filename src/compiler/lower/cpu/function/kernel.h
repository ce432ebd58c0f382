/* Emits kernels. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_KERNEL_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_KERNEL_H

#include "compiler/lower/cpu/instance/instance.h"

/* Emits one kernel and fills *kernel. Stores in *callees the instances that it calls directly; the
 * caller frees the items. Returns false after a failure. */
bool geo_function_kernel_emit(struct geo_lower *lower, struct geo_lower_code *code,
                              struct geo_lower_kernel *kernel, struct geo_lower_callees *callees);

#endif
