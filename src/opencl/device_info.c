/* clGetDeviceInfo and the functions of devices. */
#include "opencl/device.h"
#include "opencl/device_intel.h"
#include "opencl/info.h"

#include <stdio.h>
#include <string.h>

#define IMAGE(device, member) ((device)->has_images ? (device)->image.member : 0)

static cl_device_fp_config float_config(ze_device_fp_flags_t flags)
{
    static const struct {
        ze_device_fp_flags_t flag;
        cl_device_fp_config config;
    } rows[] = {
        {ZE_DEVICE_FP_FLAG_DENORM, CL_FP_DENORM},
        {ZE_DEVICE_FP_FLAG_INF_NAN, CL_FP_INF_NAN},
        {ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST, CL_FP_ROUND_TO_NEAREST},
        {ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO, CL_FP_ROUND_TO_ZERO},
        {ZE_DEVICE_FP_FLAG_ROUND_TO_INF, CL_FP_ROUND_TO_INF},
        {ZE_DEVICE_FP_FLAG_FMA, CL_FP_FMA},
        {ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT},
        {ZE_DEVICE_FP_FLAG_SOFT_FLOAT, CL_FP_SOFT_FLOAT},
    };
    cl_device_fp_config config = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        config |= flags & rows[i].flag ? rows[i].config : 0;
    }
    return config;
}

static cl_device_svm_capabilities svm_capabilities(const struct _cl_device_id *device)
{
    const ze_memory_access_cap_flags_t concurrent =
        ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT;
    const ze_memory_access_cap_flags_t atomic = ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
    ze_memory_access_cap_flags_t shared = device->access.sharedSingleDeviceAllocCapabilities;
    cl_device_svm_capabilities out = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    if ((shared & concurrent) == concurrent) {
        out |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
        out |= shared & atomic ? CL_DEVICE_SVM_ATOMICS : 0;
        out |= (device->access.sharedSystemAllocCapabilities & concurrent) == concurrent
                   ? CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
                   : 0;
    }
    return out;
}

/* Converts access capabilities of Level Zero to those of cl_intel_unified_shared_memory, whose bits
 * have the same meaning. */
static cl_device_unified_shared_memory_capabilities_intel
usm_capabilities(ze_memory_access_cap_flags_t flags)
{
    return (flags & ZE_MEMORY_ACCESS_CAP_FLAG_RW ? CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL : 0u) |
           (flags & ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC ? CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
                                                     : 0u) |
           (flags & ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT
                ? CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
                : 0u) |
           (flags & ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC
                ? CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL
                : 0u);
}

/* The widths of vectors that programs should use: one element, because work-items of a kernel
 * become the lanes of vectors. */
static cl_uint vector_width(const struct _cl_device_id *device, cl_device_info name)
{
    if (name == CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF ||
        name == CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF) {
        return device->module.flags & ZE_DEVICE_MODULE_FLAG_FP16 ? 1 : 0;
    }
    if (name == CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE ||
        name == CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) {
        return device->module.flags & ZE_DEVICE_MODULE_FLAG_FP64 ? 1 : 0;
    }
    return 1;
}

static cl_uint least_subgroup_size(const struct _cl_device_id *device)
{
    return device->compute.numSubGroupSizes ? device->compute.subGroupSizes[0] : 1;
}

