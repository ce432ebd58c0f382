/* API test of several devices and their sub-devices: what each is, and that each is asked like the
 * others. Run with GEOID_DEVICES and every ZE_FLAT_DEVICE_HIERARCHY, as its neighbours
 * test_devices_work.c and test_devices_memory.c; the cases take what is listed. */
#include "devices_support.h"

/* ---- what they are ---- */

/* DEV-3, DEV-6, DEV-21 */
static void sub_devices_add_up_to_their_device(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        uint32_t subs = 0, slices = 0, units = 0;
        uint64_t bytes = 0;
        for (uint32_t k = i + 1; k < devices.count && devices.parent[k] == i; k++) {
            assert_true(devices.p[k].flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);
            assert_int_equal(devices.p[k].subdeviceId, subs++);
            slices += devices.p[k].numSlices;
            units += units_of(&devices.p[k]);
            bytes += memory_of(devices.all[k]);
        }
        if (subs != 0) {
            assert_false(devices.p[i].flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);
            assert_int_equal(devices.p[i].numSlices, slices);
            assert_int_equal(units_of(&devices.p[i]), units);
            assert_in_range(memory_of(devices.all[i]), bytes, bytes + subs * 4096);
        }
        assert_int_equal(devices.p[i].vendorId, devices.p[0].vendorId);
        assert_string_equal(devices.p[i].name, devices.p[0].name);
    }
}

/* DEV-10: a sub-device's UUID differs from its device's in the last byte alone
 * (docs/decisions/driver.md, "UUIDs and modules of tiles"). */
static void every_device_has_a_uuid_of_its_own(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            assert_memory_not_equal(&devices.p[i].uuid, &devices.p[k].uuid,
                                    sizeof(ze_device_uuid_t));
        }
        assert_memory_equal(&devices.p[i].uuid, &devices.p[devices.parent[i]].uuid,
                            sizeof(ze_device_uuid_t) - 1);
    }
}

/* DEV-17, DEV-18, DEV-19 */
static void devices_reach_each_other(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        for (uint32_t k = 0; k < devices.count; k++) {
            ze_device_p2p_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
            ze_bool_t access = 0;
            assert_success(zeDeviceCanAccessPeer(devices.all[i], devices.all[k], &access));
            assert_success(zeDeviceGetP2PProperties(devices.all[i], devices.all[k], &p));
            assert_int_equal(access, 1);
            assert_int_equal(p.flags, ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS |
                                          ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS);
        }
    }
}

/* ---- the fabric ---- */

static ze_fabric_vertex_handle_t vertex_of(ze_device_handle_t device)
{
    ze_fabric_vertex_handle_t vertex = NULL;
    ze_device_handle_t back = NULL;
    assert_success(zeDeviceGetFabricVertexExp(device, &vertex));
    assert_success(zeFabricVertexGetDeviceExp(vertex, &back));
    assert_ptr_equal(back, device);
    return vertex;
}

/* DEV-17 */
static void sub_devices_are_sub_vertices(void **state)
{
    struct api *api = *state;
    ze_fabric_vertex_handle_t tops[DEVICES], parts[DEVICES];
    uint32_t count = DEVICES;
    assert_success(zeFabricVertexGetExp(api->driver, &count, tops));
    for (uint32_t i = 0; i < count; i++) {
        ze_device_handle_t device = NULL, subs[DEVICES], root;
        uint32_t part_count = DEVICES, sub_count = DEVICES;
        assert_success(zeFabricVertexGetDeviceExp(tops[i], &device));
        root = device;
        assert_success(zeDeviceGetRootDevice(device, &root));
        assert_null(root);
        assert_success(zeFabricVertexGetSubVerticesExp(tops[i], &part_count, parts));
        assert_success(zeDeviceGetSubDevices(device, &sub_count, subs));
        assert_int_equal(part_count, sub_count);
        for (uint32_t k = 0; k < part_count; k++) {
            ze_fabric_vertex_exp_properties_t p = {
                .stype = ZE_STRUCTURE_TYPE_FABRIC_VERTEX_EXP_PROPERTIES};
            assert_ptr_equal(parts[k], vertex_of(subs[k]));
            assert_success(zeFabricVertexGetPropertiesExp(parts[k], &p));
            assert_int_equal(p.type, ZE_FABRIC_VERTEX_EXP_TYPE_SUBDEVICE);
        }
    }
}

