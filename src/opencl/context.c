/* Contexts: a context of Level Zero and the devices that share its objects. */
#include "opencl/context.h"

#include "opencl/info.h"
#include "opencl/result.h"

#include <stdlib.h>
#include <string.h>

bool geo_ocl_context_is(cl_context context)
{
    return geo_ocl_object_is(context, GEO_OCL_CONTEXT);
}

bool geo_ocl_context_has(const struct _cl_context *context, cl_device_id device)
{
    for (cl_uint i = 0; i < context->device_count; i++) {
        if (context->devices[i] == device) {
            return true;
        }
    }
    return false;
}

cl_uint geo_ocl_context_index(const struct _cl_context *context, cl_device_id device)
{
    cl_uint i = 0;
    while (i + 1 < context->device_count && context->devices[i] != device) {
        i++;
    }
    return i;
}

static void context_destroy(void *object)
{
    cl_context context = object;
    while (context->destructors) {
        struct geo_ocl_destructor *first = context->destructors;
        context->destructors = first->next;
        first->call.context(context, first->data);
        free(first);
    }
    if (context->handle) {
        zeContextDestroy(context->handle);
    }
    pthread_mutex_destroy(&context->lock);
    free(context->devices);
    free(context->properties);
    free(context);
}

/* Reads the properties of a new context. *count: their words with the terminating zero. */
static cl_int properties_read(const cl_context_properties *properties, cl_platform_id *platform,
                              size_t *count)
{
    bool has_platform = false, has_sync = false;
    *count = 0;
    if (!properties) {
        return CL_SUCCESS;
    }
    for (; properties[*count]; *count += 2) {
        if (properties[*count] == CL_CONTEXT_PLATFORM && !has_platform) {
            has_platform = true;
            *platform = (cl_platform_id)properties[*count + 1];
            if (!geo_ocl_object_is(*platform, GEO_OCL_PLATFORM)) {
                return CL_INVALID_PLATFORM;
            }
        } else if (properties[*count] == CL_CONTEXT_INTEROP_USER_SYNC && !has_sync &&
                   (properties[*count + 1] == CL_FALSE || properties[*count + 1] == CL_TRUE)) {
            has_sync = true;
        } else {
            return CL_INVALID_PROPERTY;
        }
    }
    ++*count;
    return CL_SUCCESS;
}

static cl_int context_create(const cl_context_properties *properties, size_t property_count,
                             cl_uint count, const cl_device_id *devices, cl_context *out)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    cl_context context = calloc(1, sizeof(*context));
    if (!context) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    geo_ocl_object_init(context, GEO_OCL_CONTEXT, context_destroy);
    pthread_mutex_init(&context->lock, NULL);
    context->platform = devices[0]->platform;
    context->devices = calloc(count, sizeof(*context->devices));
    context->properties = property_count ? calloc(property_count, sizeof(*properties)) : NULL;
    context->uses_system_memory = true;
    cl_int result =
        context->devices && (context->properties || !property_count)
            ? geo_ocl_result(zeContextCreate(context->platform->driver, &desc, &context->handle))
            : CL_OUT_OF_HOST_MEMORY;
    if (result != CL_SUCCESS) {
        context_destroy(context);
        return result;
    }
    for (cl_uint i = 0; i < count; i++) {
        if (!geo_ocl_context_has(context, devices[i])) {
            context->devices[context->device_count++] = devices[i];
        }
        context->uses_system_memory = context->uses_system_memory && devices[i]->uses_system_memory;
    }
    if (property_count) {
        memcpy(context->properties, properties, property_count * sizeof(*properties));
        context->property_count = property_count;
    }
    *out = context;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                cl_int *error)
{
    cl_platform_id platform = NULL;
    cl_context context = NULL;
    size_t property_count;
    cl_int result = properties_read(properties, &platform, &property_count);
    if (result == CL_SUCCESS && (count == 0 || !devices || (!notify && data))) {
        result = CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < count && result == CL_SUCCESS; i++) {
        if (!geo_ocl_device_is(devices[i]) || (platform && devices[i]->platform != platform) ||
            devices[i]->platform != devices[0]->platform) {
            result = CL_INVALID_DEVICE;
        }
    }
    if (result == CL_SUCCESS) {
        result = context_create(properties, property_count, count, devices, &context);
    }
    geo_ocl_object_error(error, result);
    return context;
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                        void *data, cl_int *error)
{
    cl_platform_id platform = NULL;
    cl_device_id devices[64];
    cl_uint count = 0;
    size_t property_count;
    cl_int result = properties_read(properties, &platform, &property_count);
    if (result == CL_SUCCESS) {
        platform = geo_ocl_platform_of(platform);
        result =
            platform ? clGetDeviceIDs(platform, type, 64, devices, &count) : CL_INVALID_PLATFORM;
    }
    if (result != CL_SUCCESS) {
        geo_ocl_object_error(error, result);
        return NULL;
    }
    return clCreateContext(properties, count < 64 ? count : 64, devices, notify, data, error);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainContext(cl_context context)
{
    return geo_ocl_object_retain(context, GEO_OCL_CONTEXT, CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    return geo_ocl_object_release(context, GEO_OCL_CONTEXT, CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name,
                                                 size_t size, void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return geo_ocl_info_value(&info, cl_uint, geo_ocl_object_references(context));
    case CL_CONTEXT_NUM_DEVICES:
        return geo_ocl_info_value(&info, cl_uint, context->device_count);
    case CL_CONTEXT_DEVICES:
        return geo_ocl_info_bytes(&info, context->devices,
                                  context->device_count * sizeof(cl_device_id));
    case CL_CONTEXT_PROPERTIES:
        return geo_ocl_info_bytes(&info, context->properties,
                                  context->property_count * sizeof(cl_context_properties));
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(
    cl_context context, void(CL_CALLBACK *function)(cl_context, void *), void *data)
{
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    if (!function) {
        return CL_INVALID_VALUE;
    }
    struct geo_ocl_destructor *first = calloc(1, sizeof(*first));
    if (!first) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    *first = (struct geo_ocl_destructor){.call.context = function, .data = data};
    pthread_mutex_lock(&context->lock);
    first->next = context->destructors;
    context->destructors = first;
    pthread_mutex_unlock(&context->lock);
    return CL_SUCCESS;
}
