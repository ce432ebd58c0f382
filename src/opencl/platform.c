/* Platforms: one for each driver of Level Zero that has devices. */
#include "opencl/platform.h"

#include "opencl/info.h"

#include "base/log.h"
#include "base/option.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct _cl_platform_id *all;
static cl_uint all_count;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

/* Reads the devices of a driver. Returns false if it has none that can be used. */
static bool platform_init(cl_platform_id platform, ze_driver_handle_t driver)
{
    uint32_t count = 0;
    ze_device_handle_t *handles = NULL;
    geo_ocl_object_init(platform, GEO_OCL_PLATFORM, NULL);
    platform->driver = driver;
    if (zeDeviceGet(driver, &count, NULL) == ZE_RESULT_SUCCESS && count) {
        handles = calloc(count, sizeof(*handles));
        platform->devices = calloc(count, sizeof(*platform->devices));
    }
    if (handles && platform->devices && zeDeviceGet(driver, &count, handles) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            cl_device_id device = &platform->devices[platform->device_count];
            if (geo_ocl_device_init(device, platform, driver, handles[i])) {
                platform->device_count++;
            } else {
                *device = (struct _cl_device_id){0};
            }
        }
    }
    free(handles);
    return platform->device_count != 0;
}

static void platforms_open(void)
{
    ze_driver_handle_t *drivers = NULL;
    uint32_t count = 0;
    ze_result_t result = zeInit(0);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeDriverGet(&count, NULL);
    }
    if (result != ZE_RESULT_SUCCESS || count == 0) {
        geo_log("opencl", GEO_LOG_WARN, "Level Zero has no driver (zeinfo --why says why): %#x",
                (unsigned)result);
        return;
    }
    drivers = calloc(count, sizeof(*drivers));
    all = calloc(count, sizeof(*all));
    if (drivers && all && zeDriverGet(&count, drivers) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            if (!platform_init(&all[all_count], drivers[i])) {
                all[all_count] = (struct _cl_platform_id){0};
                continue;
            }
            const char *name = geo_option_string("GEOID_OPENCL_PLATFORM");
            snprintf(all[all_count].name, sizeof(all[all_count].name), all_count ? "%s (%u)" : "%s",
                     name, all_count);
            all_count++;
        }
    }
    free(drivers);
}

cl_platform_id geo_ocl_platforms(cl_uint *count)
{
    pthread_once(&opened, platforms_open);
    *count = all_count;
    return all;
}

cl_platform_id geo_ocl_platform_of(cl_platform_id platform)
{
    cl_uint count;
    cl_platform_id first = geo_ocl_platforms(&count);
    if (!platform) {
        return count ? first : NULL;
    }
    return geo_ocl_object_is(platform, GEO_OCL_PLATFORM) ? platform : NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint wanted, cl_platform_id *platforms,
                                                 cl_uint *count_ret)
{
    cl_uint count;
    cl_platform_id first = geo_ocl_platforms(&count);
    if ((wanted == 0 && platforms) || (!platforms && !count_ret)) {
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < wanted && i < count && platforms; i++) {
        platforms[i] = &first[i];
    }
    if (count_ret) {
        *count_ret = count;
    }
    return count ? CL_SUCCESS : CL_PLATFORM_NOT_FOUND_KHR;
}

GEO_OCL_EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id handle,
                                                                 cl_platform_info name, size_t size,
                                                                 void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    cl_platform_id platform = geo_ocl_platform_of(handle);
    if (!platform) {
        return CL_INVALID_PLATFORM;
    }
    switch (name) {
    case CL_PLATFORM_PROFILE:
        return geo_ocl_info_text(&info, "FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return geo_ocl_info_text(&info, "OpenCL 3.0 Geoid");
    case CL_PLATFORM_NUMERIC_VERSION:
        return geo_ocl_info_value(&info, cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME:
        return geo_ocl_info_text(&info, platform->name);
    case CL_PLATFORM_VENDOR:
        return geo_ocl_info_text(&info, "Geoid");
    case CL_PLATFORM_EXTENSIONS: /* those of all devices */
        return geo_ocl_info_text(&info, platform->devices[0].extensions);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return geo_ocl_info_bytes(&info, platform->devices[0].extension_versions,
                                  platform->devices[0].extension_count * sizeof(cl_name_version));
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return geo_ocl_info_text(&info, "GEOID");
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return geo_ocl_info_value(&info, cl_ulong, 1);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id handle, cl_device_type type,
                                               cl_uint wanted, cl_device_id *devices,
                                               cl_uint *count_ret)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    cl_platform_id platform = geo_ocl_platform_of(handle);
    cl_uint count = 0;
    if (!platform) {
        return CL_INVALID_PLATFORM;
    }
    if (type != CL_DEVICE_TYPE_ALL && (type == 0 || (type & ~known))) {
        return CL_INVALID_DEVICE_TYPE;
    }
    if ((wanted == 0 && devices) || (!devices && !count_ret)) {
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < platform->device_count; i++) {
        cl_device_id device = &platform->devices[i];
        if ((type & geo_ocl_device_type(device)) || ((type & CL_DEVICE_TYPE_DEFAULT) && i == 0)) {
            if (devices && count < wanted) {
                devices[count] = device;
            }
            count++;
        }
    }
    if (count_ret) {
        *count_ret = count;
    }
    return count ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
    return geo_ocl_object_is(platform, GEO_OCL_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}
