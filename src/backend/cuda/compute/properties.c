/* Reads the properties of GPUs. See properties.h. */
#include "backend/cuda/compute/properties.h"

#include "backend/cuda/compute/device.h"
#include "backend/cuda/compute/program.h"
#include "native/nvidia.h"

#include <string.h>

#define VENDOR_NVIDIA 0x10deu

/* Threads of a block are scheduled independently of each other from 7.0 on, as OpenCL's barriers
 * and atomics expect. */
#define CAPABILITY_LEAST 70

/* Warp schedulers of a multiprocessor, from 7.0 on: each is an execution unit of the API. */
#define SCHEDULERS 4u
#define L2_LINE    128u

/* Grids that a GPU executes at the same time, from 7.0 on. */
#define CONCURRENT_GRIDS 128u
/* Queues to the GPU that CUDA makes by default. */
#define COMPUTE_QUEUES 8u
#define PRIORITY_MOST  2u /* low, normal and high */

/* Timestamps are the GPU's global timer, in nanoseconds. Clients shift by the number of bits, so it
 * is below 64; the timer wraps after two years. */
#define TIMER_HZ   1000000000u
#define TIMER_BITS 56u

/* Returns an attribute, or 0 when the driver does not know it. */
static uint32_t attribute(const struct geo_compute_device *gpu, int number)
{
    int value = 0;
    int code = GEO_CUDA(gpu->cuda, DeviceGetAttribute, &value, number, gpu->ordinal);
    return code == GEO_CUDA_SUCCESS && value > 0 ? (uint32_t)value : 0;
}

#define ATTRIBUTE(name) attribute(gpu, GEO_CUDA_ATTRIBUTE_##name)

static uint32_t capability(const struct geo_compute_device *gpu)
{
    return ATTRIBUTE(COMPUTE_CAPABILITY_MAJOR) * 10 + ATTRIBUTE(COMPUTE_CAPABILITY_MINOR);
}

/* Returns why kernels of ours cannot run on the GPU, or NULL. */
static const char *problem_of(const struct geo_compute_device *gpu)
{
    if (ATTRIBUTE(COMPUTE_MODE) == GEO_CUDA_COMPUTE_PROHIBITED) {
        return "its compute mode is PROHIBITED (nvidia-smi -c 0 allows it)";
    }
    if (capability(gpu) < CAPABILITY_LEAST) {
        return "its compute capability is below 7.0";
    }
    if (!ATTRIBUTE(UNIFIED_ADDRESSING) || !ATTRIBUTE(CAN_MAP_HOST_MEMORY) ||
        !ATTRIBUTE(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)) {
        return "CPU and GPU do not share addresses";
    }
    if (!ATTRIBUTE(CAN_USE_64_BIT_STREAM_MEM_OPS)) {
        return "its streams cannot wait for words of memory";
    }
    return NULL;
}

static void identity_fill(struct geo_backend_device *device)
{
    const struct geo_compute_device *gpu = device->compute;
    struct geo_device_info *info = &device->info;
    info->type = ZE_DEVICE_TYPE_GPU;
    info->flags = (ATTRIBUTE(ECC_ENABLED) ? (uint32_t)ZE_DEVICE_PROPERTY_FLAG_ECC : 0) |
                  (ATTRIBUTE(INTEGRATED) ? (uint32_t)ZE_DEVICE_PROPERTY_FLAG_INTEGRATED : 0);
    info->vendor_id = VENDOR_NVIDIA;
    /* CUDA 12.8 and later; the vendor is in the low half, as in NVML */
    info->device_id = ATTRIBUTE(GPU_PCI_DEVICE_ID) >> 16;
    if (info->device_id == 0 && device->on_bus) {
        info->device_id = device->pci.device_id >> 16;
    }
    info->pci = (struct geo_pci_place){
        .known = true,
        .domain = ATTRIBUTE(PCI_DOMAIN_ID),
        .bus = ATTRIBUTE(PCI_BUS_ID),
        .device = ATTRIBUTE(PCI_DEVICE_ID),
        .function = device->on_bus ? geo_nvml_device_pci_function(&device->pci) : 0,
    };
}

