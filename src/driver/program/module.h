/* Modules: native code for one device, built from SPIR-V or passed as a native binary.
 *
 * In both cases a module contains one native binary (native/native.h) and the code that was loaded
 * for it (module_code.h). A module with imports has no code and cannot create kernels until it is
 * linked (module_link.h). Kernels of a large module have no code until they are created
 * (module_deferred.h). */
#ifndef GEO_DRIVER_PROGRAM_MODULE_H
#define GEO_DRIVER_PROGRAM_MODULE_H

#include "base/strbuf.h"
#include "compiler/compiler.h"
#include "driver/core/context.h"
#include "driver/program/module_code.h"

/* Code for an exported function that zeModuleGetFunctionPointer requested, if the module's own code
 * has no descriptor for it. */
struct geo_module_function {
    struct geo_module_function *next;
    struct geo_module_code *code; /* referenced */
    void *address;
    char name[];
};

/* A module of the application. Its kernels, and lists that launch them, reference it. */
struct geo_module {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;
    struct geo_module_binary *binary; /* as it was created; it has all names */
    /* set once, with a reference to its code; NULL: not linked yet */
    _Atomic(struct geo_module_part *) part;
    struct geo_module_function *functions; /* protected by the link lock */
    struct geo_module_deferred *deferred;  /* kernels built later; NULL: the code has all kernels */
    struct geo_module_complete *complete;  /* NULL: its binary is complete (module_complete.h) */
    /* kernels with counters; made at the first need (module_counted.h) */
    _Atomic(struct geo_module_counted *) counted;
    struct geo_module *next_ahead; /* owned by module_ahead.c */
    uint32_t import_count;
    uint64_t id;
};

GEO_OBJECT_HANDLE(module, GEO_OBJECT_MODULE, ze_module_handle_t)

/* Returns the loaded code, or NULL while imports are unresolved. */
static inline struct geo_module_part *geo_module_part(const struct geo_module *module)
{
    return atomic_load_explicit(&module->part, memory_order_acquire);
}

/* Compiles and loads a module. The log explains errors: MODULE_BUILD_FAILURE,
 * DEPENDENCY_UNAVAILABLE without a compiler, OUT_OF_*_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_module_create_spirv(struct geo_context *context,
                                                   struct geo_device *device,
                                                   const struct geo_compiler_source *sources,
                                                   uint32_t source_count, struct geo_strbuf *log,
                                                   struct geo_module **out);

/* Checks and loads a native binary. Returns INVALID_NATIVE_BINARY with the reason in the log. */
GEO_MUST_CHECK ze_result_t geo_module_create_native(struct geo_context *context,
                                                    struct geo_device *device, const void *bytes,
                                                    size_t size, struct geo_strbuf *log,
                                                    struct geo_module **out);

/* Returns the payload of the module's binary that its device runs, or NULL with a reason. A device
 * that executes nothing takes any payload. */
const struct geo_native_payload *geo_module_payload(const struct geo_module *module,
                                                    char reason[GEO_NATIVE_REASON_BYTES]);

/* Returns the number of cores of the module's device. */
static inline uint32_t geo_module_cores(const struct geo_module *module)
{
    const struct geo_device_info *info = module->device->info;
    return info->threads_per_eu * info->eus_per_subslice * info->subslices_per_slice * info->slices;
}

/* Sets the module's code. Called once. */
void geo_module_set_part(struct geo_module *module, struct geo_module_part *part);

/* Returns INVALID_MODULE_UNLINKED while imports are unresolved. */
ze_result_t geo_module_check_linked(const struct geo_module *module);

/* Adds a line to the log for each symbol of these kinds (bits 1 << enum geo_symbol_kind). */
void geo_module_list_symbols(const struct geo_module *module, uint32_t kinds,
                             struct geo_strbuf *log);

#endif
