/* Traces a call: prologues, the next function, epilogues. In each thread only the outermost call is
 * traced. Calls that a callback or a driver makes are not. */
#include "layers/tracing/part.h"

#include "layers/tracing/active.h"
#include "layers/tracing/tracer.h"

#include <level_zero/layers/zel_tracing_register_cb.h>

typedef void(ZE_APICALL *result_callback)(void *params, ze_result_t result, void *user,
                                          void **instance);
typedef void(ZE_APICALL *handle_callback)(void *params, void *result, void *user, void **instance);
typedef void(ZE_APICALL *number_callback)(void *params, uint32_t result, void *user,
                                          void **instance);

static void callback_general(const struct geo_layer_call *call, geoid_tracer_callback_t callback,
                             void *user, void **instance)
{
    const geoid_traced_call_t traced = {
        .function = geo_ddi_functions[call->id].name,
        .index = call->id,
        .params = (void *)(uintptr_t)call->arguments,
        .result = call->result,
    };
    callback(&traced, user, instance);
}

/* Calls a callback through a common type. Callbacks differ in the type of their parameter
 * structure, which always consists of pointers, and in the type of the result. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void callback_call(const struct geo_layer_call *call, geo_layer_fn callback, void *user,
                          void **instance)
{
    void *params = (void *)(uintptr_t)call->arguments;
    switch (geo_ddi_functions[call->id].returns) {
    case GEO_DDI_RESULT:
        ((result_callback)callback)(params, *(ze_result_t *)call->result, user, instance);
        break;
    case GEO_DDI_RETURNS_HANDLE:
        ((handle_callback)callback)(params, *(void **)call->result, user, instance);
        break;
    default:
        ((number_callback)callback)(params, *(uint32_t *)call->result, user, instance);
        break;
    }
}

static void callbacks_call(const struct geo_layer_call *call, struct geo_trace_thread *thread,
                           const struct geo_trace_active *active, zel_tracer_reg_t when)
{
    for (size_t i = 0; i < active->count; i++) {
        const struct geo_trace_armed *armed = active->tracers[i];
        const struct geo_trace_row *row = &armed->rows.row[call->id];
        const geo_layer_fn callback = row->callbacks[when];
        if (callback == NULL) {
            continue;
        }
        if (row->general[when]) {
            callback_general(call, (geoid_tracer_callback_t)callback, armed->user,
                             &thread->instances[i]);
        } else {
            callback_call(call, callback, armed->user, &thread->instances[i]);
        }
    }
}

static ze_result_t trace_before(struct geo_layer_call *call, void **scratch)
{
    struct geo_trace_thread *thread = geo_trace_thread_self();
    *scratch = NULL;
    if (thread == NULL || thread->inside) {
        return ZE_RESULT_SUCCESS;
    }
    const struct geo_trace_active *active = geo_trace_hold(thread);
    if (active == NULL) {
        return ZE_RESULT_SUCCESS;
    }
    if (!geo_trace_thread_reserve(thread, active->count)) {
        geo_trace_release(thread);
        return ZE_RESULT_SUCCESS;
    }
    thread->inside = true;
    *scratch = thread;
    callbacks_call(call, thread, active, ZEL_REGISTER_PROLOGUE);
    return ZE_RESULT_SUCCESS;
}

static void trace_after(struct geo_layer_call *call, void **scratch)
{
    struct geo_trace_thread *thread = *scratch;
    if (thread == NULL) {
        return;
    }
    callbacks_call(call, thread, atomic_load_explicit(&thread->held, memory_order_relaxed),
                   ZEL_REGISTER_EPILOGUE);
    thread->inside = false;
    geo_trace_release(thread);
}

const struct geo_layer_part geo_trace_part = {
    .name = "tracing",
    .dormant = true,
    .replaces = geo_tracer_replaces,
    .before = trace_before,
    .after = trace_after,
};

const struct geo_layer_part *const geo_layer_parts[] = {
    [GEO_TRACE_PART] = &geo_trace_part, &geo_trace_part_extensions, NULL};