/* Returns the edge between two devices, NULL when there is none, after looking at it. */
static ze_fabric_edge_handle_t edge_of(ze_device_handle_t a, ze_device_handle_t b)
{
    ze_fabric_vertex_handle_t ends[2] = {vertex_of(a), vertex_of(b)}, seen[2];
    ze_fabric_edge_handle_t edge = NULL, back = NULL;
    uint32_t count = 2;
    assert_success(zeFabricEdgeGetExp(ends[0], ends[1], &count, &edge));
    assert_in_range(count, 0, 1);
    if (count == 0) {
        return NULL;
    }
    assert_success(zeFabricEdgeGetExp(ends[1], ends[0], &count, &back));
    assert_ptr_equal(edge, back);
    assert_success(zeFabricEdgeGetVerticesExp(edge, &seen[0], &seen[1]));
    assert_true((seen[0] == ends[0] && seen[1] == ends[1]) ||
                (seen[0] == ends[1] && seen[1] == ends[0]));
    return edge;
}

/* DEV-17 */
static void edges_join_all_but_a_device_and_its_parts(void **state)
{
    struct api *api = *state;
    struct devices devices;
    ze_uuid_t uuids[DEVICES * 4];
    uint32_t edges = 0;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        assert_null(edge_of(devices.all[i], devices.all[i]));
        for (uint32_t k = 0; k < i && edges < DEVICES * 4; k++) {
            ze_fabric_edge_exp_properties_t p = {.stype =
                                                     ZE_STRUCTURE_TYPE_FABRIC_EDGE_EXP_PROPERTIES};
            ze_fabric_edge_handle_t edge = edge_of(devices.all[i], devices.all[k]);
            assert_int_equal(edge == NULL, devices.parent[i] == k);
            if (edge) {
                assert_success(zeFabricEdgeGetPropertiesExp(edge, &p));
                assert_true(strlen(p.model) > 0);
                for (uint32_t e = 0; e < edges; e++) {
                    assert_memory_not_equal(&p.uuid, &uuids[e], sizeof(p.uuid));
                }
                uuids[edges++] = p.uuid;
            }
        }
    }
    assert_true(edges > 0);
}

/* ---- calls that take a device ---- */

typedef ze_result_t (*question_fn)(struct api *api, ze_device_handle_t device);

#define QUESTION(function, structure, tag)                                                         \
    static ze_result_t function##_ask(struct api *api, ze_device_handle_t device)                  \
    {                                                                                              \
        structure answer = {.stype = ZE_STRUCTURE_TYPE_##tag};                                     \
        (void)api;                                                                                 \
        return function(device, &answer);                                                          \
    }
#define QUESTION_OF_COUNT(function)                                                                \
    static ze_result_t function##_ask(struct api *api, ze_device_handle_t device)                  \
    {                                                                                              \
        uint32_t count = 0;                                                                        \
        (void)api;                                                                                 \
        return function(device, &count, NULL);                                                     \
    }
QUESTION(zeDeviceGetProperties, ze_device_properties_t, DEVICE_PROPERTIES)
QUESTION(zeDeviceGetComputeProperties, ze_device_compute_properties_t, DEVICE_COMPUTE_PROPERTIES)
QUESTION(zeDeviceGetModuleProperties, ze_device_module_properties_t, DEVICE_MODULE_PROPERTIES)
QUESTION(zeDeviceGetMemoryAccessProperties, ze_device_memory_access_properties_t,
         DEVICE_MEMORY_ACCESS_PROPERTIES)
QUESTION(zeDeviceGetImageProperties, ze_device_image_properties_t, DEVICE_IMAGE_PROPERTIES)
QUESTION(zeDeviceGetExternalMemoryProperties, ze_device_external_memory_properties_t,
         DEVICE_EXTERNAL_MEMORY_PROPERTIES)
QUESTION(zeDevicePciGetPropertiesExt, ze_pci_ext_properties_t, PCI_EXT_PROPERTIES)
QUESTION_OF_COUNT(zeDeviceGetCommandQueueGroupProperties)
QUESTION_OF_COUNT(zeDeviceGetMemoryProperties)
QUESTION_OF_COUNT(zeDeviceGetCacheProperties)
QUESTION_OF_COUNT(zeDeviceGetVectorWidthPropertiesExt)

static ze_result_t timestamps_ask(struct api *api, ze_device_handle_t device)
{
    uint64_t host, there;
    (void)api;
    return zeDeviceGetGlobalTimestamps(device, &host, &there);
}

static ze_result_t status_ask(struct api *api, ze_device_handle_t device)
{
    (void)api;
    return zeDeviceGetStatus(device);
}

static ze_result_t system_barrier(struct api *api, ze_device_handle_t device)
{
    return zeContextSystemBarrier(api->context, device);
}

static ze_result_t residency(struct api *api, ze_device_handle_t device)
{
    void *memory = api_alloc_shared(api, 64);
    ze_result_t result = zeContextMakeMemoryResident(api->context, device, memory, 64);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeContextEvictMemory(api->context, device, memory, 64);
    }
    api_free(api, memory);
    return result;
}

