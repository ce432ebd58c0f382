/* Recorded graphs by the names of the experimental extension, before it became part of the
 * specification. */
#ifndef GEO_DRIVER_API_VENDOR_GRAPH_H
#define GEO_DRIVER_API_VENDOR_GRAPH_H

#include "ddi/geo_ddi_driver.h"

/* Returns the function of this name, or NULL. */
geo_api_fn geo_vendor_graph_function(const char *name);

#endif
