/* What Geoid's tracing layer offers beyond Level Zero's zelTracer functions: one form of callback
 * for every function of ze, zes, zet and zer. Programs that may also run with another loader look
 * the function up with dlsym(RTLD_DEFAULT, ...). */
#ifndef GEOID_TRACING_H
#define GEOID_TRACING_H

#include "../level_zero/layers/zel_tracing_register_cb.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A call on its way; valid in the callback only. */
typedef struct _geoid_traced_call_t {
    const char *function; /* "zesDeviceGetProperties"; the same pointer for every call */
    uint32_t index;       /* of the function: small, the same in one version of the library */
    void *params;         /* pointers to the arguments, as in the function's z*_params_t */
    const void *result;   /* what it returns; before the call success, or what stands for failure */
} geoid_traced_call_t;

typedef void(ZE_APICALL *geoid_tracer_callback_t)(const geoid_traced_call_t *call,
                                                  void *pTracerUserData,
                                                  void **ppTracerInstanceUserData);

/* Sets the callback of a disabled tracer before or after a function; function null: every one that
 * there is, but for zetTracerExp*. It takes the place of the callback of zelTracer<Name>-
 * RegisterCallback, and the other way round. callback null removes it.
 * ZE_RESULT_ERROR_INVALID_ARGUMENT: no function of that name, or the tracer is enabled. */
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
