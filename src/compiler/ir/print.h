/* The model as text, for dumps and test messages. */
#ifndef GEO_COMPILER_IR_PRINT_H
#define GEO_COMPILER_IR_PRINT_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

/* Appends the text of a module, one instruction a line, similar to spirv-dis. Renumbers the
 * functions. */
void geo_ir_print(const struct geo_ir_module *module, struct geo_strbuf *out);

#endif
