/* Modules: native code of one device, built from SPIR-V or given as it is.
 *
 * Whatever the source, a module holds one native binary (compiler/native.h), the checked view into
 * it and the backend's loaded program. A module whose imports nobody resolves has no program; no
 * kernel can be made of it. */
#ifndef GEO_DRIVER_CORE_MODULE_H
#define GEO_DRIVER_CORE_MODULE_H

#include "base/strbuf.h"
#include "compiler/compiler.h"
#include "compiler/native.h"
#include "driver/core/context.h"

struct geo_module {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;
    void *object; /* the native binary, owned */
    size_t object_bytes;
    struct geo_native_view view;
    struct geo_backend_program *program; /* NULL: unresolved imports */
    uint32_t import_count;
    uint64_t id;
};

GEO_OBJECT_HANDLE(module, GEO_OBJECT_MODULE, ze_module_handle_t)

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

/* INVALID_MODULE_UNLINKED while imports are unresolved. */
ze_result_t geo_module_check_linked(const struct geo_module *module);

/* Adds one line per symbol of these kinds (bits 1 << enum geo_symbol_kind); returns how many. */
uint32_t geo_module_list_symbols(const struct geo_module *module, uint32_t kinds,
                                 struct geo_strbuf *log);

/* The symbol of this kind and name; NULL when there is none. */
const struct geo_native_symbol *geo_module_find_symbol(const struct geo_module *module,
                                                       enum geo_symbol_kind kind, const char *name);

#endif
