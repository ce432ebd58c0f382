/* The tracing layer alone: a test is the loader above it and, with one function, the driver below
 * it. What the driver does is the test's to say. */
#ifndef TESTS_LAYERS_TRACING_DRIVER_H
#define TESTS_LAYERS_TRACING_DRIVER_H

#include <geoid/tracing.h>

#include <stdbool.h>

/* What zeMemFree does in the driver; NULL: it succeeds. */
extern ze_result_t (*driver_free)(ze_context_handle_t context, void *ptr);
/* Times that it was called. */
extern _Atomic unsigned driver_calls;

/* Puts the layer above the driver; for cmocka's group setup. */
int driver_wrap(void **state);

/* zeMemFree as programs call it: through the layer. */
ze_result_t traced_free(void *ptr);
/* The same for a function that the driver answers at once. */
ze_result_t traced_status(void);

/* A tracer of zeMemFree that is not enabled; a callback that is NULL is not set. */
zel_tracer_handle_t tracer_create(void *user, ze_pfnMemFreeCb_t prologue,
                                  ze_pfnMemFreeCb_t epilogue);
void tracer_enable(zel_tracer_handle_t tracer, bool enable);
/* Disables it and destroys it. */
void tracer_end(zel_tracer_handle_t tracer);

#endif
