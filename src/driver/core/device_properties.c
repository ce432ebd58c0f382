/* Fills the property structures of devices from the backend's description. See device_properties.h.
 *
 * Every structure of the API that may be in a chain is filled. A structure for a feature that this
 * driver lacks gets its value for "none". */
#include "driver/core/device_properties.h"

#include "base/assert.h"
#include "base/option.h"
#include "driver/core/check.h"
#include "rtas/format.h"

#include <stdio.h>
#include <string.h>

#define PCI_DEVICES   32 /* per bus */
#define PCI_FUNCTIONS 8

#define LINK(type) ((type *)(void *)walk.link)

static void name_copy(char *out, size_t size, const char *name)
{
    memset(out, 0, size);
    snprintf(out, size, "%s", name ? name : "");
}

static uint32_t eu_total(const struct geo_device_info *info)
{
    return info->eus_per_subslice * info->subslices_per_slice * info->slices;
}

static uint64_t usable_bytes(const struct geo_device *device)
{
    const struct geo_driver *driver = device->base.driver;
    uint64_t bytes = 0;
    if (!driver->ops->memory) {
        return device->info->memory_bytes;
    }
    ze_result_t result =
        driver->ops->memory->available(driver->backend, device->backend_device, &bytes);
    return result == ZE_RESULT_SUCCESS ? bytes : device->info->memory_bytes;
}

/* Fills the structures in the chain of ze_device_properties_t. */
static void properties_extend(const struct geo_device *device, const void *next)
{
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        switch ((uint32_t)walk.link->stype) {
        case GEO_LINK_STYPE(ze_device_properties_t, ze_device_ip_version_ext_t):
            LINK(ze_device_ip_version_ext_t)->ipVersion =
                (uint32_t)geo_option_number("GEOID_DEVICE_IP_VERSION", 0, UINT32_MAX);
            break;
        case GEO_LINK_STYPE(ze_device_properties_t, ze_eu_count_ext_t):
            LINK(ze_eu_count_ext_t)->numTotalEUs = eu_total(device->info);
            break;
        case GEO_LINK_STYPE(ze_device_properties_t,
                            ze_device_luid_ext_properties_t): /* LUIDs exist only on Windows */
            memset(&LINK(ze_device_luid_ext_properties_t)->luid, 0, sizeof(ze_device_luid_ext_t));
            LINK(ze_device_luid_ext_properties_t)->nodeMask = 0;
            break;
        case GEO_LINK_STYPE(ze_device_properties_t, ze_device_usablemem_size_ext_properties_t):
            LINK(ze_device_usablemem_size_ext_properties_t)->currUsableMemSize =
                usable_bytes(device);
            break;
        case GEO_LINK_STYPE(ze_device_properties_t, ze_device_readonly_memory_ext_properties_t):
            LINK(ze_device_readonly_memory_ext_properties_t)->readonlyCapability =
                ZE_DEVICE_READONLY_MEMORY_CAPABILITY_ENFORCED;
            break;
        case GEO_LINK_STYPE(ze_device_properties_t, ze_device_event_properties_t):
            LINK(ze_device_event_properties_t)->flags =
                ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE |
                ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_IPC |
                ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION;
            break;
        case GEO_LINK_STYPE(ze_device_properties_t,
                            ze_event_query_kernel_timestamps_ext_properties_t):
            LINK(ze_event_query_kernel_timestamps_ext_properties_t)->flags =
                ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_KERNEL |
                ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_SYNCHRONIZED;
            break;
        case GEO_LINK_STYPE(ze_device_properties_t, ze_mutable_command_list_exp_properties_t):
            LINK(ze_mutable_command_list_exp_properties_t)->mutableCommandListFlags = 0;
            LINK(ze_mutable_command_list_exp_properties_t)->mutableCommandFlags =
                GEO_FLAGS_ALL(ze_mutable_command_exp_flags_t) &
                /* only for neural networks */
                ~(uint32_t)ZE_MUTABLE_COMMAND_EXP_FLAG_GRAPH_ARGUMENTS;
            break;
        case GEO_LINK_STYPE(ze_device_properties_t, ze_record_replay_graph_ext_properties_t):
            LINK(ze_record_replay_graph_ext_properties_t)->graphFlags =
                ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_IMMUTABLE_GRAPH |
                ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_SUBGRAPHS |
                ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_CB_EXTERNAL_IPC;
            break;
        case GEO_LINK_STYPE(ze_device_properties_t, ze_rtas_device_exp_properties_t):
            LINK(ze_rtas_device_exp_properties_t)->flags = 0;
            LINK(ze_rtas_device_exp_properties_t)->rtasFormat =
                (ze_rtas_format_exp_t)GEO_RTAS_FORMAT;
            LINK(ze_rtas_device_exp_properties_t)->rtasBufferAlignment = GEO_RTAS_ALIGNMENT;
            break;
        case GEO_LINK_STYPE(ze_device_properties_t, ze_rtas_device_ext_properties_t):
            LINK(ze_rtas_device_ext_properties_t)->flags = 0;
            LINK(ze_rtas_device_ext_properties_t)->rtasFormat =
                (ze_rtas_format_ext_t)GEO_RTAS_FORMAT;
            LINK(ze_rtas_device_ext_properties_t)->rtasBufferAlignment = GEO_RTAS_ALIGNMENT;
            break;
        default: /* unknown structures are skipped */
            break;
        }
    }
}

