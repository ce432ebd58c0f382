/* Built-in functions that a module imports to report a failed assertion. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_ASSERT_H
#define GEO_COMPILER_BUILTINS_IMPORTS_ASSERT_H

#include "compiler/builtins/write.h"

/* Replaces a call of the import `name`. False: it is none of these, its arguments do not fit, or
 * memory ran out. */
bool geo_builtins_assert(struct geo_writer *writer, struct geo_ir_inst *call, const char *name);

#endif
