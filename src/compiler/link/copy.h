/* Copying functions from one module into another: how library functions get into a program, and
 * how modules are put together that are built as one or linked. */
#ifndef GEO_COMPILER_LINK_COPY_H
#define GEO_COMPILER_LINK_COPY_H

#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Copies a function and all it refers to (types, constants, variables, callees) from its module
 * into `target`. Copied functions and variables lose their linkage; a callee without a body stays
 * an import. Nothing is shared with the source afterwards but nothing is copied twice within one
 * call. NULL when memory ran out. */
struct geo_ir_function *geo_copy_function(struct geo_ir_module *target,
                                          struct geo_ir_function *function);

/* The same in steps, for a module that is linked with the target (units.h): what was copied before
 * is not copied again, and variables that can be written or have a name stay where that module's
 * own code holds them: the copies are GEO_LINKAGE_EXTERNAL of this unit. NULL: memory ran out. */
struct geo_copier;
struct geo_copier *geo_copier_create(struct geo_ir_module *target, uint32_t unit);
void geo_copier_destroy(struct geo_copier *copier);
/* A function (with all it reaches) or a variable of the copier's source. */
struct geo_ir_value *geo_copier_copy(struct geo_copier *copier, struct geo_ir_value *value);

/* Copies all of `source` into `target`, linkage and kernels included. OUT_OF_HOST_MEMORY only. */
ze_result_t geo_copy_module(struct geo_ir_module *target, struct geo_ir_module *source);

#endif