static void topology_fill(const struct geo_compute_device *gpu, struct geo_device_info *info)
{
    info->slices = 1;
    info->subslices_per_slice = ATTRIBUTE(MULTIPROCESSOR_COUNT);
    info->eus_per_subslice = SCHEDULERS;
    info->threads_per_eu =
        ATTRIBUTE(MAX_THREADS_PER_MULTIPROCESSOR) / GEO_NVIDIA_LANES / SCHEDULERS;
    info->simd_width = GEO_NVIDIA_LANES;
    info->core_clock_mhz = ATTRIBUTE(CLOCK_RATE) / 1000;
    info->max_hardware_contexts = CONCURRENT_GRIDS;
    info->max_command_queue_priority = PRIORITY_MOST;
    info->timer_hz = TIMER_HZ;
    info->timestamp_valid_bits = info->kernel_timestamp_valid_bits = TIMER_BITS;
}

static void memory_fill(const struct geo_compute_device *gpu, uint64_t bytes,
                        struct geo_device_info *info)
{
    info->memory_bytes = info->max_allocation_bytes = bytes;
    info->memory_clock_mhz = ATTRIBUTE(MEMORY_CLOCK_RATE) / 1000;
    info->memory_bus_width = ATTRIBUTE(GLOBAL_MEMORY_BUS_WIDTH);
    info->memory_name = "device memory";
    info->caches[0] = (struct geo_cache_info){
        .bytes = ATTRIBUTE(L2_CACHE_SIZE), .level = 2, .line_bytes = L2_LINE};
    info->cache_count = info->caches[0].bytes ? 1 : 0;
}

/* No printf yet, so no room for its text. */
static void limits_fill(const struct geo_compute_device *gpu, struct geo_device_info *info)
{
    info->max_group_items = ATTRIBUTE(MAX_THREADS_PER_BLOCK);
    for (int i = 0; i < 3; i++) {
        info->max_group_size[i] = attribute(gpu, GEO_CUDA_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
        info->max_group_count[i] = attribute(gpu, GEO_CUDA_ATTRIBUTE_MAX_GRID_DIM_X + i);
    }
    info->max_local_bytes = ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (info->max_local_bytes == 0) {
        info->max_local_bytes = ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK);
    }
    info->subgroup_sizes[0] = GEO_NVIDIA_LANES;
    info->subgroup_size_count = 1;
}

static void groups_fill(const struct geo_compute_device *gpu, struct geo_device_info *info)
{
    const uint32_t engines = ATTRIBUTE(ASYNC_ENGINE_COUNT);
    info->groups[0] = (struct geo_queue_group_info){
        .flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                 ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY |
                 (ATTRIBUTE(COOPERATIVE_LAUNCH)
                      ? (uint32_t)ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS
                      : 0),
        .max_fill_pattern_bytes = UINT64_MAX,
        .queue_count = COMPUTE_QUEUES,
    };
    info->groups[1] = (struct geo_queue_group_info){
        .flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
        .max_fill_pattern_bytes = GEO_COPY_GROUP_FILL_BYTES,
        .queue_count = engines,
    };
    info->group_count = engines ? 2 : 1;
}

ze_result_t geo_compute_properties_fill(struct geo_backend_device *device, struct geo_strbuf *why)
{
    const struct geo_compute_device *gpu = device->compute;
    size_t bytes = 0;
    geo_cuda_uuid uuid;
    ze_result_t result = GEO_CUDA_ASK(gpu->cuda, why, DeviceGetUuid, &uuid, gpu->ordinal);
    if (result == ZE_RESULT_SUCCESS) {
        result = GEO_CUDA_ASK(gpu->cuda, why, DeviceGetName, device->name,
                              (int)sizeof(device->name), gpu->ordinal);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = GEO_CUDA_ASK(gpu->cuda, why, DeviceTotalMem, &bytes, gpu->ordinal);
    }
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    device->name[sizeof(device->name) - 1] = '\0';
    const char *problem = problem_of(gpu);
    if (problem) {
        geo_strbuf_printf(why, "%s: %s", device->name, problem);
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    struct geo_device_info *info = &device->info;
    memset(info, 0, sizeof(*info));
    memcpy(info->uuid, uuid.bytes, sizeof(info->uuid));
    identity_fill(device);
    topology_fill(gpu, info);
    memory_fill(gpu, bytes, info);
    limits_fill(gpu, info);
    groups_fill(gpu, info);
    info->native.kinds = GEO_COMPUTE_PROGRAM_KINDS;
    info->native.contract = GEO_NVIDIA_CONTRACT;
    info->native.target = GEO_TARGET_NVIDIA;
    info->native.architecture = capability(gpu);
    info->target_cpu = info->native.architecture >= 90 ? "sm_90" : "sm_80";
    info->executes = true;
    return ZE_RESULT_SUCCESS;
}
