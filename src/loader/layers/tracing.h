/* Called by the generated functions zelTracer<Name>RegisterCallback of the loader. */
#ifndef GEO_LOADER_TRACING_H
#define GEO_LOADER_TRACING_H

#include <level_zero/layers/zel_tracing_register_cb.h>

typedef void (*geo_loader_callback)(void); /* a callback of any function */

/* Passes a callback to the tracing layer's function with this name. */
ze_result_t geo_loader_register_callback(const char *function, zel_tracer_handle_t tracer,
                                         zel_tracer_reg_t when, geo_loader_callback callback);

#endif
