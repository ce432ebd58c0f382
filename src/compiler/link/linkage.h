/* Lists what a module imports from other modules and exports to them.
 *
 * Exports are listed for the module as it was read. Imports are listed after built-ins are
 * resolved: reachable functions and variables that are still undefined. */
#ifndef GEO_COMPILER_LINK_LINKAGE_H
#define GEO_COMPILER_LINK_LINKAGE_H

#include "compiler/ir/ir.h"

/* A function or variable that modules share. */
struct geo_linkage_symbol {
    struct geo_ir_value *value; /* a function or a variable */
    const char *name;           /* its linkage name */
    /* imports: a function that uses it; NULL: an initialiser does */
    const struct geo_ir_function *function;
    bool weak; /* exports: LinkOnceODR */
};

struct geo_linkage_symbols {
    struct geo_linkage_symbol *items;
    size_t count, capacity;
};

/* Exports and imports of a module. Valid as long as the module; the lists themselves are freed by
 * geo_linkage_finish. */
struct geo_linkage {
    struct geo_linkage_symbols exports, imports;
};

/* Lists the exports, and marks the variables that exported functions use as shared. Returns false
 * when memory runs out. */
bool geo_linkage_find_exports(struct geo_ir_module *module, struct geo_linkage *linkage);
/* Marks the variables that kernels use as shared, so that kernels built apart find them. Returns
 * false when memory runs out. */
bool geo_linkage_share(struct geo_ir_module *module);
/* Prepares the build of a kernel apart from its module, which is loaded as unit `unit`: variables
 * that stay there become external, and nothing is exported. Their initial values remain, since a
 * constant's may be folded. Called after other units are linked. Returns false when memory runs
 * out. */
bool geo_linkage_detach(struct geo_ir_module *module, uint32_t unit);
/* Lists the imports, each once. Returns false when memory runs out. */
bool geo_linkage_find_imports(struct geo_ir_module *module, struct geo_linkage *linkage);
/* Frees the lists. */
void geo_linkage_finish(struct geo_linkage *linkage);

#endif
