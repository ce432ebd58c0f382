/* Copies slices of the embedded library into the module, as functions. See functions.h. */
#include "compiler/builtins/functions.h"

#include "base/array.h"
#include "compiler/builtins/library.h"
#include "compiler/link/copy.h"
#include "compiler/spirv/reader.h"

#include <string.h>

static struct geo_ir_function *slice_copy(struct geo_builtins_functions *functions,
                                          const void *slice, size_t bytes, const char *name,
                                          bool *out_of_memory)
{
    struct geo_ir_module *library;
    struct geo_ir_function *found = NULL;
    ze_result_t result = geo_spirv_read(slice, bytes, &library, functions->log);
    if (result != ZE_RESULT_SUCCESS) {
        *out_of_memory = true; /* slices are valid, so only memory can be the cause */
        return NULL;
    }
    geo_ir_for_each_function(function, library) {
        function->control =
            0; /* libclc is built without optimisation, so DontInline has no meaning */
        if (function->linkage_name && strcmp(function->linkage_name, name) == 0) {
            found = function;
        }
    }
    found = found ? geo_copy_function(functions->module, found) : NULL;
    geo_ir_module_destroy(library);
    *out_of_memory |= found == NULL;
    return found;
}

struct geo_ir_function *geo_builtins_function(struct geo_builtins_functions *functions,
                                              const char *mangled, bool *out_of_memory)
{
    size_t bytes;
    for (size_t i = 0; i < functions->count; i++) {
        if (strcmp(functions->items[i].name, mangled) == 0) {
            return functions->items[i].function;
        }
    }
    const void *slice = geo_builtins_library_slice(mangled, &bytes);
    if (!slice) {
        return NULL;
    }
    struct geo_ir_function *function = slice_copy(functions, slice, bytes, mangled, out_of_memory);
    const char *name = geo_arena_string(&functions->module->arena, mangled, strlen(mangled));
    if (!function || !name || !geo_array_reserve(functions, 1)) {
        *out_of_memory = true;
        return NULL;
    }
    functions->items[functions->count].name = name;
    functions->items[functions->count++].function = function;
    return function;
}

void geo_builtins_functions_finish(struct geo_builtins_functions *functions)
{
    geo_array_finish(functions);
}