void geo_device_fill_properties(const struct geo_device *device, ze_device_properties_t *out)
{
    const struct geo_device_info *info = device->info;
    bool cycles = out->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    uint64_t hz = info->timer_hz ? info->timer_hz : 1000000000u;
    out->type = device->type;
    out->vendorId = device->vendor_id;
    out->deviceId = info->device_id;
    out->flags = info->flags;
    if (info->type ==
        /* a CPU reported as a GPU is integrated: programs prefer discrete GPUs */
        ZE_DEVICE_TYPE_CPU) {
        out->flags &= ~(uint32_t)ZE_DEVICE_PROPERTY_FLAG_INTEGRATED;
        out->flags |= device->type == ZE_DEVICE_TYPE_GPU ? ZE_DEVICE_PROPERTY_FLAG_INTEGRATED : 0;
    }
    out->flags |= device->root ? ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE : 0;
    out->subdeviceId = device->sub_id;
    out->coreClockRate = info->core_clock_mhz;
    out->maxMemAllocSize = info->max_allocation_bytes;
    out->maxHardwareContexts = info->max_hardware_contexts;
    out->maxCommandQueuePriority = info->max_command_queue_priority;
    out->numThreadsPerEU = info->threads_per_eu;
    out->physicalEUSimdWidth = info->simd_width;
    out->numEUsPerSubslice = info->eus_per_subslice;
    out->numSubslicesPerSlice = info->subslices_per_slice;
    out->numSlices = info->slices;
    out->timerResolution = cycles ? hz : (1000000000u + hz / 2) / hz; /* Hz, or ns per cycle */
    out->timestampValidBits = info->timestamp_valid_bits;
    out->kernelTimestampValidBits = info->kernel_timestamp_valid_bits;
    memcpy(out->uuid.id, info->uuid, sizeof(out->uuid.id));
    name_copy(out->name, sizeof(out->name), info->name);
    properties_extend(device, GEO_CHAIN_OF(ze_device_properties_t, out));
}

void geo_device_fill_compute(const struct geo_device *device, ze_device_compute_properties_t *out)
{
    const struct geo_device_info *info = device->info;
    out->maxTotalGroupSize = info->max_group_items;
    out->maxGroupSizeX = info->max_group_size[0];
    out->maxGroupSizeY = info->max_group_size[1];
    out->maxGroupSizeZ = info->max_group_size[2];
    out->maxGroupCountX = info->max_group_count[0];
    out->maxGroupCountY = info->max_group_count[1];
    out->maxGroupCountZ = info->max_group_count[2];
    out->maxSharedLocalMemory = info->max_local_bytes;
    GEO_ASSERT(info->subgroup_size_count <= ZE_SUBGROUPSIZE_COUNT);
    out->numSubGroupSizes = info->subgroup_size_count;
    for (uint32_t i = 0; i < ZE_SUBGROUPSIZE_COUNT; i++) {
        out->subGroupSizes[i] = i < info->subgroup_size_count ? info->subgroup_sizes[i] : 0;
    }
    const void *next = GEO_CHAIN_OF(ze_device_compute_properties_t, out);
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if (GEO_LINK_IS(ze_device_compute_properties_t,
                        ze_device_compute_dotproduct_ext_properties_t, walk)) {
            ze_device_compute_dotproduct_ext_properties_t *dot =
                LINK(ze_device_compute_dotproduct_ext_properties_t);
            dot->dp_caps = 0;
            dot->dpv4_input_types = dot->dpas_input_types = dot->bdpas_input_types = 0;
            dot->dpv4_output_types = dot->dpas_output_types = dot->bdpas_output_types = 0;
        }
    }
}

