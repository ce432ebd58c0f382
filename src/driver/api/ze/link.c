/* API functions that link modules and report their imports and exports (program/module_link.h). */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/program/build_log.h"
#include "driver/program/module_link.h"

static ze_result_t modules_resolve(uint32_t count, ze_module_handle_t *handles)
{
    if (count == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "numModules is 0");
    }
    for (uint32_t i = 0; i < count; i++) {
        struct geo_module *module;
        GEO_CHECK(geo_module_from(handles[i], &module));
    }
    return ZE_RESULT_SUCCESS;
}

static struct geo_module *module_of(ze_module_handle_t handle)
{
    return (struct geo_module *)(void *)handle; /* checked by modules_resolve */
}

/* Passes the log to the application, or frees it. */
static void log_give(struct geo_build_log *log, ze_module_build_log_handle_t *out)
{
    if (out) {
        *out = geo_build_log_handle(log);
    } else {
        geo_object_close(&log->base);
    }
}

ze_result_t geo_zeModuleDynamicLink(uint32_t numModules, ze_module_handle_t *phModules,
                                    ze_module_build_log_handle_t *phLinkLog)
{
    GEO_CHECK(modules_resolve(numModules, phModules));
    struct geo_build_log *log = geo_build_log_create(module_of(phModules[0])->base.driver);
    if (!log) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a link log");
    }
    /* A handle is the address of its object, so an array of handles is an array of modules. */
    ze_result_t result =
        geo_module_link(numModules, (struct geo_module *const *)(void *)phModules, &log->text);
    log_give(log, result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ? NULL : phLinkLog);
    return result;
}

/* Returns whether one of the modules exports this import. */
static bool import_resolvable(uint32_t count, ze_module_handle_t *modules, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (geo_module_binary_symbol(module_of(modules[i])->binary, GEO_SYMBOLS_EXPORTS, name)) {
            return true;
        }
    }
    return false;
}

static void unresolvable_list(uint32_t count, ze_module_handle_t *modules, struct geo_strbuf *log)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_native_view *view = &module_of(modules[i])->binary->view;
        for (uint32_t k = 0; k < view->header->symbol_count; k++) {
            const char *name = geo_native_string(view, view->symbols[k].name);
            if ((GEO_SYMBOLS_IMPORTS & (1u << view->symbols[k].kind)) &&
                !import_resolvable(count, modules, name)) {
                geo_strbuf_printf(log, "unresolvable import %s\n", name);
            }
        }
    }
}

ze_result_t geo_zeModuleInspectLinkageExt(ze_linkage_inspection_ext_desc_t *pInspectDesc,
                                          uint32_t numModules, ze_module_handle_t *phModules,
                                          ze_module_build_log_handle_t *phLog)
{
    GEO_CHECK(modules_resolve(numModules, phModules));
    struct geo_build_log *log = geo_build_log_create(module_of(phModules[0])->base.driver);
    if (!log) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a linkage log");
    }
    uint32_t kinds = 0;
    if (pInspectDesc->flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS) {
        kinds |= GEO_SYMBOLS_IMPORTS;
    }
    if (pInspectDesc->flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS) {
        kinds |= GEO_SYMBOLS_EXPORTS;
    }
    for (uint32_t i = 0; i < numModules; i++) {
        geo_module_list_symbols(module_of(phModules[i]), kinds, &log->text);
    }
    if (pInspectDesc->flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS) {
        unresolvable_list(numModules, phModules, &log->text);
    }
    log_give(log, phLog);
    return ZE_RESULT_SUCCESS;
}
