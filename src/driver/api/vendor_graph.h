/* Recorded graphs under the names that they had before they were in the specification. */
#ifndef GEO_DRIVER_API_VENDOR_GRAPH_H
#define GEO_DRIVER_API_VENDOR_GRAPH_H

#include "ddi/geo_ddi_driver.h"

/* NULL: none of these. */
geo_api_fn geo_vendor_graph_function(const char *name);

#endif
