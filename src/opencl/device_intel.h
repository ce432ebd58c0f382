/* Queries of cl_intel_device_attribute_query. */
#ifndef GEO_OPENCL_DEVICE_INTEL_H
#define GEO_OPENCL_DEVICE_INTEL_H

#include "opencl/device.h"
#include "opencl/info.h"

/* Answers a query of the extension. Returns -1 for other queries. */
cl_int geo_ocl_device_intel_info(cl_device_id device, cl_device_info name,
                                 const struct geo_ocl_info *info);

#endif
