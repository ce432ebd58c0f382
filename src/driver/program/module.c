/* Module objects: built from SPIR-V by the compiler library, or loaded from native binaries. See
 * module.h. */
#include "driver/program/module.h"

#include "driver/compile/build.h"
#include "driver/core/inventory.h"
#include "driver/program/module_complete.h"
#include "driver/program/module_counted.h"
#include "driver/program/module_deferred.h"

#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t next_id;

static void module_destroy(struct geo_object *object)
{
    struct geo_module *module = (struct geo_module *)object;
    struct geo_module_part *part = geo_module_part(module);
    while (module->functions) {
        struct geo_module_function *function = module->functions;
        module->functions = function->next;
        geo_module_code_unref(function->code);
        free(function);
    }
    GEO_ASSERT(!part || part->binary == module->binary);
    geo_module_deferred_destroy(module);
    geo_module_complete_destroy(module);
    geo_module_counted_destroy(module);
    geo_module_code_unref(part ? part->code : NULL);
    geo_module_binary_unref(module->binary);
    geo_object_unref(&module->context->base);
    free(module);
}

static struct geo_module *module_new(struct geo_context *context, struct geo_device *device)
{
    struct geo_module *module = calloc(1, sizeof(*module));
    GEO_ASSERT(context->base.driver == device->base.driver);
    if (module) {
        geo_object_init(&module->base, GEO_OBJECT_MODULE, device->base.driver, module_destroy);
        geo_object_ref(&context->base);
        module->context = context;
        module->device = device;
        module->id = 1 + atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
    }
    return module;
}

void geo_module_set_part(struct geo_module *module, struct geo_module_part *part)
{
    GEO_ASSERT(!geo_module_part(module));
    GEO_ASSERT(part->binary == module->binary && part->native && part->program);
    geo_module_code_ref(part->code);
    atomic_store_explicit(&module->part, part, memory_order_release);
}

const struct geo_native_payload *geo_module_payload(const struct geo_module *module,
                                                    char reason[GEO_NATIVE_REASON_BYTES])
{
    const struct geo_device_info *info = module->device->info;
    const struct geo_native_view *view = &module->binary->view;
    const struct geo_native_payload *payload = geo_native_choose(view, &info->native, reason);
    return payload || info->executes || !view->header->payload_count ? payload : view->payloads;
}

/* Rejects a binary without code that the device can run. */
static ze_result_t payload_check(const struct geo_module *module, struct geo_strbuf *log)
{
    char reason[GEO_NATIVE_REASON_BYTES];
    if (geo_module_payload(module, reason) || !module->device->info->executes) {
        return ZE_RESULT_SUCCESS;
    }
    static const char remedy[] = "build the SPIR-V on this machine, with GEOID_CPU unset";
    geo_strbuf_printf(log, "error: native binary refused: %s: %s\n", reason, remedy);
    return geo_fail(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "native binary refused: %s: %s", reason,
                    remedy);
}

/* Loads the code of a module without imports, in a set of its own. */
static ze_result_t code_load(struct geo_module *module, struct geo_strbuf *log)
{
    struct geo_module_code *code = geo_module_code_create(module->base.driver->ops->program,
                                                          module->device->backend_device, 1);
    if (!code) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a module");
    }
    ze_result_t result = geo_module_code_part_init(&code->parts[0], module->binary);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_module_code_part_load(&code->parts[0], module->binary, log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        geo_module_set_part(module, &code->parts[0]);
    }
    geo_module_code_unref(code);
    return result;
}

/* Prepares deferred and restricted kernels. Only our own compiler makes such binaries: a program
 * that passes one has forged it. */
static ze_result_t kernels_prepare(struct geo_module *module, bool own, struct geo_strbuf *log)
{
    bool defers = geo_module_binary_defers(module->binary);
    if (!defers && !geo_module_binary_restricts(module->binary)) {
        return ZE_RESULT_SUCCESS;
    }
    if (!own || module->import_count || module->binary->view.header->source_count == 0) {
        const char *lack = defers ? "have no code" : "lack code for some launches";
        geo_strbuf_printf(log, "error: native binary refused: its kernels %s\n", lack);
        return geo_fail(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY,
                        "native binary refused: its kernels %s", lack);
    }
    GEO_CHECK(geo_module_complete_create(module));
    return defers ? geo_module_deferred_create(module, module->binary) : ZE_RESULT_SUCCESS;
}