static cl_int general_info(cl_device_id device, cl_device_info name,
                           const struct geo_ocl_info *info)
{
    const ze_device_properties_t *p = &device->properties;
    switch (name) {
    case CL_DEVICE_TYPE:
        return geo_ocl_info_value(info, cl_device_type, geo_ocl_device_type(device));
    case CL_DEVICE_VENDOR_ID:
        return geo_ocl_info_value(info, cl_uint, p->vendorId);
    case CL_DEVICE_MAX_COMPUTE_UNITS: {
        cl_uint units = p->numSlices * p->numSubslicesPerSlice * p->numEUsPerSubslice;
        return geo_ocl_info_value(info, cl_uint, units ? units : 1);
    }
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        return geo_ocl_info_value(info, cl_uint, 3);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return geo_ocl_info_value(info, size_t, device->compute.maxTotalGroupSize);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
        size_t sizes[3] = {device->compute.maxGroupSizeX, device->compute.maxGroupSizeY,
                           device->compute.maxGroupSizeZ};
        return geo_ocl_info_bytes(info, sizes, sizeof(sizes));
    }
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return geo_ocl_info_value(info, cl_uint, p->coreClockRate);
    case CL_DEVICE_ADDRESS_BITS:
        return geo_ocl_info_value(info, cl_uint, 64);
    case CL_DEVICE_NAME:
        return geo_ocl_info_text(info, p->name);
    case CL_DEVICE_VENDOR:
        return geo_ocl_info_text(info, p->vendorId == 0x8086u ? "Intel(R) Corporation" : "Geoid");
    case CL_DRIVER_VERSION:
        return geo_ocl_info_text(info, device->driver_version);
    case CL_DEVICE_PROFILE:
        return geo_ocl_info_text(info, "FULL_PROFILE");
    case CL_DEVICE_VERSION:
        return geo_ocl_info_text(info, "OpenCL 3.0 Geoid");
    case CL_DEVICE_NUMERIC_VERSION:
        return geo_ocl_info_value(info, cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: /* none */
        return geo_ocl_info_text(info, "v0000-01-01-00");
    case CL_DEVICE_PLATFORM:
        return geo_ocl_info_value(info, cl_platform_id, device->platform);
    case CL_DEVICE_EXTENSIONS:
        return geo_ocl_info_text(info, device->extensions);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return geo_ocl_info_bytes(info, device->extension_versions,
                                  device->extension_count * sizeof(cl_name_version));
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE:
        return geo_ocl_info_value(info, cl_bool, CL_TRUE);
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
        return geo_ocl_info_value(info, cl_bool, CL_TRUE);
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
        return geo_ocl_info_value(info, cl_bool,
                                  p->flags & ZE_DEVICE_PROPERTY_FLAG_ECC ? CL_TRUE : CL_FALSE);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return geo_ocl_info_value(
            info, cl_bool, p->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED ? CL_TRUE : CL_FALSE);
    case CL_DEVICE_PARENT_DEVICE:
        return geo_ocl_info_value(info, cl_device_id, NULL);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        return geo_ocl_info_value(info, cl_uint, 0);
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE:
        return geo_ocl_info_value(info, cl_device_partition_property, 0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
        return geo_ocl_info_value(info, cl_device_affinity_domain, 0);
    case CL_DEVICE_REFERENCE_COUNT:
        return geo_ocl_info_value(info, cl_uint, 1);
    case CL_DEVICE_UUID_KHR:
        return geo_ocl_info_bytes(info, p->uuid.id, CL_UUID_SIZE_KHR);
    case CL_DRIVER_UUID_KHR: {
        cl_uchar uuid[CL_UUID_SIZE_KHR] = "Geoid OpenCL";
        return geo_ocl_info_bytes(info, uuid, sizeof(uuid));
    }
    case CL_DEVICE_LUID_VALID_KHR:
        return geo_ocl_info_value(info, cl_bool, CL_FALSE);
    case CL_DEVICE_LUID_KHR: {
        cl_uchar luid[CL_LUID_SIZE_KHR] = {0};
        return geo_ocl_info_bytes(info, luid, sizeof(luid));
    }
    case CL_DEVICE_NODE_MASK_KHR:
        return geo_ocl_info_value(info, cl_uint, 0);
    default:
        return -1;
    }
}

static cl_int memory_info(cl_device_id device, cl_device_info name, const struct geo_ocl_info *info)
{
    cl_ulong most = device->properties.maxMemAllocSize;
    switch (name) {
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return geo_ocl_info_value(info, cl_ulong,
                                  most < device->memory_bytes ? most : device->memory_bytes);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return geo_ocl_info_value(info, cl_ulong, device->memory_bytes);
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
        return geo_ocl_info_value(info, cl_device_mem_cache_type,
                                  device->cache_bytes ? CL_READ_WRITE_CACHE : CL_NONE);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
        return geo_ocl_info_value(info, cl_uint, device->cache_line_bytes);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        return geo_ocl_info_value(info, cl_ulong, device->cache_bytes);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
        return geo_ocl_info_value(info, cl_ulong, most < (1u << 30) ? most : 1u << 30);
    case CL_DEVICE_MAX_CONSTANT_ARGS:
        return geo_ocl_info_value(info, cl_uint, 128);
    case CL_DEVICE_LOCAL_MEM_TYPE:
        return geo_ocl_info_value(info, cl_device_local_mem_type, CL_LOCAL);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return geo_ocl_info_value(info, cl_ulong, device->compute.maxSharedLocalMemory);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return geo_ocl_info_value(info, cl_uint, 1024); /* bits: the largest type, long16 */
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
        return geo_ocl_info_value(info, cl_uint, 128);
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
        return geo_ocl_info_value(info, size_t, 0);
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
        return geo_ocl_info_value(info, cl_uint, 0);
    case CL_DEVICE_SVM_CAPABILITIES:
        return geo_ocl_info_value(info, cl_device_svm_capabilities, svm_capabilities(device));
    case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
        return geo_ocl_info_value(info, cl_device_unified_shared_memory_capabilities_intel,
                                  usm_capabilities(device->access.hostAllocCapabilities));
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
        return geo_ocl_info_value(info, cl_device_unified_shared_memory_capabilities_intel,
                                  usm_capabilities(device->access.deviceAllocCapabilities));
    case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
        return geo_ocl_info_value(
            info, cl_device_unified_shared_memory_capabilities_intel,
            usm_capabilities(device->access.sharedSingleDeviceAllocCapabilities));
    case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
        return geo_ocl_info_value(
            info, cl_device_unified_shared_memory_capabilities_intel,
            usm_capabilities(device->access.sharedCrossDeviceAllocCapabilities));
    case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
        return geo_ocl_info_value(info, cl_device_unified_shared_memory_capabilities_intel,
                                  usm_capabilities(device->access.sharedSystemAllocCapabilities));
    default:
        return -1;
    }
}

static cl_int image_info(cl_device_id device, cl_device_info name, const struct geo_ocl_info *info)
{
    switch (name) {
    case CL_DEVICE_IMAGE_SUPPORT:
        return geo_ocl_info_value(info, cl_bool, device->has_images ? CL_TRUE : CL_FALSE);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
        return geo_ocl_info_value(info, cl_uint, IMAGE(device, maxReadImageArgs));
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
        return geo_ocl_info_value(info, cl_uint, IMAGE(device, maxWriteImageArgs));
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
        return geo_ocl_info_value(info, size_t, IMAGE(device, maxImageDims2D));
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
        return geo_ocl_info_value(info, size_t, IMAGE(device, maxImageDims3D));
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
        return geo_ocl_info_value(info, size_t, IMAGE(device, maxImageBufferSize));
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
        return geo_ocl_info_value(info, size_t, IMAGE(device, maxImageArraySlices));
    case CL_DEVICE_MAX_SAMPLERS:
        return geo_ocl_info_value(info, cl_uint, IMAGE(device, maxSamplers));
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
        return geo_ocl_info_value(info, cl_uint, 0);
    default:
        return -1;
    }
}

/* Queries of cl_khr_command_buffer, which headers know in different versions or not at all. */
#define COMMAND_BUFFER_CAPABILITIES               0x12A9
#define COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES 0x129A
#define COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES  0x12AA
#define COMMAND_BUFFER_CAPABILITY_PRINTF          0x1

/* Queries of cl_ext_float_atomics, which older headers lack. The bits are those of Level Zero. */
#define SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define HALF_FP_ATOMIC_CAPABILITIES_EXT   0x4233

/* Answers for extensions of the language. */
static cl_int language_info(cl_device_id device, cl_device_info name,
                            const struct geo_ocl_info *info)
{
    const cl_device_integer_dot_product_acceleration_properties_khr dots = {
        .signed_accelerated = CL_TRUE,
        .unsigned_accelerated = CL_TRUE,
        .mixed_signedness_accelerated = CL_TRUE};
    const cl_bitfield float_add = ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD |
                                  ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD |
                                  ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE |
                                  ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE;
    bool has_dots = device->module.flags & ZE_DEVICE_MODULE_FLAG_DP4A;
    switch (name) {
    case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
        return has_dots
                   ? geo_ocl_info_value(info, cl_device_integer_dot_product_capabilities_khr,
                                        CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR |
                                            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR)
                   : CL_INVALID_VALUE;
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR:
        return has_dots ? geo_ocl_info_bytes(info, &dots, sizeof(dots)) : CL_INVALID_VALUE;
    case SINGLE_FP_ATOMIC_CAPABILITIES_EXT:
    case DOUBLE_FP_ATOMIC_CAPABILITIES_EXT:
        return device->has_float_add ? geo_ocl_info_value(info, cl_bitfield, float_add)
                                     : CL_INVALID_VALUE;
    case HALF_FP_ATOMIC_CAPABILITIES_EXT:
        return device->has_float_add ? geo_ocl_info_value(info, cl_bitfield, 0) : CL_INVALID_VALUE;
    default:
        return -1;
    }
}

static cl_int compiler_info(cl_device_id device, cl_device_info name,
                            const struct geo_ocl_info *info)
{
    static const cl_name_version languages[] = {
        {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
        {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
        {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
        {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
    };
    size_t count;
    uint32_t spirv = device->module.spirvVersionSupported;
    uint32_t major = ZE_MAJOR_VERSION(spirv), minor = ZE_MINOR_VERSION(spirv);
    switch (name) {
    case CL_DEVICE_OPENCL_C_VERSION:
        return geo_ocl_info_text(info, "OpenCL C 1.2 ");
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
        return geo_ocl_info_value(info, cl_version, CL_MAKE_VERSION(1, 2, 0));
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return geo_ocl_info_bytes(info, languages, sizeof(languages));
    case CL_DEVICE_OPENCL_C_FEATURES:
        return geo_ocl_info_bytes(info, device->features,
                                  device->feature_count * sizeof(device->features[0]));
    case CL_DEVICE_IL_VERSION: {
        char text[128] = "";
        size_t at = 0;
        for (uint32_t i = 0; i <= minor && i < 10 && major == 1; i++) {
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%sSPIR-V_1.%u", i ? " " : "", i);
        }
        return geo_ocl_info_text(info, text);
    }
    case CL_DEVICE_ILS_WITH_VERSION: {
        cl_name_version ils[10];
        memset(ils, 0, sizeof(ils));
        for (count = 0; count <= minor && count < 10 && major == 1; count++) {
            ils[count].version = CL_MAKE_VERSION(1, (cl_uint)count, 0);
            memcpy(ils[count].name, "SPIR-V", 7);
        }
        return geo_ocl_info_bytes(info, ils, count * sizeof(ils[0]));
    }
    case CL_DEVICE_BUILT_IN_KERNELS:
        return geo_ocl_info_text(info, "");
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        return geo_ocl_info_bytes(info, NULL, 0);
    case CL_DEVICE_MAX_PARAMETER_SIZE: {
        size_t most = device->module.maxArgumentsSize;
        return geo_ocl_info_value(info, size_t, most);
    }
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
        return geo_ocl_info_value(info, size_t, device->module.printfBufferSize);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return geo_ocl_info_value(info, cl_device_fp_config,
                                  float_config(device->module.fp32flags));
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return geo_ocl_info_value(
            info, cl_device_fp_config,
            device->module.flags & ZE_DEVICE_MODULE_FLAG_FP64
                ? float_config(device->module.fp64flags &
                               ~(ze_device_fp_flags_t)ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT)
                : 0);
    case CL_DEVICE_HALF_FP_CONFIG:
        return geo_ocl_info_value(
            info, cl_device_fp_config,
            device->module.flags & ZE_DEVICE_MODULE_FLAG_FP16
                ? float_config(device->module.fp16flags &
                               ~(ze_device_fp_flags_t)ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT)
                : 0);
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: {
        cl_device_atomic_capabilities out =
            CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
            CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
            CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
        out |= name == CL_DEVICE_ATOMIC_FENCE_CAPABILITIES ? CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM : 0;
        return geo_ocl_info_value(info, cl_device_atomic_capabilities, out);
    }
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
        return geo_ocl_info_value(info, cl_bool, CL_TRUE);
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_PIPE_SUPPORT:
        return geo_ocl_info_value(info, cl_bool, CL_FALSE);
    default:
        return -1;
    }
}

static cl_int execution_info(cl_device_id device, cl_device_info name,
                             const struct geo_ocl_info *info)
{
    switch (name) {
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
        return geo_ocl_info_value(info, cl_uint, vector_width(device, name));
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
        return geo_ocl_info_value(info, size_t, 1);
    case CL_DEVICE_EXECUTION_CAPABILITIES:
        return geo_ocl_info_value(info, cl_device_exec_capabilities,
                                  CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
        return geo_ocl_info_value(info, cl_command_queue_properties,
                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                      CL_QUEUE_PROFILING_ENABLE);
    case COMMAND_BUFFER_CAPABILITIES:
        return geo_ocl_info_value(info, cl_bitfield, COMMAND_BUFFER_CAPABILITY_PRINTF);
    case COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES:
        return geo_ocl_info_value(info, cl_command_queue_properties,
                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                      CL_QUEUE_PROFILING_ENABLE);
    case COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES:
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
        return geo_ocl_info_value(info, cl_command_queue_properties, 0);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
        return geo_ocl_info_value(info, cl_device_device_enqueue_capabilities, 0);
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
        return geo_ocl_info_value(info, cl_uint, 0);
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        return geo_ocl_info_value(info, cl_uint,
                                  device->compute.maxTotalGroupSize / least_subgroup_size(device));
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
        return geo_ocl_info_value(info, cl_bool, CL_FALSE);
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL: {
        size_t sizes[ZE_SUBGROUPSIZE_COUNT];
        for (uint32_t i = 0; i < device->compute.numSubGroupSizes; i++) {
            sizes[i] = device->compute.subGroupSizes[i];
        }
        return geo_ocl_info_bytes(info, sizes, device->compute.numSubGroupSizes * sizeof(sizes[0]));
    }
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return geo_ocl_info_value(
            info, size_t,
            device->properties.physicalEUSimdWidth ? device->properties.physicalEUSimdWidth : 1);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name,
                                                size_t size, void *value, size_t *size_ret)
{
    static cl_int (*const parts[])(cl_device_id, cl_device_info, const struct geo_ocl_info *) = {
        general_info,  memory_info,   image_info, language_info, geo_ocl_device_intel_info,
        compiler_info, execution_info};
    const struct geo_ocl_info info = {size, value, size_ret};
    cl_int result = -1;
    if (!geo_ocl_device_is(device)) {
        return CL_INVALID_DEVICE;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && result == -1; i++) {
        result = parts[i](device, name, &info);
    }
    return result;
}

/* Root devices are not counted. */
CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id device)
{
    return geo_ocl_device_is(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id device)
{
    return geo_ocl_device_is(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/* Returns whether a list is well-formed and asks for one of OpenCL's kinds of partition. */
static bool is_partition(const cl_device_partition_property *properties)
{
    switch (properties ? properties[0] : 0) {
    case CL_DEVICE_PARTITION_EQUALLY:
        return properties[1] > 0 && properties[2] == 0;
    case CL_DEVICE_PARTITION_BY_COUNTS:
        return true;
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN:
        return properties[1] > 0 && properties[1] <= CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE &&
               properties[2] == 0;
    default:
        return false;
    }
}

/* Devices cannot be divided, as CL_DEVICE_PARTITION_PROPERTIES says. Programs that try it without
 * asking expect the error for a device that cannot be divided further. */
CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id device,
                                                   const cl_device_partition_property *properties,
                                                   cl_uint count, cl_device_id *devices,
                                                   cl_uint *count_ret)
{
    if (!geo_ocl_device_is(device)) {
        return CL_INVALID_DEVICE;
    }
    (void)count;
    (void)devices;
    (void)count_ret;
    return is_partition(properties) ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time,
                                                        cl_ulong *host_time)
{
    if (!geo_ocl_device_is(device)) {
        return CL_INVALID_DEVICE;
    }
    if (!device_time || !host_time) {
        return CL_INVALID_VALUE;
    }
    *device_time = *host_time = geo_ocl_device_now();
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *host_time)
{
    if (!geo_ocl_device_is(device)) {
        return CL_INVALID_DEVICE;
    }
    if (!host_time) {
        return CL_INVALID_VALUE;
    }
    *host_time = geo_ocl_device_now();
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context,
                                                               cl_device_id device,
                                                               cl_command_queue queue)
{
    (void)queue;
    if (!geo_ocl_object_is(context, GEO_OCL_CONTEXT)) {
        return CL_INVALID_CONTEXT;
    }
    return geo_ocl_device_is(device) ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}
