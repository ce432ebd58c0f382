/* API functions by name (zeDriverGetExtensionFunctionAddress), also such as are in no table. */
#ifndef GEO_DRIVER_API_VENDOR_H
#define GEO_DRIVER_API_VENDOR_H

#include "ddi/geo_ddi_driver.h"

/* A function outside the specification, or any implemented one of it; NULL: unknown. */
geo_api_fn geo_function_by_name(const char *name);

#endif
