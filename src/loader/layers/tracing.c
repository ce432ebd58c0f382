/* The tracing functions that the loader exports. They forward to the tracing layer, which the first
 * of them opens, even before initialisation. Without the layer they return UNSUPPORTED_FEATURE.
 * They also work after the teardown, because tools destroy their tracers late. */
#include "loader/layers/tracing.h"

#include "ddi/geo_loader_own.h"
#include "loader/layers/layers.h"
#include "loader/state/state.h"

#include <geoid/tracing.h>
#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/loader/ze_loader.h>

/* Fetches the layer's table of tracer functions. Returns false when the layer is missing. */
static bool tracer_table(zel_tracer_dditable_t *table)
{
    zel_pfnGetTracerApiProcAddrTable_t get =
        (zel_pfnGetTracerApiProcAddrTable_t)geo_layers_tracing_symbol(
            "zelGetTracerApiProcAddrTable");
    *table = (zel_tracer_dditable_t){0};
    return get && get(ZE_API_VERSION_CURRENT, table) == ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerCreate(const zel_tracer_desc_t *desc,
                                                    zel_tracer_handle_t *phTracer)
{
    zel_tracer_dditable_t table;
    return tracer_table(&table) ? table.pfnCreate(desc, phTracer)
                                : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerDestroy(zel_tracer_handle_t hTracer)
{
    zel_tracer_dditable_t table;
    return tracer_table(&table) ? table.pfnDestroy(hTracer) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetPrologues(zel_tracer_handle_t hTracer,
                                                          zel_core_callbacks_t *pCoreCbs)
{
    zel_tracer_dditable_t table;
    return tracer_table(&table) ? table.pfnSetPrologues(hTracer, pCoreCbs)
                                : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetEpilogues(zel_tracer_handle_t hTracer,
                                                          zel_core_callbacks_t *pCoreCbs)
{
    zel_tracer_dditable_t table;
    return tracer_table(&table) ? table.pfnSetEpilogues(hTracer, pCoreCbs)
                                : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetEnabled(zel_tracer_handle_t hTracer,
                                                        ze_bool_t enable)
{
    zel_tracer_dditable_t table;
    return tracer_table(&table) ? table.pfnSetEnabled(hTracer, enable)
                                : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerResetAllCallbacks(zel_tracer_handle_t hTracer)
{
    ze_result_t(ZE_APICALL * reset)(zel_tracer_handle_t) = (ze_result_t(ZE_APICALL *)(
        zel_tracer_handle_t))geo_layers_tracing_symbol("zelTracerResetAllCallbacks");
    return reset ? reset(hTracer) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* All registration functions are called through one function type, because they differ only in the
 * type of the callback. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
ze_result_t geo_loader_register_callback(const char *function, zel_tracer_handle_t tracer,
                                         zel_tracer_reg_t when, geo_loader_callback callback)
{
    ze_result_t(ZE_APICALL * call)(zel_tracer_handle_t, zel_tracer_reg_t, geo_loader_callback) =
        (ze_result_t(ZE_APICALL *)(zel_tracer_handle_t, zel_tracer_reg_t,
                                   geo_loader_callback))geo_layers_tracing_symbol(function);
    return call ? call(tracer, when, callback) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL geoidTracerRegisterCallback(zel_tracer_handle_t hTracer,
                                                                const char *function,
                                                                zel_tracer_reg_t callback_type,
                                                                geoid_tracer_callback_t callback)
{
    geoid_pfnTracerRegisterCallback_t call =
        (geoid_pfnTracerRegisterCallback_t)geo_layers_tracing_symbol("geoidTracerRegisterCallback");
    return call ? call(hTracer, function, callback_type, callback)
                : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* Fills the table with the functions above, at any time. Shims refuse a loader whose tracing table
 * cannot be filled. */
ZE_DLLEXPORT ze_result_t ZE_APICALL zelGetTracerApiProcAddrTable(ze_api_version_t version,
                                                                 zel_tracer_dditable_t *pDdiTable)
{
    if (!pDdiTable) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if (ZE_MAJOR_VERSION((uint32_t)version) != 1) {
        return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    }
    *pDdiTable = (zel_tracer_dditable_t){
        .pfnCreate = zelTracerCreate,
        .pfnDestroy = zelTracerDestroy,
        .pfnSetPrologues = zelTracerSetPrologues,
        .pfnSetEpilogues = zelTracerSetEpilogues,
        .pfnSetEnabled = zelTracerSetEnabled,
    };
    return ZE_RESULT_SUCCESS;
}

/* ---- the older experimental functions: always the layer's, never the driver's ---- */

/* Returns the layer's table of experimental tracers, or NULL. It is NULL before a driver is listed,
 * because these tracers belong to contexts, and when the layer is missing. It is also NULL when the
 * layer leaves these slots alone, because its table would then lead back here. */
static const zet_tracer_exp_dditable_t *old_table(void)
{
    if (!atomic_load(&geo_loader_state.core_list)) {
        return NULL;
    }
    const struct geo_ddi_table_set *tables = geo_layers_tracing_tables();
    const bool there =
        tables && tables->zet.TracerExp.pfnCreate != geo_loader_relays.zet.TracerExp.pfnCreate;
    return there ? &tables->zet.TracerExp : NULL;
}

ze_result_t ZE_APICALL geo_own_zetTracerExpCreate(zet_context_handle_t hContext,
                                                  const zet_tracer_exp_desc_t *desc,
                                                  zet_tracer_exp_handle_t *phTracer)
{
    const zet_tracer_exp_dditable_t *table = old_table();
    return table ? table->pfnCreate(hContext, desc, phTracer)
                 : geo_loader_missing(GEO_DDI_FN_zetTracerExpCreate);
}

ze_result_t ZE_APICALL geo_own_zetTracerExpDestroy(zet_tracer_exp_handle_t hTracer)
{
    const zet_tracer_exp_dditable_t *table = old_table();
    return table ? table->pfnDestroy(hTracer) : geo_loader_missing(GEO_DDI_FN_zetTracerExpDestroy);
}

ze_result_t ZE_APICALL geo_own_zetTracerExpSetPrologues(zet_tracer_exp_handle_t hTracer,
                                                        zet_core_callbacks_t *pCoreCbs)
{
    const zet_tracer_exp_dditable_t *table = old_table();
    return table ? table->pfnSetPrologues(hTracer, pCoreCbs)
                 : geo_loader_missing(GEO_DDI_FN_zetTracerExpSetPrologues);
}

ze_result_t ZE_APICALL geo_own_zetTracerExpSetEpilogues(zet_tracer_exp_handle_t hTracer,
                                                        zet_core_callbacks_t *pCoreCbs)
{
    const zet_tracer_exp_dditable_t *table = old_table();
    return table ? table->pfnSetEpilogues(hTracer, pCoreCbs)
                 : geo_loader_missing(GEO_DDI_FN_zetTracerExpSetEpilogues);
}

ze_result_t ZE_APICALL geo_own_zetTracerExpSetEnabled(zet_tracer_exp_handle_t hTracer,
                                                      ze_bool_t enable)
{
    const zet_tracer_exp_dditable_t *table = old_table();
    return table ? table->pfnSetEnabled(hTracer, enable)
                 : geo_loader_missing(GEO_DDI_FN_zetTracerExpSetEnabled);
}
