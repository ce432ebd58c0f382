/* Devices: what Level Zero says about them, in OpenCL's terms. */
#include "opencl/device.h"

#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* When an extension is there. */
enum need {
    ALWAYS,
    NEEDS_FP64,
    NEEDS_FP16,
    NEEDS_INT64_ATOMICS,
    NEEDS_IMAGES,
    NEEDS_SUBGROUPS,
};

struct extension {
    const char *name;
    cl_version version;
    enum need need;
};

#define VERSION_1_0 CL_MAKE_VERSION(1, 0, 0)

static const struct extension extensions[] = {
    {"cl_khr_byte_addressable_store", VERSION_1_0, ALWAYS},
    {"cl_khr_global_int32_base_atomics", VERSION_1_0, ALWAYS},
    {"cl_khr_global_int32_extended_atomics", VERSION_1_0, ALWAYS},
    {"cl_khr_local_int32_base_atomics", VERSION_1_0, ALWAYS},
    {"cl_khr_local_int32_extended_atomics", VERSION_1_0, ALWAYS},
    {"cl_khr_int64_base_atomics", VERSION_1_0, NEEDS_INT64_ATOMICS},
    {"cl_khr_int64_extended_atomics", VERSION_1_0, NEEDS_INT64_ATOMICS},
    {"cl_khr_fp64", VERSION_1_0, NEEDS_FP64},
    {"cl_khr_fp16", VERSION_1_0, NEEDS_FP16},
    {"cl_khr_3d_image_writes", VERSION_1_0, NEEDS_IMAGES},
    {"cl_khr_icd", VERSION_1_0, ALWAYS},
    {"cl_khr_device_uuid", VERSION_1_0, ALWAYS},
    {"cl_khr_il_program", VERSION_1_0, ALWAYS},
    {"cl_khr_create_command_queue", VERSION_1_0, ALWAYS},
    {"cl_khr_extended_versioning", VERSION_1_0, ALWAYS},
    {"cl_khr_spirv_no_integer_wrap_decoration", VERSION_1_0, ALWAYS},
    {"cl_khr_subgroups", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_subgroups", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_required_subgroup_size", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_unified_shared_memory", VERSION_1_0, ALWAYS},
};

static bool has(const struct _cl_device_id *device, enum need need)
{
    switch (need) {
    case NEEDS_FP64:
        return device->module.flags & ZE_DEVICE_MODULE_FLAG_FP64;
    case NEEDS_FP16:
        return device->module.flags & ZE_DEVICE_MODULE_FLAG_FP16;
    case NEEDS_INT64_ATOMICS:
        return device->module.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
    case NEEDS_IMAGES:
        return device->has_images;
    case NEEDS_SUBGROUPS:
        return device->compute.numSubGroupSizes != 0;
    default:
        return true;
    }
}

static bool extensions_list(cl_device_id device)
{
    const size_t all = sizeof(extensions) / sizeof(extensions[0]);
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    device->extension_versions = calloc(all, sizeof(*device->extension_versions));
    for (size_t i = 0; i < all && device->extension_versions; i++) {
        if (!has(device, extensions[i].need)) {
            continue;
        }
        cl_name_version *row = &device->extension_versions[device->extension_count++];
        row->version = extensions[i].version;
        snprintf(row->name, sizeof(row->name), "%s", extensions[i].name);
        geo_strbuf_printf(&text, "%s%s", text.length ? " " : "", extensions[i].name);
    }
    device->extensions = geo_strbuf_take(&text, &(size_t){0});
    return device->extensions && device->extension_versions;
}

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

static bool driver_has(ze_driver_handle_t driver, const char *name)
{
    ze_driver_extension_properties_t *list = NULL;
    uint32_t count = 0;
    bool found = false;
    if (zeDriverGetExtensionProperties(driver, &count, NULL) == ZE_RESULT_SUCCESS && count) {
        list = calloc(count, sizeof(*list));
    }
    if (list && zeDriverGetExtensionProperties(driver, &count, list) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count && !found; i++) {
            found = strcmp(list[i].name, name) == 0;
        }
    }
    free(list);
    return found;
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
        driver_has(driver, ZE_BINDLESS_IMAGE_EXP_NAME);
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
    device->has_global_offset = driver_has(driver, ZE_GLOBAL_OFFSET_EXP_NAME);
    return extensions_list(device);
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

const cl_name_version *geo_ocl_device_features(const struct _cl_device_id *device, size_t *count)
{
#define FEATURE(name)                                                                              \
    {                                                                                              \
        CL_MAKE_VERSION(3, 0, 0), "__opencl_c_" name                                               \
    }
    /* Features that a device may lack come last. */
    static const cl_name_version features[] = {
        FEATURE("atomic_order_acq_rel"),
        FEATURE("atomic_order_seq_cst"),
        FEATURE("atomic_scope_device"),
        FEATURE("atomic_scope_all_devices"),
        FEATURE("generic_address_space"),
        FEATURE("int64"),
        FEATURE("subgroups"),
        FEATURE("work_group_collective_functions"),
        FEATURE("fp64"),
        FEATURE("images"),
        FEATURE("3d_image_writes"),
        FEATURE("read_write_images"),
    };
#undef FEATURE
    const cl_name_version *first = features;
    *count = sizeof(features) / sizeof(features[0]) - (device->has_images ? 0 : 3);
    *count -= *count && !device->has_images && !has(device, NEEDS_FP64);
    return first;
}
