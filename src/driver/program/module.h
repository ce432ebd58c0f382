/* Modules: native code of one device, built from SPIR-V or given as it is.
 *
 * Whatever the source, a module holds one native binary (native/native.h), and the code that was
 * loaded for it (module_code.h). A module with imports has no code until it is linked
 * (module_link.h); no kernel can be made of it. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_H
#define GEO_DRIVER_PROGRAM_MODULE_H

#include "base/strbuf.h"
#include "compiler/compiler.h"
#include "driver/core/context.h"
#include "driver/program/module_code.h"

/* Code for an exported function that was asked for by zeModuleGetFunctionPointer and that the
 * module's own code has no descriptor of. */
struct geo_module_function {
    struct geo_module_function *next;
    struct geo_module_code *code; /* referenced */
    void *address;
    char name[];
};

struct geo_module {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;
    struct geo_module_binary *source;       /* as it was created; names come from here */
    _Atomic(struct geo_module_part *) part; /* set once, its code referenced; NULL: not linked */
    struct geo_module_function *functions;  /* under the lock of linking */
    uint32_t import_count;
    uint64_t id;
};

GEO_OBJECT_HANDLE(module, GEO_OBJECT_MODULE, ze_module_handle_t)

/* The loaded code; NULL while imports are unresolved. */
static inline struct geo_module_part *geo_module_part(const struct geo_module *module)
{
    return atomic_load_explicit(&module->part, memory_order_acquire);
}

/* Compiles and loads. Errors are explained in the log: MODULE_BUILD_FAILURE,
 * DEPENDENCY_UNAVAILABLE when there is no compiler, OUT_OF_*_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_module_create_spirv(struct geo_context *context,
                                                   struct geo_device *device,
                                                   const struct geo_compiler_source *sources,
                                                   uint32_t source_count, struct geo_strbuf *log,
                                                   struct geo_module **out);

/* Checks and loads. INVALID_NATIVE_BINARY with the reason in the log. */
GEO_MUST_CHECK ze_result_t geo_module_create_native(struct geo_context *context,
                                                    struct geo_device *device, const void *bytes,
                                                    size_t size, struct geo_strbuf *log,
                                                    struct geo_module **out);

/* Gives a module its code. Once. */
void geo_module_set_part(struct geo_module *module, struct geo_module_part *part);

/* INVALID_MODULE_UNLINKED while imports are unresolved. */
ze_result_t geo_module_check_linked(const struct geo_module *module);

/* Adds one line per symbol of these kinds (bits 1 << enum geo_symbol_kind). */
void geo_module_list_symbols(const struct geo_module *module, uint32_t kinds,
                             struct geo_strbuf *log);

#endif
