/* Unified shared memory (cl_intel_unified_shared_memory): the three kinds of memory of Level
 * Zero. */
#include "opencl/context.h"
#include "opencl/info.h"
#include "opencl/result.h"

#define KINDS 3

/* Reads the properties of a new allocation. */
static cl_int properties_read(const cl_mem_properties_intel *properties,
                              cl_mem_alloc_flags_intel *flags)
{
    *flags = 0;
    for (; properties && properties[0]; properties += 2) {
        if (properties[0] != CL_MEM_ALLOC_FLAGS_INTEL) {
            return CL_INVALID_PROPERTY;
        }
        *flags = properties[1];
    }
    return CL_SUCCESS;
}

static void *usm_alloc(cl_context context, cl_device_id device, ze_memory_type_t kind,
                       const cl_mem_properties_intel *properties, size_t bytes, cl_uint alignment,
                       cl_int *error)
{
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    cl_mem_alloc_flags_intel flags;
    void *pointer = NULL;
    cl_int result = CL_SUCCESS;
    if (!geo_ocl_context_is(context)) {
        result = CL_INVALID_CONTEXT;
    } else if ((device || kind == ZE_MEMORY_TYPE_DEVICE) &&
               (!geo_ocl_device_is(device) || !geo_ocl_context_has(context, device))) {
        result = CL_INVALID_DEVICE;
    } else if (alignment & (alignment - 1)) {
        result = CL_INVALID_VALUE;
    } else if (bytes == 0 || bytes > context->devices[0]->properties.maxMemAllocSize) {
        result = CL_INVALID_BUFFER_SIZE;
    } else {
        result = properties_read(properties, &flags);
    }
    if (result == CL_SUCCESS) {
        ze_device_handle_t handle = device ? device->handle : NULL;
        ze_result_t made =
            kind == ZE_MEMORY_TYPE_HOST
                ? zeMemAllocHost(context->handle, &on_host, bytes, alignment, &pointer)
            : kind == ZE_MEMORY_TYPE_DEVICE
                ? zeMemAllocDevice(context->handle, &on_device, bytes, alignment, handle, &pointer)
                : zeMemAllocShared(context->handle, &on_device, &on_host, bytes, alignment, handle,
                                   &pointer);
        result =
            made == ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT ? CL_INVALID_VALUE : geo_ocl_result(made);
        result = result == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : result;
    }
    geo_ocl_object_error(error, result);
    return result == CL_SUCCESS ? pointer : NULL;
}

CL_API_ENTRY void *CL_API_CALL clHostMemAllocINTEL(cl_context context,
                                                   const cl_mem_properties_intel *properties,
                                                   size_t bytes, cl_uint alignment, cl_int *error)
{
    return usm_alloc(context, NULL, ZE_MEMORY_TYPE_HOST, properties, bytes, alignment, error);
}

CL_API_ENTRY void *CL_API_CALL clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
                                                     const cl_mem_properties_intel *properties,
                                                     size_t bytes, cl_uint alignment, cl_int *error)
{
    return usm_alloc(context, device, ZE_MEMORY_TYPE_DEVICE, properties, bytes, alignment, error);
}

CL_API_ENTRY void *CL_API_CALL clSharedMemAllocINTEL(cl_context context, cl_device_id device,
                                                     const cl_mem_properties_intel *properties,
                                                     size_t bytes, cl_uint alignment, cl_int *error)
{
    return usm_alloc(context, device, ZE_MEMORY_TYPE_SHARED, properties, bytes, alignment, error);
}

CL_API_ENTRY cl_int CL_API_CALL clMemFreeINTEL(cl_context context, void *pointer)
{
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    ze_result_t result = pointer ? zeMemFree(context->handle, pointer) : ZE_RESULT_SUCCESS;
    return result == ZE_RESULT_SUCCESS ? CL_SUCCESS : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clMemBlockingFreeINTEL(cl_context context, void *pointer)
{
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    const ze_memory_free_ext_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
        .freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE};
    ze_result_t result =
        pointer ? zeMemFreeExt(context->handle, &desc, pointer) : ZE_RESULT_SUCCESS;
    return result == ZE_RESULT_SUCCESS ? CL_SUCCESS : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemAllocInfoINTEL(cl_context context, const void *pointer,
                                                       cl_mem_info_intel name, size_t size,
                                                       void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t handle = NULL;
    void *base = NULL;
    size_t bytes = 0;
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    if (!pointer || zeMemGetAllocProperties(context->handle, pointer, &properties, &handle) !=
                        ZE_RESULT_SUCCESS) {
        properties.type = ZE_MEMORY_TYPE_UNKNOWN;
    } else if (properties.type != ZE_MEMORY_TYPE_UNKNOWN) {
        zeMemGetAddressRange(context->handle, pointer, &base, &bytes);
    }
    switch (name) {
    case CL_MEM_ALLOC_TYPE_INTEL: {
        static const cl_unified_shared_memory_type_intel types[] = {
            [ZE_MEMORY_TYPE_UNKNOWN] = CL_MEM_TYPE_UNKNOWN_INTEL,
            [ZE_MEMORY_TYPE_HOST] = CL_MEM_TYPE_HOST_INTEL,
            [ZE_MEMORY_TYPE_DEVICE] = CL_MEM_TYPE_DEVICE_INTEL,
            [ZE_MEMORY_TYPE_SHARED] = CL_MEM_TYPE_SHARED_INTEL,
        };
        return geo_ocl_info_value(&info, cl_unified_shared_memory_type_intel,
                                  (size_t)properties.type <= KINDS ? types[properties.type]
                                                                   : types[0]);
    }
    case CL_MEM_ALLOC_BASE_PTR_INTEL:
        return geo_ocl_info_value(&info, void *, base);
    case CL_MEM_ALLOC_SIZE_INTEL:
        return geo_ocl_info_value(&info, size_t, bytes);
    case CL_MEM_ALLOC_DEVICE_INTEL: {
        cl_device_id device = NULL;
        for (cl_uint i = 0; i < context->device_count && handle; i++) {
            device = context->devices[i]->handle == handle ? context->devices[i] : device;
        }
        return geo_ocl_info_value(&info, cl_device_id, device);
    }
    case CL_MEM_ALLOC_FLAGS_INTEL:
        return geo_ocl_info_value(&info, cl_mem_alloc_flags_intel, 0);
    default:
        return CL_INVALID_VALUE;
    }
}
