/* The library functions that a module uses. Each is read and copied into the module on the first
 * request. */
#ifndef GEO_COMPILER_BUILTINS_FUNCTIONS_H
#define GEO_COMPILER_BUILTINS_FUNCTIONS_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

/* The functions that are already in the module, by name. Initialise it with module and log. */
struct geo_builtins_functions {
    struct geo_ir_module *module;
    struct geo_strbuf *log;
    struct {
        const char *name;
        struct geo_ir_function *function;
    } *items;
    size_t count, capacity;
};

/* Returns the function with a mangled name. Returns NULL if the library lacks it, or with
 * *out_of_memory set if memory runs out. */
struct geo_ir_function *geo_builtins_function(struct geo_builtins_functions *functions,
                                              const char *mangled, bool *out_of_memory);
/* Frees the list. The functions belong to the module. */
void geo_builtins_functions_finish(struct geo_builtins_functions *functions);

#endif
