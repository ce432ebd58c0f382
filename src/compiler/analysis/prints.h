/* printf in the model: types of arguments, and formats that do not fit them. */
#ifndef GEO_COMPILER_ANALYSIS_PRINTS_H
#define GEO_COMPILER_ANALYSIS_PRINTS_H

#include "base/cl_printf.h"
#include "compiler/ir/ir.h"

/* Returns whether an instruction is a call of printf. */
bool geo_print_is(const struct geo_ir_inst *inst);

/* Describes the type of an argument for printf's formatter. Returns false if the type cannot be
 * printed. */
bool geo_print_type(const struct geo_ir_type *type, struct geo_cl_type *out);

/* Logs a note for each directive of a known format that will be printed literally. */
void geo_print_check(const struct geo_ir_module *module, struct geo_strbuf *log);

#endif
