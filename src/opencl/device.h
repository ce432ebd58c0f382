/* Devices: one per root device of Level Zero, with the properties that OpenCL asks for. */
#ifndef GEO_OPENCL_DEVICE_H
#define GEO_OPENCL_DEVICE_H

#include "opencl/object.h"

struct _cl_device_id {
    struct geo_ocl_object base; /* never destroyed */
    cl_platform_id platform;
    ze_device_handle_t handle;
    ze_device_properties_t properties;
    ze_device_compute_properties_t compute;
    ze_device_module_properties_t module;
    ze_device_image_properties_t image;
    ze_device_memory_access_properties_t access;
    uint64_t memory_bytes, cache_bytes;
    uint32_t cache_line_bytes;
    uint32_t queue_ordinal;    /* of the group of queues that computes */
    size_t fill_pattern_bytes; /* longest pattern of a fill */
    bool has_images;           /* also 3D images are written */
    size_t image_pitch_align;  /* of rows of images in linear memory, and of their first row */
    bool uses_system_memory;   /* kernels and copies may use any memory of the host */
    bool has_global_offset;    /* zeKernelSetGlobalOffsetExp works */
    char *extensions;          /* separated by spaces */
    cl_name_version *extension_versions;
    size_t extension_count;
    cl_name_version *features; /* of OpenCL C 3.0 */
    size_t feature_count;
    size_t first_extension_feature; /* from here on, features belong to extensions */
    bool has_float_add;             /* atomics add floats and doubles in global and local memory */
    char driver_version[32];
};

/* Writes the properties of a device of Level Zero. Returns false if memory ran out or the driver
 * fails. */
bool geo_ocl_device_init(cl_device_id device, cl_platform_id platform, ze_driver_handle_t driver,
                         ze_device_handle_t handle);
bool geo_ocl_device_is(cl_device_id device);
/* Returns OpenCL's type of a device. */
cl_device_type geo_ocl_device_type(const struct _cl_device_id *device);
/* Returns the time of the host in nanoseconds, which also is the time of events. */
cl_ulong geo_ocl_device_now(void);

#endif
