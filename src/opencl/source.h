/* OpenCL C to SPIR-V, by a clang that is found at run time (src/clang). */
#ifndef GEO_OPENCL_SOURCE_H
#define GEO_OPENCL_SOURCE_H

#include "opencl/device.h"
#include "opencl/options.h"

/* A header that a source includes by name. */
struct geo_ocl_header {
    const char *name, *text;
};

/* Compiles a source for a device. `log` gets clang's messages. Returns CL_SUCCESS, and *spirv from
 * malloc; else CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE or CL_OUT_OF_HOST_MEMORY. */
cl_int geo_ocl_source_compile(const struct _cl_device_id *device, const char *text,
                              const struct geo_ocl_header *headers, size_t header_count,
                              struct geo_ocl_options *options, struct geo_strbuf *log,
                              uint8_t **spirv, size_t *count);

#endif
