/* API functions by name (zeDriverGetExtensionFunctionAddress), including those in no dispatch
 * table. */
#ifndef GEO_DRIVER_API_VENDOR_H
#define GEO_DRIVER_API_VENDOR_H

#include "ddi/geo_ddi_driver.h"

/* Returns a function outside the specification, or an implemented one of the specification; NULL if
 * the name is unknown. */
geo_api_fn geo_vendor_function_by_name(const char *name);

#endif
