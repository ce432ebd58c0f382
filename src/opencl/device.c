/* Devices: what Level Zero says about them, in OpenCL's terms. */
#include "opencl/device_extensions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Finds the first group of queues that computes. */
static bool queues_find(cl_device_id device)
{
    ze_command_queue_group_properties_t groups[16];
    uint32_t count = sizeof(groups) / sizeof(groups[0]);
    memset(groups, 0, sizeof(groups));
    for (uint32_t i = 0; i < count; i++) {
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    }
    if (zeDeviceGetCommandQueueGroupProperties(device->handle, &count, groups) !=
        ZE_RESULT_SUCCESS) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) {
            device->queue_ordinal = i;
            device->fill_pattern_bytes = groups[i].maxMemoryFillPatternSize;
            return true;
        }
    }
    return false;
}

#define MEMORIES 4u

static void memory_read(cl_device_id device)
{
    ze_device_memory_properties_t memories[MEMORIES];
    uint32_t count = MEMORIES;
    memset(memories, 0, sizeof(memories));
    for (uint32_t i = 0; i < count; i++) {
        memories[i].stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    }
    if (zeDeviceGetMemoryProperties(device->handle, &count, memories) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            device->memory_bytes += memories[i].totalSize;
        }
    }
    const ze_memory_access_cap_flags_t wanted = ZE_MEMORY_ACCESS_CAP_FLAG_RW;
    device->uses_system_memory = (device->access.sharedSystemAllocCapabilities & wanted) == wanted;
}

static void caches_read(cl_device_id device)
{
    ze_device_cache_properties_t caches[8];
    uint32_t count = sizeof(caches) / sizeof(caches[0]);
    memset(caches, 0, sizeof(caches));
    for (uint32_t i = 0; i < count; i++) {
        caches[i].stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES;
    }
    if (zeDeviceGetCacheProperties(device->handle, &count, caches) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            size_t bytes = caches[i].cacheSize;
            device->cache_bytes = bytes > device->cache_bytes ? bytes : device->cache_bytes;
        }
    }
    device->cache_line_bytes = 64;
}

/* Images need linear memory, and the limits that OpenCL asks for. */
static void images_read(cl_device_id device, ze_driver_handle_t driver)
{
    ze_pitched_alloc_2dimage_linear_pitch_exp_info_t pitch = {
        .stype = ZE_STRUCTURE_TYPE_PITCHED_ALLOC_2DIMAGE_LINEAR_PITCH_EXP_INFO};
    ze_device_pitched_alloc_exp_properties_t linear = {
        .stype = ZE_STRUCTURE_TYPE_PITCHED_ALLOC_DEVICE_EXP_PROPERTIES, .pNext = &pitch};
    device->image.pNext = &linear;
    device->has_images =
        zeDeviceGetImageProperties(device->handle, &device->image) == ZE_RESULT_SUCCESS &&
        device->image.maxImageDims2D >= 16384 && device->image.maxReadImageArgs >= 128 &&
        geo_ocl_device_extensions_driver_has(driver, ZE_BINDLESS_IMAGE_EXP_NAME);
    device->image.pNext = NULL;
    device->image_pitch_align = pitch.pitchAlign ? pitch.pitchAlign : 64;
}

static void driver_version_read(cl_device_id device, ze_driver_handle_t driver)
{
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    zeDriverGetProperties(driver, &properties);
    uint32_t version = properties.driverVersion;
    snprintf(device->driver_version, sizeof(device->driver_version), "%u.%u.%u", version >> 24,
             version >> 16 & 255, version & 65535);
}

bool geo_ocl_device_init(cl_device_id device, cl_platform_id platform, ze_driver_handle_t driver,
                         ze_device_handle_t handle)
{
    geo_ocl_object_init(device, GEO_OCL_DEVICE, NULL);
    device->platform = platform;
    device->handle = handle;
    device->properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    device->compute.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
    device->module.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
    device->image.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES;
    device->access.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES;
    if (zeDeviceGetProperties(handle, &device->properties) != ZE_RESULT_SUCCESS ||
        zeDeviceGetComputeProperties(handle, &device->compute) != ZE_RESULT_SUCCESS ||
        zeDeviceGetModuleProperties(handle, &device->module) != ZE_RESULT_SUCCESS ||
        zeDeviceGetMemoryAccessProperties(handle, &device->access) != ZE_RESULT_SUCCESS ||
        !queues_find(device)) {
        return false;
    }
    images_read(device, driver);
    memory_read(device);
    caches_read(device);
    driver_version_read(device, driver);
    device->has_global_offset =
        geo_ocl_device_extensions_driver_has(driver, ZE_GLOBAL_OFFSET_EXP_NAME);
    return geo_ocl_device_extensions_list(device, driver);
}

bool geo_ocl_device_is(cl_device_id device)
{
    return geo_ocl_object_is(device, GEO_OCL_DEVICE);
}

cl_device_type geo_ocl_device_type(const struct _cl_device_id *device)
{
    switch (device->properties.type) {
    case ZE_DEVICE_TYPE_GPU:
        return CL_DEVICE_TYPE_GPU;
    case ZE_DEVICE_TYPE_CPU:
        return CL_DEVICE_TYPE_CPU;
    default:
        return CL_DEVICE_TYPE_ACCELERATOR;
    }
}

cl_ulong geo_ocl_device_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}
