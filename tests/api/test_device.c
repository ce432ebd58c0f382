/* API test of devices: discovery and properties. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* DEV-1, INI-16, GEN-21 */
static void device_list_is_stable(void **state)
{
    struct api *api = *state;
    uint32_t count = 0;
    assert_success(zeDeviceGet(api->driver, &count, NULL));
    assert_int_equal(count, 1);
    ze_device_handle_t devices[4] = {NULL};
    count = 4;
    assert_success(zeDeviceGet(api->driver, &count, devices));
    assert_int_equal(count, 1);
    assert_ptr_equal(devices[0], api->device);
    assert_null(devices[1]);
}

/* DEV-3, ENV-3 */
static void a_device_without_tiles_is_a_root(void **state)
{
    struct api *api = *state;
    uint32_t count = 7;
    ze_device_handle_t root = api->device;
    ze_device_handle_t parts[7];
    assert_success(zeDeviceGetSubDevices(api->device, &count, parts));
    assert_int_equal(count, 0);
    assert_success(zeDeviceGetRootDevice(api->device, &root));
    assert_null(root);
    assert_result(zeDeviceGetRootDevice(api->device, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeDeviceGetSubDevices(api->device, NULL, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* DEV-10, DEV-11, DEV-21 */
static void device_properties_are_complete(void **state)
{
    struct api *api = *state;
    ze_device_properties_t p;
    static const ze_device_uuid_t zero;
    memset(&p, 0xa5, sizeof(p));
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    p.pNext = NULL;
    assert_success(zeDeviceGetProperties(api->device, &p));
    assert_int_equal(p.type, ZE_DEVICE_TYPE_GPU); /* clients look for GPUs only */
    assert_true(p.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED);
    assert_false(p.flags &
                 ~(uint32_t)(ZE_DEVICE_PROPERTY_FLAG_INTEGRATED | ZE_DEVICE_PROPERTY_FLAG_ECC |
                             ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING));
    assert_int_equal(p.subdeviceId, 0);
    assert_int_not_equal(p.vendorId, 0xa5a5a5a5);
    assert_int_not_equal(p.deviceId, 0xa5a5a5a5);
    assert_int_not_equal(p.coreClockRate, 0xa5a5a5a5);
    assert_true(p.maxMemAllocSize >= 1u << 20 && p.maxMemAllocSize < UINT64_C(1) << 60);
    assert_in_range(p.maxHardwareContexts, 1, 1u << 20);
    assert_in_range(p.maxCommandQueuePriority, 0, 16);
    assert_in_range(p.numThreadsPerEU, 1, 64);
    assert_in_range(p.physicalEUSimdWidth, 1, 64);
    assert_in_range(p.numEUsPerSubslice, 1, 4096);
    assert_in_range(p.numSubslicesPerSlice, 1, 4096);
    assert_in_range(p.numSlices, 1, 4096);
    assert_in_range(p.timestampValidBits, 32, 64);
    assert_in_range(p.kernelTimestampValidBits, 32, 64);
    assert_memory_not_equal(&p.uuid, &zero, sizeof(zero));
    assert_true(strlen(p.name) > 0 && strlen(p.name) < ZE_MAX_DEVICE_NAME);
}

/* DEV-11 */
static void timer_resolution_depends_on_the_structure_type(void **state)
{
    struct api *api = *state;
    ze_device_properties_t ns = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_properties_t hz = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    assert_success(zeDeviceGetProperties(api->device, &ns));
    assert_success(zeDeviceGetProperties(api->device, &hz));
    assert_in_range(ns.timerResolution, 1, 1000);
    assert_in_range(hz.timerResolution, 1000000, 10000000000);
    assert_in_range(ns.timerResolution * hz.timerResolution, 900000000, 1100000000);
    assert_memory_equal(&ns.uuid, &hz.uuid, sizeof(ns.uuid));
}

/* DEV-11, EXN-7 */
static void property_extensions_are_answered(void **state)
{
    struct api *api = *state;
    ze_device_usablemem_size_ext_properties_t usable = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES};
    ze_base_properties_t unknown = {(ze_structure_type_t)0x7ffff000, &usable};
    ze_eu_count_ext_t eu = {.stype = ZE_STRUCTURE_TYPE_EU_COUNT_EXT, .pNext = &unknown};
    ze_device_ip_version_ext_t ip = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT,
                                     .pNext = &eu};
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &ip};
    assert_success(zeDeviceGetProperties(api->device, &p));
    assert_int_equal(ip.ipVersion, 0x03000000);
    assert_int_equal(eu.numTotalEUs, p.numEUsPerSubslice * p.numSubslicesPerSlice * p.numSlices);
    assert_true(usable.currUsableMemSize > 0);
}

/* DEV-12, DEV-21 */
static void compute_properties_are_complete(void **state)
{
    struct api *api = *state;
    ze_device_compute_dotproduct_ext_properties_t dot;
    memset(&dot, 0xa5, sizeof(dot));
    dot.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_DOTPRODUCT_EXT_PROPERTIES;
    dot.pNext = NULL;
    ze_device_compute_properties_t p;
    memset(&p, 0xa5, sizeof(p));
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
    p.pNext = &dot;
    assert_success(zeDeviceGetComputeProperties(api->device, &p));
    assert_in_range(p.maxTotalGroupSize, 64, 65536);
    assert_in_range(p.maxGroupSizeX, 64, p.maxTotalGroupSize);
    assert_in_range(p.maxGroupSizeY, 1, p.maxTotalGroupSize);
    assert_in_range(p.maxGroupSizeZ, 1, p.maxTotalGroupSize);
    assert_true(p.maxGroupCountX >= 65535 && p.maxGroupCountY >= 1 && p.maxGroupCountZ >= 1);
    assert_in_range(p.maxSharedLocalMemory, 16384, 1u << 30);
    assert_in_range(p.numSubGroupSizes, 1, ZE_SUBGROUPSIZE_COUNT);
    for (uint32_t i = 0; i < ZE_SUBGROUPSIZE_COUNT; i++) {
        assert_true(i < p.numSubGroupSizes ? p.subGroupSizes[i] >= 1 && p.subGroupSizes[i] <= 128
                                           : p.subGroupSizes[i] == 0);
    }
    assert_int_equal(dot.dp_caps, 0);
    assert_int_equal(dot.bdpas_output_types, 0);
}

/* DEV-13 */
static void module_properties_are_complete(void **state)
{
    struct api *api = *state;
    ze_float_atomic_ext_properties_t atomics;
    memset(&atomics, 0xa5, sizeof(atomics));
    atomics.stype = ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES;
    atomics.pNext = NULL;
    ze_device_module_properties_t p;
    memset(&p, 0xa5, sizeof(p));
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
    p.pNext = &atomics;
    assert_success(zeDeviceGetModuleProperties(api->device, &p));
    assert_true(p.spirvVersionSupported >= ZE_MAKE_VERSION(1, 2) &&
                p.spirvVersionSupported <= ZE_MAKE_VERSION(1, 6));
    assert_true(p.flags & ZE_DEVICE_MODULE_FLAG_FP64);
    assert_true(p.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS);
    assert_true(p.flags & ZE_DEVICE_MODULE_FLAG_DP4A);
    assert_true(p.fp32flags & ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST);
    assert_true(p.fp32flags & ZE_DEVICE_FP_FLAG_INF_NAN);
    assert_true(p.fp64flags & ZE_DEVICE_FP_FLAG_FMA);
    assert_true((p.fp16flags != 0) == ((p.flags & ZE_DEVICE_MODULE_FLAG_FP16) != 0));
    assert_true(p.maxArgumentsSize >= 1024);
    if (api->executes) { /* OpenCL C wants this much of its full profile */
        assert_true(p.printfBufferSize >= 1u << 20);
    } else {
        assert_int_equal(p.printfBufferSize, 0);
    }
    assert_int_not_equal(atomics.fp32Flags, 0xa5a5a5a5);
}

/* DEV-13, EXN-7: what is supported is what is done anyway */
static void scheduling_hints_are_taken(void **state)
{
    struct api *api = *state;
    ze_scheduling_hint_exp_properties_t hints = {
        .stype = ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES};
    ze_device_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES,
                                       .pNext = &hints};
    assert_success(zeDeviceGetModuleProperties(api->device, &p));
    assert_int_equal(hints.schedulingHintFlags, ZE_SCHEDULING_HINT_EXP_FLAG_OLDEST_FIRST);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    ze_scheduling_hint_exp_desc_t hint = {.stype = ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_DESC,
                                          .flags = hints.schedulingHintFlags};
    assert_success(zeKernelSchedulingHintExp(kernel, &hint));
    hint.flags = ZE_SCHEDULING_HINT_EXP_FLAG_ROUND_ROBIN;
    assert_success(zeKernelSchedulingHintExp(kernel, &hint));
    hint.flags = 0x80;
    assert_result(zeKernelSchedulingHintExp(kernel, &hint), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeKernelSchedulingHintExp(kernel, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeKernelSchedulingHintExp(NULL, &hint), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

/* CMQ-1, DEV-21, GEN-21 */
static void queue_groups_offer_compute_and_copy(void **state)
{
    struct api *api = *state;
    uint32_t total = 0;
    assert_success(zeDeviceGetCommandQueueGroupProperties(api->device, &total, NULL));
    assert_in_range(total, 1, 8);
    ze_command_queue_group_properties_t groups[8];
    memset(groups, 0xa5, sizeof(groups));
    for (uint32_t i = 0; i < 8; i++) {
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
        groups[i].pNext = NULL;
    }
    uint32_t count = 8;
    assert_success(zeDeviceGetCommandQueueGroupProperties(api->device, &count, groups));
    assert_int_equal(count, total);
    uint32_t all = 0;
    for (uint32_t i = 0; i < total; i++) {
        all |= groups[i].flags;
        assert_in_range(groups[i].numQueues, 1, 4); /* clients start a thread for each */
        assert_true(groups[i].maxMemoryFillPatternSize >= 16);
    }
    assert_true(all & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    assert_true(all & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    assert_true(all & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS);
    if (total < 8) {
        assert_int_equal(groups[total].numQueues, 0xa5a5a5a5);
    }
}

/* DEV-14, DEV-21 */
static void memory_properties_describe_one_memory(void **state)
{
    struct api *api = *state;
    uint32_t count = 0;
    assert_success(zeDeviceGetMemoryProperties(api->device, &count, NULL));
    assert_int_equal(count, 1);
    ze_device_memory_ext_properties_t ext;
    memset(&ext, 0xa5, sizeof(ext));
    ext.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES;
    ext.pNext = NULL;
    ze_device_memory_properties_t p;
    memset(&p, 0xa5, sizeof(p));
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    p.pNext = &ext;
    assert_success(zeDeviceGetMemoryProperties(api->device, &count, &p));
    assert_int_equal(p.flags, 0);
    assert_true(p.totalSize >= 1u << 26 && p.totalSize < UINT64_C(1) << 60);
    assert_in_range(p.maxBusWidth, 1, 65536);
    assert_true(strlen(p.name) < ZE_MAX_DEVICE_NAME);
    assert_int_equal(ext.physicalSize, p.totalSize);
    assert_true(ext.type <= ZE_DEVICE_MEMORY_EXT_TYPE_LPDDR6);
    assert_true(ext.bandwidthUnit <= ZE_BANDWIDTH_UNIT_BYTES_PER_CLOCK);
    assert_true(api->properties.maxMemAllocSize <= p.totalSize);
}

/* DEV-15, MEM-7, MEM-8 */
static void memory_access_has_the_required_bits(void **state)
{
    struct api *api = *state;
    ze_device_memory_access_properties_t p = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    assert_success(zeDeviceGetMemoryAccessProperties(api->device, &p));
    assert_true(p.hostAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW);
    assert_true(p.deviceAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW);
    assert_true(p.sharedSingleDeviceAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW);
    const ze_memory_access_cap_flags_t known =
        ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC |
        ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
    assert_false((p.hostAllocCapabilities | p.deviceAllocCapabilities |
                  p.sharedSingleDeviceAllocCapabilities | p.sharedCrossDeviceAllocCapabilities |
                  p.sharedSystemAllocCapabilities) &
                 ~known);
    /* a device made of the host's cores shares all memory with the host */
    assert_int_equal(p.sharedSystemAllocCapabilities, known);
}

/* DEV-16 */
static void cache_properties_have_sizes_and_lines(void **state)
{
    struct api *api = *state;
    uint32_t total = 0;
    assert_success(zeDeviceGetCacheProperties(api->device, &total, NULL));
    assert_in_range(total, 0, 8);
    ze_device_cache_line_size_ext_t lines[8];
    ze_device_cache_properties_t caches[8];
    for (uint32_t i = 0; i < total; i++) {
        lines[i] = (ze_device_cache_line_size_ext_t){
            .stype = ZE_STRUCTURE_TYPE_DEVICE_CACHELINE_SIZE_EXT, .cacheLineSize = 3};
        caches[i] = (ze_device_cache_properties_t){
            .stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES, .pNext = &lines[i], .flags = 99};
    }
    assert_success(zeDeviceGetCacheProperties(api->device, &total, caches));
    for (uint32_t i = 0; i < total; i++) {
        assert_int_equal(caches[i].flags, 0);
        assert_true(caches[i].cacheSize >= 1024);
        assert_true(lines[i].cacheLineSize >= 16 &&
                    (lines[i].cacheLineSize & (lines[i].cacheLineSize - 1)) == 0);
    }
}

/* DEV-16 */
static void image_properties_are_written(void **state)
{
    struct api *api = *state;
    ze_device_image_properties_t p;
    memset(&p, 0xa5, sizeof(p));
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES;
    p.pNext = NULL;
    assert_success(zeDeviceGetImageProperties(api->device, &p));
    assert_in_range(p.maxImageDims1D, 1, 1 << 20);
    assert_in_range(p.maxImageDims2D, 1, 1 << 20);
    assert_in_range(p.maxImageDims3D, 1, 1 << 20);
    assert_in_range(p.maxImageBufferSize, 1, UINT64_C(1) << 40);
    assert_in_range(p.maxImageArraySlices, 1, 1 << 20);
    assert_in_range(p.maxSamplers, 0, 1 << 20);
    assert_in_range(p.maxReadImageArgs, 0, 1 << 20);
    assert_in_range(p.maxWriteImageArgs, 0, 1 << 20);
}

/* EXM-1 */
static void external_memory_types_are_descriptors(void **state)
{
    struct api *api = *state;
    ze_device_external_memory_properties_t p;
    memset(&p, 0xa5, sizeof(p));
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES;
    p.pNext = NULL;
    assert_success(zeDeviceGetExternalMemoryProperties(api->device, &p));
    assert_true(p.memoryAllocationImportTypes & ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD);
    assert_true(p.memoryAllocationExportTypes & ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD);
    assert_int_equal(p.imageImportTypes, p.memoryAllocationImportTypes);
    assert_int_equal(p.imageExportTypes, p.memoryAllocationExportTypes);
}

/* DEV-17, DEV-18, DEV-19 */
static void a_device_reaches_itself(void **state)
{
    struct api *api = *state;
    ze_bool_t access = 0;
    ze_device_p2p_bandwidth_exp_properties_t bandwidth;
    memset(&bandwidth, 0xa5, sizeof(bandwidth));
    bandwidth.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_BANDWIDTH_EXP_PROPERTIES;
    bandwidth.pNext = NULL;
    ze_device_p2p_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES,
                                    .pNext = &bandwidth};
    assert_success(zeDeviceCanAccessPeer(api->device, api->device, &access));
    assert_success(zeDeviceGetP2PProperties(api->device, api->device, &p));
    assert_int_equal(access, 1);
    assert_int_equal(p.flags,
                     ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS);
    assert_true(bandwidth.bandwidthUnit <= ZE_BANDWIDTH_UNIT_BYTES_PER_CLOCK);
    assert_true(bandwidth.latencyUnit <= ZE_LATENCY_UNIT_HOP);
    assert_result(zeDeviceCanAccessPeer(api->device, NULL, &access),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeDeviceCanAccessPeer(api->device, api->device, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeDeviceGetP2PProperties(api->device, api->device, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* INI-8, DEV-17, GEN-21 */
static void every_device_is_a_vertex_of_the_fabric(void **state)
{
    struct api *api = *state;
    uint32_t devices = 0, count = 0;
    ze_fabric_vertex_handle_t listed[16] = {NULL}, vertex = NULL;
    assert_success(zeDeviceGet(api->driver, &devices, NULL));
    assert_success(zeFabricVertexGetExp(api->driver, &count, NULL));
    assert_int_equal(count, devices);
    count = 16;
    assert_success(zeFabricVertexGetExp(api->driver, &count, listed));
    assert_int_equal(count, devices);
    assert_success(zeDeviceGetFabricVertexExp(api->device, &vertex));
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        found = found || listed[i] == vertex;
    }
    assert_true(found);
    ze_device_handle_t device = NULL;
    assert_success(zeFabricVertexGetDeviceExp(vertex, &device));
    assert_ptr_equal(device, api->device);
    ze_fabric_vertex_exp_properties_t p;
    memset(&p, 0xa5, sizeof(p));
    p.stype = ZE_STRUCTURE_TYPE_FABRIC_VERTEX_EXP_PROPERTIES;
    p.pNext = NULL;
    assert_success(zeFabricVertexGetPropertiesExp(vertex, &p));
    assert_int_equal(p.type, ZE_FABRIC_VERTEX_EXP_TYPE_DEVICE);
    assert_false(p.remote);
    assert_memory_equal(p.uuid.id, api->properties.uuid.id, sizeof(p.uuid.id));
    ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    assert_success(zeDevicePciGetPropertiesExt(api->device, &pci));
    assert_int_equal(p.address.domain, pci.address.domain);
    assert_int_equal(p.address.bus, pci.address.bus);
    assert_int_equal(p.address.device, pci.address.device);
    assert_int_equal(p.address.function, pci.address.function);
}

/* DEV-17, GEN-21 */
static void one_device_has_no_edges(void **state)
{
    struct api *api = *state;
    uint32_t count = 5;
    ze_fabric_vertex_handle_t vertex = NULL, ends[2];
    ze_fabric_edge_handle_t edges[5];
    ze_fabric_edge_exp_properties_t p = {.stype = ZE_STRUCTURE_TYPE_FABRIC_EDGE_EXP_PROPERTIES};
    assert_success(zeDeviceGetFabricVertexExp(api->device, &vertex));
    assert_success(zeFabricEdgeGetExp(vertex, vertex, &count, edges));
    assert_int_equal(count, 0);
    count = 5;
    assert_success(zeFabricVertexGetSubVerticesExp(vertex, &count, NULL));
    assert_int_equal(count, 0);
    ze_fabric_edge_handle_t wrong = (ze_fabric_edge_handle_t)(void *)vertex;
    assert_result(zeFabricEdgeGetPropertiesExp(wrong, &p), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeFabricEdgeGetVerticesExp(wrong, &ends[0], &ends[1]),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeFabricEdgeGetVerticesExp(NULL, &ends[0], &ends[1]),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    ze_fabric_vertex_handle_t device = (ze_fabric_vertex_handle_t)(void *)api->device;
    assert_result(zeFabricEdgeGetExp(vertex, device, &count, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeFabricVertexGetExp(api->driver, NULL, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* The clock of host timestamps. The corrected one is ahead of it or behind it on any machine that
 * keeps its time by a network. */
static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* DEV-11 */
static void global_timestamps_advance_together(void **state)
{
    struct api *api = *state;
    uint64_t host[2], device[2], begin[2], end[2];
    const struct timespec pause = {0, 20000000};
    for (int i = 0; i < 2; i++) {
        begin[i] = raw_ns();
        assert_success(zeDeviceGetGlobalTimestamps(api->device, &host[i], &device[i]));
        end[i] = raw_ns();
        assert_in_range(host[i], begin[i], end[i]);
        nanosleep(&pause, NULL);
    }
    /* Between the calls, and a tick more or less; however long this thread was kept away. */
    uint64_t tick = api->properties.timerResolution;
    uint64_t device_ns = (device[1] - device[0]) * tick;
    assert_in_range(device_ns, begin[1] - end[0] - tick, end[1] - begin[0] + tick);
    assert_result(zeDeviceGetGlobalTimestamps(api->device, NULL, &device[0]),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* CTX-7 */
static void device_status_is_fine(void **state)
{
    struct api *api = *state;
    assert_success(zeDeviceGetStatus(api->device));
    assert_result(zeDeviceGetStatus(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_success(zeDeviceSynchronize(api->device));
}

/* A processor is on no bus: its address is one that Linux gives to no device here. */
static void the_pci_address_is_of_no_other_device(void **state)
{
    struct api *api = *state;
    ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    assert_success(zeDevicePciGetPropertiesExt(api->device, &pci));
    assert_int_equal(pci.address.domain, 0xffff);
    assert_int_equal(pci.address.bus, 0xff);
    assert_true(pci.address.device < 32 && pci.address.function < 8);
    assert_int_equal(pci.maxSpeed.genVersion, -1);
    assert_int_equal(pci.maxSpeed.width, -1);
    assert_int_equal(pci.maxSpeed.maxBandwidth, -1);
    char path[64];
    snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.%x", pci.address.domain,
             pci.address.bus, pci.address.device, pci.address.function);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* DEV-11 */
static void vector_widths_are_complete(void **state)
{
    struct api *api = *state;
    uint32_t count = 0;
    assert_success(zeDeviceGetVectorWidthPropertiesExt(api->device, &count, NULL));
    assert_int_equal(count, 1);
    ze_device_vector_width_properties_ext_t width;
    memset(&width, 0xa5, sizeof(width));
    width.stype = ZE_STRUCTURE_TYPE_DEVICE_VECTOR_WIDTH_PROPERTIES_EXT;
    width.pNext = NULL;
    assert_success(zeDeviceGetVectorWidthPropertiesExt(api->device, &count, &width));
    assert_int_equal(width.vector_width_size, api->properties.physicalEUSimdWidth * 4);
    assert_int_equal(width.native_vector_width_float, width.vector_width_size / 4);
    assert_int_equal(width.preferred_vector_width_int, 1);
    /* OpenCL and SYCL take 0 for a device without halves. */
    assert_int_equal(width.preferred_vector_width_half, 1);
    assert_int_equal(width.native_vector_width_half, width.vector_width_size / 2);
}

/* SYS-2, DEV-10, ENV-5 */
static void one_object_answers_as_core_and_sysman_device(void **state)
{
    struct api *api = *state;
    assert_success(zesInit(0));
    zes_driver_handle_t drivers[8];
    uint32_t count = 8;
    assert_success(zesDriverGet(&count, drivers));
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        zes_device_handle_t device;
        uint32_t one = 1;
        assert_success(zesDeviceGet(drivers[i], &one, &device));
        zes_device_properties_t p;
        memset(&p, 0xa5, sizeof(p));
        p.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        p.pNext = NULL;
        assert_success(zesDeviceGetProperties(device, &p));
        if (memcmp(&p.core.uuid, &api->properties.uuid, sizeof(p.core.uuid)) == 0) {
            found = true;
            assert_int_equal(p.numSubdevices, 0);
            assert_true(strlen(p.driverVersion) > 0 &&
                        strlen(p.driverVersion) < ZES_STRING_PROPERTY_SIZE);
            assert_string_equal(p.core.name, api->properties.name);
            zes_uuid_t uuid;
            zes_device_handle_t same = NULL;
            ze_bool_t on_part = 1;
            uint32_t part = 7;
            memcpy(uuid.id, p.core.uuid.id, sizeof(uuid.id));
            assert_success(zesDriverGetDeviceByUuidExp(drivers[i], uuid, &same, &on_part, &part));
            assert_ptr_equal(same, device);
            assert_int_equal(on_part, 0);
        }
    }
    assert_true(found);
}

static const struct api_case cases[] = {
    API_CASE(device_list_is_stable),
    API_CASE(a_device_without_tiles_is_a_root),
    API_CASE(device_properties_are_complete),
    API_CASE(timer_resolution_depends_on_the_structure_type),
    API_CASE(property_extensions_are_answered),
    API_CASE(compute_properties_are_complete),
    API_CASE(module_properties_are_complete),
    API_CASE(scheduling_hints_are_taken),
    API_CASE(queue_groups_offer_compute_and_copy),
    API_CASE(memory_properties_describe_one_memory),
    API_CASE(memory_access_has_the_required_bits),
    API_CASE(cache_properties_have_sizes_and_lines),
    API_CASE(image_properties_are_written),
    API_CASE(external_memory_types_are_descriptors),
    API_CASE(a_device_reaches_itself),
    API_CASE(every_device_is_a_vertex_of_the_fabric),
    API_CASE(one_device_has_no_edges),
    API_CASE(global_timestamps_advance_together),
    API_CASE(device_status_is_fine),
    API_CASE(the_pci_address_is_of_no_other_device),
    API_CASE(vector_widths_are_complete),
    API_CASE(one_object_answers_as_core_and_sysman_device),
};

API_MAIN("device", cases)