static ze_result_t physical_memory(struct api *api, ze_device_handle_t device)
{
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    ze_physical_mem_handle_t memory;
    ze_result_t result = zeVirtualMemQueryPageSize(api->context, device, 1, &desc.size);
    if (result == ZE_RESULT_SUCCESS) {
        result = zePhysicalMemCreate(api->context, device, &desc, &memory);
    }
    return result == ZE_RESULT_SUCCESS ? zePhysicalMemDestroy(api->context, memory) : result;
}

static ze_result_t image(struct api *api, ze_device_handle_t device)
{
    const ze_image_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .width = 4, .height = 2};
    ze_image_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    ze_image_handle_t made;
    ze_result_t result = zeImageGetProperties(device, &desc, &properties);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeImageCreate(api->context, device, &desc, &made);
    }
    return result == ZE_RESULT_SUCCESS ? zeImageDestroy(made) : result;
}

static ze_result_t sampler(struct api *api, ze_device_handle_t device)
{
    const ze_sampler_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
    ze_sampler_handle_t made;
    ze_result_t result = zeSamplerCreate(api->context, device, &desc, &made);
    return result == ZE_RESULT_SUCCESS ? zeSamplerDestroy(made) : result;
}

static ze_result_t advice(struct api *api, ze_device_handle_t device)
{
    struct api_list list = api_list_create(api);
    void *memory = api_alloc_shared(api, 64);
    ze_result_t result = zeCommandListAppendMemAdvise(list.list, device, memory, 64,
                                                      ZE_MEMORY_ADVICE_SET_READ_MOSTLY);
    api_list_run(api, &list);
    api_list_destroy(&list);
    api_free(api, memory);
    return result;
}

/* DEV-5 */
static void sub_devices_are_asked_like_their_device(void **state)
{
    static const struct {
        const char *what;
        question_fn ask;
    } questions[] = {
        {"zeDeviceGetProperties", zeDeviceGetProperties_ask},
        {"zeDeviceGetComputeProperties", zeDeviceGetComputeProperties_ask},
        {"zeDeviceGetModuleProperties", zeDeviceGetModuleProperties_ask},
        {"zeDeviceGetMemoryAccessProperties", zeDeviceGetMemoryAccessProperties_ask},
        {"zeDeviceGetImageProperties", zeDeviceGetImageProperties_ask},
        {"zeDeviceGetExternalMemoryProperties", zeDeviceGetExternalMemoryProperties_ask},
        {"zeDevicePciGetPropertiesExt", zeDevicePciGetPropertiesExt_ask},
        {"zeDeviceGetCommandQueueGroupProperties", zeDeviceGetCommandQueueGroupProperties_ask},
        {"zeDeviceGetMemoryProperties", zeDeviceGetMemoryProperties_ask},
        {"zeDeviceGetCacheProperties", zeDeviceGetCacheProperties_ask},
        {"zeDeviceGetVectorWidthPropertiesExt", zeDeviceGetVectorWidthPropertiesExt_ask},
        {"zeDeviceGetGlobalTimestamps", timestamps_ask},
        {"zeDeviceGetStatus", status_ask},
        {"zeContextSystemBarrier", system_barrier},
        {"zeContextMakeMemoryResident", residency},
        {"zePhysicalMemCreate", physical_memory},
        {"zeImageCreate", image},
        {"zeSamplerCreate", sampler},
        {"zeCommandListAppendMemAdvise", advice},
    };
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (size_t q = 0; q < sizeof(questions) / sizeof(questions[0]); q++) {
        for (uint32_t i = 0; i < devices.count; i++) {
            ze_result_t result = questions[q].ask(api, devices.all[i]);
            if (result != ZE_RESULT_SUCCESS) {
                fail_msg("%s of device %u: 0x%x", questions[q].what, i, (unsigned)result);
            }
        }
    }
}

static const struct api_case cases[] = {
    API_CASE(sub_devices_add_up_to_their_device),
    API_CASE(every_device_has_a_uuid_of_its_own),
    API_CASE(devices_reach_each_other),
    API_CASE(sub_devices_are_sub_vertices),
    API_CASE(edges_join_all_but_a_device_and_its_parts),
    API_CASE(sub_devices_are_asked_like_their_device),
};
API_MAIN("devices", cases)