/* Fills the structures in the chain of ze_device_module_properties_t. */
static void module_extend(const void *next)
{
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if (GEO_LINK_IS(ze_device_module_properties_t, ze_float_atomic_ext_properties_t, walk)) {
            ze_float_atomic_ext_properties_t *atomics = LINK(ze_float_atomic_ext_properties_t);
            atomics->fp16Flags = atomics->fp32Flags = atomics->fp64Flags =
                ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE |
                ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD |
                ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX |
                ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE |
                ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX;
        } else if (GEO_LINK_IS(ze_device_module_properties_t, ze_scheduling_hint_exp_properties_t,
                               walk)) {
            LINK(ze_scheduling_hint_exp_properties_t)->schedulingHintFlags =
                ZE_SCHEDULING_HINT_EXP_FLAG_OLDEST_FIRST;
        } else if (GEO_LINK_IS(ze_device_module_properties_t, ze_device_raytracing_ext_properties_t,
                               walk)) {
            LINK(ze_device_raytracing_ext_properties_t)->flags =
                ZE_DEVICE_RAYTRACING_EXT_FLAG_RAYQUERY;
            LINK(ze_device_raytracing_ext_properties_t)->maxBVHLevels = GEO_RTAS_LEVELS;
        }
    }
}

void geo_device_fill_module(const struct geo_device *device, ze_device_module_properties_t *out)
{
    const ze_device_fp_flags_t float_flags =
        ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST |
        ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO | ZE_DEVICE_FP_FLAG_ROUND_TO_INF | ZE_DEVICE_FP_FLAG_FMA |
        ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
    /* the version that the compiler's reader accepts */
    out->spirvVersionSupported = ZE_MAKE_VERSION(1, 6);
    out->flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_FP64 |
                 ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS | ZE_DEVICE_MODULE_FLAG_DP4A;
    out->fp16flags = float_flags;
    out->fp32flags = float_flags;
    out->fp64flags = float_flags;
    out->maxArgumentsSize = 32768;
    out->printfBufferSize = device->info->print_bytes;
    memset(&out->nativeKernelSupported, 0, sizeof(out->nativeKernelSupported));
    module_extend(GEO_CHAIN_OF(ze_device_module_properties_t, out));
}

void geo_device_fill_group(const struct geo_device *device, uint32_t ordinal,
                           ze_command_queue_group_properties_t *out)
{
    GEO_ASSERT(ordinal < device->info->group_count);
    const struct geo_queue_group_info *group = &device->info->groups[ordinal];
    out->flags = group->flags;
    out->maxMemoryFillPatternSize = group->max_fill_pattern_bytes;
    out->numQueues = group->queue_count;
    ze_copy_bandwidth_exp_properties_t *bandwidth =
        GEO_CHAIN_FIND(ze_command_queue_group_properties_t, ze_copy_bandwidth_exp_properties_t,
                       GEO_CHAIN_OF(ze_command_queue_group_properties_t, out));
    if (bandwidth) {
        bandwidth->copyBandwidth = 0;
        bandwidth->copyBandwidthUnit = ZE_BANDWIDTH_UNIT_UNKNOWN;
    }
}

void geo_device_fill_memory(const struct geo_device *device, ze_device_memory_properties_t *out)
{
    const struct geo_device_info *info = device->info;
    out->flags = 0;
    out->maxClockRate = info->memory_clock_mhz;
    out->maxBusWidth = info->memory_bus_width;
    out->totalSize = info->memory_bytes;
    name_copy(out->name, sizeof(out->name), info->memory_name);
    ze_device_memory_ext_properties_t *extension =
        GEO_CHAIN_FIND(ze_device_memory_properties_t, ze_device_memory_ext_properties_t,
                       GEO_CHAIN_OF(ze_device_memory_properties_t, out));
    if (extension) {
        extension->type = info->type == ZE_DEVICE_TYPE_CPU ? ZE_DEVICE_MEMORY_EXT_TYPE_DDR
                                                           : ZE_DEVICE_MEMORY_EXT_TYPE_FORCE_UINT32;
        extension->physicalSize = info->memory_bytes;
        extension->readBandwidth = 0;
        extension->writeBandwidth = 0;
        extension->bandwidthUnit = ZE_BANDWIDTH_UNIT_UNKNOWN;
    }
}

