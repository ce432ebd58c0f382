/* The parts of the layer. The first calls callbacks: it watches the functions that some enabled
 * tracer has a callback for. The second adds what the layer does to the extensions of a driver, so
 * that programs find it where they look for everything else. */
#ifndef GEO_LAYERS_TRACING_PART_H
#define GEO_LAYERS_TRACING_PART_H

#include "layers/layer.h"

enum { GEO_TRACE_PART = 0 }; /* the place of the first */

extern const struct geo_layer_part geo_trace_part;
extern const struct geo_layer_part geo_trace_part_extensions;

#endif
