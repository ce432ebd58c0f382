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

#endif
