/* A tracer: callbacks around functions, on or off. Its callbacks change only while it is off;
 * enabling it takes a copy (active.h), so calls under way are not concerned. */
#ifndef GEO_LAYERS_TRACING_TRACER_H
#define GEO_LAYERS_TRACING_TRACER_H

#include "layers/layer.h"

#include <geoid/tracing.h>
#include <level_zero/layers/zel_tracing_api.h>

/* Sets one callback, NULL for none; the body of every zelTracer<Name>RegisterCallback.
 * INVALID_NULL_HANDLE, INVALID_ENUMERATION, INVALID_ARGUMENT: the tracer is enabled. */
ze_result_t geo_tracer_register(zel_tracer_handle_t tracer, zel_tracer_reg_t when,
                                enum geo_ddi_function_id id, geo_layer_fn callback);

/* The layer's own zetTracerExp functions; NULL for all others. */
geo_layer_fn geo_tracer_replaces(enum geo_ddi_function_id id);

#endif
