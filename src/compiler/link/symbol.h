/* Names of symbols: by which a unit's code and data are found from another unit (units.h), and by
 * which its machine code refers to them. Lowering and the native binary both use these
 * functions. */
#ifndef GEO_COMPILER_LINK_SYMBOL_H
#define GEO_COMPILER_LINK_SYMBOL_H

#include "compiler/ir/ir.h"

/* Returns whether a variable stays in the loaded code of its own module when code of another build
 * uses it. That is so if it can be written or has a name there. Other constants are copied. */
bool geo_symbol_stays(const struct geo_ir_variable *variable);
/* Returns the name by which other modules find a variable of this module: its linkage name, or one
 * made from its serial. The text is in the module's arena; NULL when memory runs out. */
const char *geo_symbol_shared(struct geo_ir_module *module, const struct geo_ir_variable *variable);
/* Writes the symbol name of a function's descriptor (native/abi.h). */
void geo_symbol_descriptor(const struct geo_ir_function *function, char *text, size_t size);
/* Writes the symbol name by which code refers to a GEO_LINKAGE_EXTERNAL variable. */
void geo_symbol_external(const struct geo_ir_variable *variable, char *text, size_t size);

#endif
