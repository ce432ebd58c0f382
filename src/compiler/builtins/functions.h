/* Library functions that a module uses: each is read and copied in when it is first asked for. */
#ifndef GEO_COMPILER_BUILTINS_FUNCTIONS_H
#define GEO_COMPILER_BUILTINS_FUNCTIONS_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

/* Those that are in the module already, by name. Starts with module and log alone. */
struct geo_builtins_functions {
    struct geo_ir_module *module;
    struct geo_strbuf *log;
    struct {
        const char *name;
        struct geo_ir_function *function;
    } *items;
    size_t count, capacity;
};

/* The function of this mangled name. NULL and *out_of_memory false: the library has none. */
struct geo_ir_function *geo_builtins_function(struct geo_builtins_functions *functions,
                                              const char *mangled, bool *out_of_memory);
void geo_builtins_functions_finish(struct geo_builtins_functions *functions);

#endif