/* Copies, checks and loads the native binary. `own`: the compiler has just made it. */
static ze_result_t module_load(struct geo_module *module, const void *bytes, size_t size, bool own,
                               struct geo_strbuf *log)
{
    GEO_ASSERT(!module->binary && !geo_module_part(module));
    GEO_CHECK(geo_module_binary_create(bytes, size, &module->binary, log));
    GEO_CHECK(payload_check(module, log));
    module->import_count = geo_module_binary_count(module->binary, GEO_SYMBOLS_IMPORTS);
    GEO_CHECK(kernels_prepare(module, own, log));
    GEO_CHECK(module->import_count ? ZE_RESULT_SUCCESS : code_load(module, log));
    return own && module->deferred && geo_build_kernels() == GEO_COMPILER_KERNELS_APART
               ? geo_module_deferred_build_all(module, log)
               : ZE_RESULT_SUCCESS;
}

static ze_result_t module_create(struct geo_context *context, struct geo_device *device,
                                 const void *bytes, size_t size, bool own, struct geo_strbuf *log,
                                 struct geo_module **out)
{
    struct geo_module *module = module_new(context, device);
    if (!module) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a module");
    }
    ze_result_t result = module_load(module, bytes, size, own, log);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&module->base);
        return result;
    }
    *out = module;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_module_create_native(struct geo_context *context, struct geo_device *device,
                                     const void *bytes, size_t size, struct geo_strbuf *log,
                                     struct geo_module **out)
{
    return module_create(context, device, bytes, size, false, log, out);
}

static ze_result_t module_build(struct geo_device *device,
                                const struct geo_compiler_source *sources, uint32_t source_count,
                                struct geo_strbuf *log, struct geo_build *build)
{
    const struct geo_compiler_request request = {
        .source_count = source_count,
        .sources = sources,
        .kernels = geo_build_kernels(),
        .restricted = geo_build_kernels_restricted(),
        .instrumented = geo_inventory_instruments(),
        .near_null = geo_build_near_null(),
        .target_cpu = device->info->target_cpu,
    };
    ze_result_t result = geo_build_make(&request, log, build);
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE) {
        return geo_fail(result, "the module did not build: %.200s",
                        build->log[0] ? build->log : "no reason given");
    }
    return result;
}

ze_result_t geo_module_create_spirv(struct geo_context *context, struct geo_device *device,
                                    const struct geo_compiler_source *sources,
                                    uint32_t source_count, struct geo_strbuf *log,
                                    struct geo_module **out)
{
    struct geo_build build;
    ze_result_t result = module_build(device, sources, source_count, log, &build);
    if (result == ZE_RESULT_SUCCESS) {
        result = module_create(context, device, build.binary, build.binary_bytes, true, log, out);
        if (result == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY) {
            result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE; /* an error of our own compiler */
        }
    }
    geo_build_finish(&build);
    return result;
}

ze_result_t geo_module_check_linked(const struct geo_module *module)
{
    if (geo_module_part(module)) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_ASSERT(module->binary && module->import_count > 0);
    const struct geo_native_view *view = &module->binary->view;
    const char *name = "";
    for (uint32_t i = 0; i < view->header->symbol_count && !name[0]; i++) {
        if (GEO_SYMBOLS_IMPORTS & (1u << view->symbols[i].kind)) {
            name = geo_native_string(view, view->symbols[i].name);
        }
    }
    return geo_fail(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED,
                    "the module has %u unresolved imports, for example %.100s: link it with "
                    "zeModuleDynamicLink",
                    module->import_count, name);
}

void geo_module_list_symbols(const struct geo_module *module, uint32_t kinds,
                             struct geo_strbuf *log)
{
    static const char *const names[] = {
        [GEO_SYMBOL_IMPORT_FUNCTION] = "imported function",
        [GEO_SYMBOL_IMPORT_VARIABLE] = "imported variable",
        [GEO_SYMBOL_EXPORT_FUNCTION] = "exported function",
        [GEO_SYMBOL_EXPORT_VARIABLE] = "exported variable",
        [GEO_SYMBOL_SHARED_VARIABLE] = "private variable",
    };
    const struct geo_native_view *view = &module->binary->view;
    for (uint32_t i = 0; i < view->header->symbol_count; i++) {
        const struct geo_native_symbol *symbol = &view->symbols[i];
        if (kinds & (1u << symbol->kind)) {
            geo_strbuf_printf(log, "%s %s\n", names[symbol->kind],
                              geo_native_string(view, symbol->name));
        }
    }
}
