/* The parts of the tracing layer. The first runs callbacks and watches the functions for which an
 * enabled tracer has a callback. The second adds the tracing extensions to a driver's list, where
 * programs look for them. */
#ifndef GEO_LAYERS_TRACING_PART_H
#define GEO_LAYERS_TRACING_PART_H

#include "layers/layer.h"

enum { GEO_TRACE_PART = 0 }; /* index of geo_trace_part */

extern const struct geo_layer_part geo_trace_part;
extern const struct geo_layer_part geo_trace_part_extensions;

#endif
