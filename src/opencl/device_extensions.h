/* The extensions and the features of OpenCL C that a device has. */
#ifndef GEO_OPENCL_DEVICE_EXTENSIONS_H
#define GEO_OPENCL_DEVICE_EXTENSIONS_H

#include "opencl/device.h"

/* Returns whether a driver of Level Zero has an extension. */
bool geo_ocl_device_extensions_driver_has(ze_driver_handle_t driver, const char *name);
/* Writes the lists of a device, whose other members are set. Returns false if memory ran out. */
bool geo_ocl_device_extensions_list(cl_device_id device, ze_driver_handle_t driver);

/* Extensions of SPIR-V that clang may use for the functions of these extensions and features. */
#define GEO_OCL_SPIRV_EXTENSIONS                                                                   \
    "+SPV_INTEL_subgroups,+SPV_KHR_bit_instructions,+SPV_KHR_subgroup_rotate,"                     \
    "+SPV_KHR_integer_dot_product,+SPV_EXT_shader_atomic_float_add"

#endif
