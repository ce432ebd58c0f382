/* Answers the queries of cl_intel_device_attribute_query with what Level Zero reports. */
#include "opencl/device_intel.h"

cl_int geo_ocl_device_intel_info(cl_device_id device, cl_device_info name,
                                 const struct geo_ocl_info *info)
{
    ze_device_ip_version_ext_t version = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                                         .pNext = &version};
    switch (name) {
    case CL_DEVICE_IP_VERSION_INTEL:
        if (zeDeviceGetProperties(device->handle, &properties) != ZE_RESULT_SUCCESS) {
            return CL_OUT_OF_RESOURCES;
        }
        return geo_ocl_info_value(info, cl_version, version.ipVersion);
    case CL_DEVICE_ID_INTEL:
        return geo_ocl_info_value(info, cl_uint, device->properties.deviceId);
    case CL_DEVICE_NUM_SLICES_INTEL:
        return geo_ocl_info_value(info, cl_uint, device->properties.numSlices);
    case CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL:
        return geo_ocl_info_value(info, cl_uint, device->properties.numSubslicesPerSlice);
    case CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL:
        return geo_ocl_info_value(info, cl_uint, device->properties.numEUsPerSubslice);
    case CL_DEVICE_NUM_THREADS_PER_EU_INTEL:
        return geo_ocl_info_value(info, cl_uint, device->properties.numThreadsPerEU);
    case CL_DEVICE_FEATURE_CAPABILITIES_INTEL:
        return geo_ocl_info_value(info, cl_device_feature_capabilities_intel,
                                  device->module.flags & ZE_DEVICE_MODULE_FLAG_DP4A
                                      ? CL_DEVICE_FEATURE_FLAG_DP4A_INTEL
                                      : 0);
    default:
        return -1;
    }
}
