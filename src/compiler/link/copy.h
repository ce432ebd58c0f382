/* Copies functions from one module into another. Used to add library functions to a program, and to
 * merge modules that are built or linked together. */
#ifndef GEO_COMPILER_LINK_COPY_H
#define GEO_COMPILER_LINK_COPY_H

#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Copies a function, and everything that it refers to (types, constants, variables, callees), into
 * `target`. Functions and variables lose their linkage in the copy. A callee without a body becomes
 * an import. The copy shares nothing with its source, and has one copy of each object. Returns NULL
 * when memory runs out. */
struct geo_ir_function *geo_copy_function(struct geo_ir_module *target,
                                          struct geo_ir_function *function);

/* Copies several values of one module that is linked with the target (units.h). Objects copied by
 * an earlier call are reused. Variables that can be written or have a name keep their place in the
 * loaded code of that module: their copies are GEO_LINKAGE_EXTERNAL of this unit. Creation returns
 * NULL when memory runs out. */
struct geo_copier;
/* Creates a copier for a unit. The caller destroys it; the copies remain. */
struct geo_copier *geo_copier_create(struct geo_ir_module *target, uint32_t unit);
void geo_copier_destroy(struct geo_copier *copier);
/* Copies a function with everything that it reaches, or a variable. Returns NULL when memory runs
 * out. */
struct geo_ir_value *geo_copier_copy(struct geo_copier *copier, struct geo_ir_value *value);

/* Copies all of `source` into `target`, with linkage and kernels. Fails with OUT_OF_HOST_MEMORY
 * only. */
ze_result_t geo_copy_module(struct geo_ir_module *target, struct geo_ir_module *source);

#endif
