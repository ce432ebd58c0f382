/* Converts results of Level Zero to OpenCL's error codes. */
#ifndef GEO_OPENCL_RESULT_H
#define GEO_OPENCL_RESULT_H

#include "opencl/object.h"

cl_int geo_ocl_result(ze_result_t result);

#endif
