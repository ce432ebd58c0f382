/* The compiler's model as text, for dumps and messages of tests. */
#ifndef GEO_COMPILER_IR_PRINT_H
#define GEO_COMPILER_IR_PRINT_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

/* For people and tests: one instruction a line, close to spirv-dis. */
void geo_ir_print(const struct geo_ir_module *module, struct geo_strbuf *out);

#endif
