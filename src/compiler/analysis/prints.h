/* printf in the model: its arguments' types, and formats that do not fit them. */
#ifndef GEO_COMPILER_ANALYSIS_PRINTS_H
#define GEO_COMPILER_ANALYSIS_PRINTS_H

#include "base/cl_printf.h"
#include "compiler/ir/ir.h"

bool geo_print_is(const struct geo_ir_inst *inst);

/* The type of an argument as printf's formatter wants it; false: nothing that can be printed. */
bool geo_print_type(const struct geo_ir_type *type, struct geo_cl_type *out);

/* Notes in the log which directives will be printed as they stand, where the format is known. */
void geo_print_check(const struct geo_ir_module *module, struct geo_strbuf *log);

#endif