/* The device computes with the host's cores, so all memory is the same to it. */
void geo_device_fill_memory_access(const struct geo_device *device,
                                   ze_device_memory_access_properties_t *out)
{
    const ze_memory_access_cap_flags_t all =
        ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC |
        ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
    bool host = device->info->type == ZE_DEVICE_TYPE_CPU || !device->info->executes;
    ze_memory_access_cap_flags_t flags = host ? all : ZE_MEMORY_ACCESS_CAP_FLAG_RW;
    out->hostAllocCapabilities = flags;
    out->deviceAllocCapabilities = flags;
    out->sharedSingleDeviceAllocCapabilities = flags;
    out->sharedCrossDeviceAllocCapabilities = host ? all : 0;
    out->sharedSystemAllocCapabilities = host ? all : 0;
}

void geo_device_fill_cache(const struct geo_device *device, uint32_t index,
                           ze_device_cache_properties_t *out)
{
    GEO_ASSERT(index < device->info->cache_count);
    const struct geo_cache_info *cache = &device->info->caches[index];
    out->flags = 0;
    out->cacheSize = cache->bytes;
    const void *next = GEO_CHAIN_OF(ze_device_cache_properties_t, out);
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if (GEO_LINK_IS(ze_device_cache_properties_t, ze_device_cache_line_size_ext_t, walk)) {
            LINK(ze_device_cache_line_size_ext_t)->cacheLineSize = cache->line_bytes;
        } else if (GEO_LINK_IS(ze_device_cache_properties_t, ze_cache_reservation_ext_desc_t,
                               walk)) {
            LINK(ze_cache_reservation_ext_desc_t)->maxCacheReservationSize = 0;
        }
    }
}

bool geo_device_reaches(const struct geo_device *device, const struct geo_device *peer)
{
    return device->base.driver == peer->base.driver && device->base.driver->ops->stream;
}

void geo_device_fill_p2p(const struct geo_device *device, const struct geo_device *peer,
                         ze_device_p2p_properties_t *out)
{
    out->flags = geo_device_reaches(device, peer)
                     ? ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS
                     : 0;
    ze_device_p2p_bandwidth_exp_properties_t *bandwidth =
        GEO_CHAIN_FIND(ze_device_p2p_properties_t, ze_device_p2p_bandwidth_exp_properties_t,
                       GEO_CHAIN_OF(ze_device_p2p_properties_t, out));
    if (bandwidth) {
        bandwidth->logicalBandwidth = bandwidth->physicalBandwidth = 0;
        bandwidth->bandwidthUnit = ZE_BANDWIDTH_UNIT_UNKNOWN;
        bandwidth->logicalLatency = bandwidth->physicalLatency = 0;
        bandwidth->latencyUnit = ZE_LATENCY_UNIT_UNKNOWN;
    }
}

/* Work-items are vectorised by the compiler, so scalars are preferred. The native widths are those
 * of the machine's vector registers. */
void geo_device_fill_vector_width(const struct geo_device *device,
                                  ze_device_vector_width_properties_ext_t *out)
{
    uint32_t bytes = device->info->simd_width * 4;
    out->vector_width_size = bytes;
    out->preferred_vector_width_char = out->preferred_vector_width_short = 1;
    out->preferred_vector_width_int = out->preferred_vector_width_long = 1;
    out->preferred_vector_width_float = out->preferred_vector_width_double = 1;
    out->preferred_vector_width_half = 1; /* 0 would mean that half is unsupported */
    out->native_vector_width_char = bytes;
    out->native_vector_width_short = bytes / 2;
    out->native_vector_width_int = bytes / 4;
    out->native_vector_width_long = bytes / 8;
    out->native_vector_width_float = bytes / 4;
    out->native_vector_width_double = bytes / 8;
    out->native_vector_width_half = bytes / 2;
}

ze_pci_address_ext_t geo_device_pci_address(const struct geo_device *device)
{
    const struct geo_pci_place *place = &device->info->pci;
    if (place->known) {
        return (ze_pci_address_ext_t){.domain = place->domain,
                                      .bus = place->bus,
                                      .device = place->device,
                                      .function = place->function};
    }
    return (ze_pci_address_ext_t){.domain = 0xffff,
                                  .bus = 0xff,
                                  .device = device->index % PCI_DEVICES,
                                  .function = device->index / PCI_DEVICES % PCI_FUNCTIONS};
}
