/* The tracing functions that the loader exports while there is no tracing layer: all are there,
 * none does anything. */
#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/loader/ze_loader.h>

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerCreate(const zel_tracer_desc_t *desc,
                                                    zel_tracer_handle_t *phTracer)
{
    (void)desc, (void)phTracer;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerDestroy(zel_tracer_handle_t hTracer)
{
    (void)hTracer;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetPrologues(zel_tracer_handle_t hTracer,
                                                          zel_core_callbacks_t *pCoreCbs)
{
    (void)hTracer, (void)pCoreCbs;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetEpilogues(zel_tracer_handle_t hTracer,
                                                          zel_core_callbacks_t *pCoreCbs)
{
    (void)hTracer, (void)pCoreCbs;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetEnabled(zel_tracer_handle_t hTracer,
                                                        ze_bool_t enable)
{
    (void)hTracer, (void)enable;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* Shims refuse a loader whose tracing table cannot be filled, so it is, with the functions above.
 */
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

ZE_APIEXPORT ze_result_t ZE_APICALL zelEnableTracingLayer(void)
{
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelDisableTracingLayer(void)
{
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelGetTracingLayerState(bool *enabled)
{
    if (!enabled) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    *enabled = false;
    return ZE_RESULT_SUCCESS;
}
