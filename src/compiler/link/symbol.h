/* Names by which code and data of one unit are found from another (units.h), and by which a unit
 * refers to its own in machine code. Made here alone; lowering and the native binary use them. */
#ifndef GEO_COMPILER_LINK_SYMBOL_H
#define GEO_COMPILER_LINK_SYMBOL_H

#include "compiler/ir/ir.h"

/* The name by which other modules find a variable that this one holds: its linkage name, or one
 * made from its serial. In the module's arena; NULL: memory ran out. */
const char *geo_symbol_shared(struct geo_ir_module *module, const struct geo_ir_variable *variable);
/* The symbol of a function's descriptor (native/abi.h). */
void geo_symbol_descriptor(const struct geo_ir_function *function, char *text, size_t size);
/* The symbol that code refers to a GEO_LINKAGE_EXTERNAL variable by. */
void geo_symbol_external(const struct geo_ir_variable *variable, char *text, size_t size);

#endif
