/* What a module wants from other modules and what it gives to them.
 *
 * Exports are found in the module as it was read, imports after built-ins were resolved: what is
 * left then without a body, and is reached, somebody else has to define. */
#ifndef GEO_COMPILER_LINK_LINKAGE_H
#define GEO_COMPILER_LINK_LINKAGE_H

#include "compiler/ir/ir.h"

struct geo_linkage_symbol {
    struct geo_ir_value *value;             /* a function or a variable */
    const char *name;                       /* its linkage name */
    const struct geo_ir_function *function; /* imports: who uses it; NULL: an initialiser */
    bool weak;                              /* exports: LinkOnceODR */
};

struct geo_linkage_symbols {
    struct geo_linkage_symbol *items;
    size_t count, capacity;
};

struct geo_linkage {
    struct geo_linkage_symbols exports, imports;
};

/* Lists the exports and marks the variables behind exported functions as shared. False when memory
 * ran out. */
bool geo_linkage_find_exports(struct geo_ir_module *module, struct geo_linkage *linkage);
/* Lists the imports, each once. False when memory ran out. */
bool geo_linkage_find_imports(struct geo_ir_module *module, struct geo_linkage *linkage);
void geo_linkage_finish(struct geo_linkage *linkage);

#endif
