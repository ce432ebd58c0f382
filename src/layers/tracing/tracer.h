/* A tracer: callbacks around functions, enabled or disabled. Callbacks can be changed only while it
 * is disabled. Enabling makes a copy of them (active.h), which calls in progress use. */
#ifndef GEO_LAYERS_TRACING_TRACER_H
#define GEO_LAYERS_TRACING_TRACER_H

#include "layers/layer.h"

#include <geoid/tracing.h>
#include <level_zero/layers/zel_tracing_api.h>

/* Sets or removes (NULL) one callback: the body of every zelTracer<Name>RegisterCallback. Returns
 * INVALID_NULL_HANDLE, INVALID_ENUMERATION, or INVALID_ARGUMENT when the tracer is enabled. */
ze_result_t geo_tracer_register(zel_tracer_handle_t tracer, zel_tracer_reg_t when,
                                enum geo_ddi_function_id id, geo_layer_fn callback);

/* Returns the layer's own implementation of a zetTracerExp function, or NULL for other
 * functions. */
geo_layer_fn geo_tracer_replaces(enum geo_ddi_function_id id);

#endif
