/* Copying functions from one module into another: how library functions get into a program. */
#ifndef GEO_COMPILER_IR_CLONE_H
#define GEO_COMPILER_IR_CLONE_H

#include "compiler/ir/ir.h"

/* Copies a function and all it refers to (types, constants, variables, callees) from its module
 * into `target`. Copied functions and variables lose their linkage; a callee without a body stays
 * an import. Nothing is shared with the source afterwards but nothing is copied twice within one
 * call. NULL when memory ran out. */
struct geo_ir_function *geo_ir_import(struct geo_ir_module *target,
                                      struct geo_ir_function *function);

/* The same in steps, for a module that is linked with the target (units.h): what was copied before
 * is not copied again, and variables that can be written or have a name stay where that module's
 * own code holds them: the copies are GEO_LINKAGE_EXTERNAL of this unit. NULL: memory ran out. */
struct geo_ir_copier;
struct geo_ir_copier *geo_ir_copier_create(struct geo_ir_module *target, uint32_t unit);
void geo_ir_copier_destroy(struct geo_ir_copier *copier);
/* A function (with all it reaches) or a variable of the copier's source. */
struct geo_ir_value *geo_ir_copy(struct geo_ir_copier *copier, struct geo_ir_value *value);

/* The name by which other modules find a variable that this one holds: its linkage name, or one
 * made from its serial. In the module's arena; NULL: memory ran out. */
const char *geo_ir_shared_name(struct geo_ir_module *module,
                               const struct geo_ir_variable *variable);

#endif
