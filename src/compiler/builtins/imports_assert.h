/* Replaces calls that report a failed assertion. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_ASSERT_H
#define GEO_COMPILER_BUILTINS_IMPORTS_ASSERT_H

#include "compiler/builtins/write.h"

/* Replaces a call of the import `name`. Returns false if it is another function, its arguments do
 * not fit, or memory runs out. */
bool geo_builtins_imports_assert(struct geo_writer *writer, struct geo_ir_inst *call,
                                 const char *name);

#endif
