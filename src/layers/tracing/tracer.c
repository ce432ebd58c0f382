/* Tracers, and the functions that the layer exports for them. zelTracer* and the older
 * zetTracerExp* use the same objects. See tracer.h. */
#include "layers/tracing/tracer.h"

#include "layers/tracing/active.h"

#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/layers/zel_tracing_register_cb.h>
#include <level_zero/loader/ze_loader.h>

#include <stdlib.h>
#include <string.h>

struct geo_tracer {
    void *user;
    bool enabled;
    struct geo_trace_rows rows;
};

static struct geo_tracer *tracer_of(zel_tracer_handle_t handle)
{
    return (struct geo_tracer *)handle;
}

static ze_result_t tracer_create(void *user, void **out)
{
    struct geo_tracer *tracer = calloc(1, sizeof(*tracer));
    if (!tracer) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    tracer->user = user;
    *out = tracer;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t tracer_destroy(struct geo_tracer *tracer)
{
    if (!tracer) {
        return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    }
    if (tracer->enabled) {
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    }
    const ze_result_t result = geo_trace_wait(tracer);
    if (result == ZE_RESULT_SUCCESS) {
        free(tracer);
    }
    return result;
}

/* Returns an error when the tracer's callbacks must not be changed, because it is enabled or
 * NULL. */
static ze_result_t tracer_check(const struct geo_tracer *tracer)
{
    if (!tracer) {
        return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    }
    return tracer->enabled ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_SUCCESS;
}

/* Sets the callbacks of a whole table. Callbacks that the table lacks are unchanged. */
static ze_result_t tracer_set(struct geo_tracer *tracer, zel_tracer_reg_t when,
                              const ze_callbacks_t *callbacks)
{
    const ze_result_t result = tracer_check(tracer);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (!callbacks) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    geo_layer_fn pointers[GEO_DDI_CALLBACK_COUNT];
    _Static_assert(sizeof(pointers) == sizeof(*callbacks), "a structure of pointers");
    memcpy(pointers, callbacks, sizeof(pointers));
    for (size_t i = 0; i < GEO_DDI_CALLBACK_COUNT; i++) {
        struct geo_trace_row *row = &tracer->rows.row[geo_ddi_callbacks[i]];
        row->callbacks[when] = pointers[i];
        row->general[when] = false;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t tracer_enable(struct geo_tracer *tracer, bool enable)
{
    if (!tracer) {
        return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    }
    if (tracer->enabled == enable) {
        return ZE_RESULT_SUCCESS;
    }
    const ze_result_t result =
        enable ? geo_trace_arm(tracer, tracer->user, &tracer->rows) : geo_trace_disarm(tracer);
    if (result == ZE_RESULT_SUCCESS) {
        tracer->enabled = enable;
    }
    return result;
}

/* --- zelTracer* --- */

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerCreate(const zel_tracer_desc_t *desc,
                                                    zel_tracer_handle_t *phTracer)
{
    if (!desc || !phTracer) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    return tracer_create(desc->pUserData, (void **)phTracer);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerDestroy(zel_tracer_handle_t hTracer)
{
    return tracer_destroy(tracer_of(hTracer));
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetPrologues(zel_tracer_handle_t hTracer,
                                                          zel_core_callbacks_t *pCoreCbs)
{
    return tracer_set(tracer_of(hTracer), ZEL_REGISTER_PROLOGUE, pCoreCbs);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetEpilogues(zel_tracer_handle_t hTracer,
                                                          zel_core_callbacks_t *pCoreCbs)
{
    return tracer_set(tracer_of(hTracer), ZEL_REGISTER_EPILOGUE, pCoreCbs);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetEnabled(zel_tracer_handle_t hTracer,
                                                        ze_bool_t enable)
{
    return tracer_enable(tracer_of(hTracer), enable != 0);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerResetAllCallbacks(zel_tracer_handle_t hTracer)
{
    struct geo_tracer *tracer = tracer_of(hTracer);
    const ze_result_t result = tracer_check(tracer);
    if (result == ZE_RESULT_SUCCESS) {
        memset(&tracer->rows, 0, sizeof(tracer->rows));
    }
    return result;
}

static ze_result_t callback_set(struct geo_tracer *tracer, zel_tracer_reg_t when,
                                enum geo_ddi_function_id id, geo_layer_fn callback, bool general)
{
    const ze_result_t result = tracer_check(tracer);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (when != ZEL_REGISTER_PROLOGUE && when != ZEL_REGISTER_EPILOGUE) {
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    tracer->rows.row[id].callbacks[when] = callback;
    tracer->rows.row[id].general[when] = general;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_tracer_register(zel_tracer_handle_t tracer, zel_tracer_reg_t when,
                                enum geo_ddi_function_id id, geo_layer_fn callback)
{
    return callback_set(tracer_of(tracer), when, id, callback, false);
}

ZE_APIEXPORT ze_result_t ZE_APICALL geoidTracerRegisterCallback(zel_tracer_handle_t hTracer,
                                                                const char *function,
                                                                zel_tracer_reg_t callback_type,
                                                                geoid_tracer_callback_t callback)
{
    const struct geo_ddi_function *known = function ? geo_ddi_function_find(function) : NULL;
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (function &&
        (!known || geo_tracer_replaces((enum geo_ddi_function_id)(known - geo_ddi_functions)))) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    for (size_t id = 0; id < GEO_DDI_FUNCTION_COUNT && result == ZE_RESULT_SUCCESS; id++) {
        if (!known || known == &geo_ddi_functions[id]) {
            result = callback_set(tracer_of(hTracer), callback_type, (enum geo_ddi_function_id)id,
                                  (geo_layer_fn)callback, true);
        }
    }
    return result;
}

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

/* Called by loaders. No public header declares it. */
ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t *version);

ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t *version)
{
    if (!version) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    *version = (zel_component_version_t){
        .component_name = "tracing layer",
        .spec_version = ZE_API_VERSION_CURRENT,
        .component_lib_version = {GEO_LOADER_MAJOR, GEO_LOADER_MINOR, GEO_LOADER_PATCH},
    };
    return ZE_RESULT_SUCCESS;
}

/* --- zetTracerExp* --- */

static ze_result_t ZE_APICALL exp_create(zet_context_handle_t context,
                                         const zet_tracer_exp_desc_t *desc,
                                         zet_tracer_exp_handle_t *tracer)
{
    if (!context) {
        return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    }
    if (!desc || !desc->pUserData || !tracer) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    return tracer_create(desc->pUserData, (void **)tracer);
}

static ze_result_t ZE_APICALL exp_destroy(zet_tracer_exp_handle_t tracer)
{
    return tracer_destroy((struct geo_tracer *)tracer);
}

static ze_result_t ZE_APICALL exp_set_prologues(zet_tracer_exp_handle_t tracer,
                                                zet_core_callbacks_t *callbacks)
{
    return tracer_set((struct geo_tracer *)tracer, ZEL_REGISTER_PROLOGUE, callbacks);
}

static ze_result_t ZE_APICALL exp_set_epilogues(zet_tracer_exp_handle_t tracer,
                                                zet_core_callbacks_t *callbacks)
{
    return tracer_set((struct geo_tracer *)tracer, ZEL_REGISTER_EPILOGUE, callbacks);
}

static ze_result_t ZE_APICALL exp_set_enabled(zet_tracer_exp_handle_t tracer, ze_bool_t enable)
{
    return tracer_enable((struct geo_tracer *)tracer, enable != 0);
}

geo_layer_fn geo_tracer_replaces(enum geo_ddi_function_id id)
{
    switch (id) {
    case GEO_DDI_FN_zetTracerExpCreate:
        return (geo_layer_fn)exp_create;
    case GEO_DDI_FN_zetTracerExpDestroy:
        return (geo_layer_fn)exp_destroy;
    case GEO_DDI_FN_zetTracerExpSetPrologues:
        return (geo_layer_fn)exp_set_prologues;
    case GEO_DDI_FN_zetTracerExpSetEpilogues:
        return (geo_layer_fn)exp_set_epilogues;
    case GEO_DDI_FN_zetTracerExpSetEnabled:
        return (geo_layer_fn)exp_set_enabled;
    default:
        return NULL;
    }
}
