/* Platforms: one for each driver of Level Zero that has devices. */
#ifndef GEO_OPENCL_PLATFORM_H
#define GEO_OPENCL_PLATFORM_H

#include "opencl/device.h"

struct _cl_platform_id {
    struct geo_ocl_object base; /* never destroyed */
    ze_driver_handle_t driver;
    cl_device_id devices;
    cl_uint device_count;
    char name[64];
};

/* Returns the platforms. The first call opens Level Zero. */
cl_platform_id geo_ocl_platforms(cl_uint *count);
/* Returns the platform that a handle names: NULL is the first one. Returns NULL for other handles,
 * and if no platform exists. */
cl_platform_id geo_ocl_platform_of(cl_platform_id platform);

#endif
