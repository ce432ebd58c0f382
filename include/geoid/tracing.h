/* An extension of Geoid's tracing layer to Level Zero's zelTracer functions: one type of callback
 * for all functions of ze, zes, zet and zer. Programs that may also run with another loader look
 * the function up with dlsym(RTLD_DEFAULT, ...). */
#ifndef GEOID_TRACING_H
#define GEOID_TRACING_H

#include "../level_zero/layers/zel_tracing_register_cb.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A traced call; valid in the callback only. */
typedef struct _geoid_traced_call_t {
    const char *function; /* e.g. "zesDeviceGetProperties"; the same pointer for every call */
    uint32_t index;       /* of the function: small, fixed for one version of the library */
    void *params;         /* pointers to the arguments, as in the function's z*_params_t */
    const void *result;   /* the returned value; in a prologue a placeholder: success, or failure */
} geoid_traced_call_t;

typedef void(ZE_APICALL *geoid_tracer_callback_t)(const geoid_traced_call_t *call,
                                                  void *pTracerUserData,
                                                  void **ppTracerInstanceUserData);

/* Sets the callback that a disabled tracer calls before or after a function. With function null,
 * sets it for all functions except zetTracerExp*. It replaces the callback that
 * zelTracer<Name>RegisterCallback has set for a function, and that call replaces this one. With
 * callback null, removes the callback. Returns ZE_RESULT_ERROR_INVALID_ARGUMENT for an unknown
 * function, or if the tracer is enabled. */
ZE_APIEXPORT ze_result_t ZE_APICALL geoidTracerRegisterCallback(zel_tracer_handle_t hTracer,
                                                                const char *function,
                                                                zel_tracer_reg_t callback_type,
                                                                geoid_tracer_callback_t callback);
typedef ze_result_t(ZE_APICALL *geoid_pfnTracerRegisterCallback_t)(zel_tracer_handle_t,
                                                                   const char *, zel_tracer_reg_t,
                                                                   geoid_tracer_callback_t);

#if defined(__cplusplus)
}
#endif

#endif
