/* API test of several devices and their sub-devices: what each is, memory and queues of each, work
 * between them. Run with GEOID_DEVICES and every ZE_FLAT_DEVICE_HIERARCHY; the cases take what is
 * listed. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define DEVICES 64u
#define WORDS   4096u
#define BYTES   (WORDS * sizeof(uint32_t))

static const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

/* All that are listed, each before its sub-devices. */
struct devices {
    ze_device_handle_t all[DEVICES];
    ze_device_properties_t p[DEVICES];
    uint32_t parent[DEVICES]; /* index; its own: it is listed by zeDeviceGet */
    uint32_t count;
};

static void devices_add(struct devices *devices, ze_device_handle_t device, uint32_t parent)
{
    ze_device_properties_t *p = &devices->p[devices->count];
    assert_true(devices->count < DEVICES);
    memset(p, 0, sizeof(*p));
    p->stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    assert_success(zeDeviceGetProperties(device, p));
    devices->parent[devices->count] = parent;
    devices->all[devices->count++] = device;
}

static void devices_find(struct api *api, struct devices *devices)
{
    ze_device_handle_t listed[DEVICES], subs[DEVICES];
    uint32_t count = DEVICES;
    memset(devices, 0, sizeof(*devices));
    assert_success(zeDeviceGet(api->driver, &count, listed));
    assert_true(count >= 2);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sub_count = DEVICES, parent = devices->count;
        devices_add(devices, listed[i], parent);
        assert_success(zeDeviceGetSubDevices(listed[i], &sub_count, subs));
        for (uint32_t k = 0; k < sub_count; k++) {
            devices_add(devices, subs[k], parent);
        }
    }
}

static uint32_t units_of(const ze_device_properties_t *p)
{
    return p->numSlices * p->numSubslicesPerSlice * p->numEUsPerSubslice;
}

static uint64_t memory_of(ze_device_handle_t device)
{
    ze_device_memory_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    uint32_t count = 1;
    assert_success(zeDeviceGetMemoryProperties(device, &count, &p));
    assert_int_equal(count, 1);
    return p.totalSize;
}

/* The harness works on api->device: that of another. */
static struct api api_of(const struct api *api, ze_device_handle_t device)
{
    struct api other = *api;
    other.device = device;
    return other;
}

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

/* DEV-10: a sub-device's differs from its device's in the last byte alone (docs/decisions.md) */
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

/* ---- work ---- */

/* Runs `ids` of a module on a device and checks what came. */
static void ids_run(struct api *api, ze_module_handle_t module, ze_device_handle_t device,
                    uint32_t *out)
{
    struct api on = api_of(api, device);
    struct api_list list = api_list_create(&on);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    const ze_group_count_t groups = {WORDS / 64, 1, 1};
    memset(out, 0xff, BYTES);
    assert_success(zeKernelSetGroupSize(kernel, 64, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(&on, &list);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(out[i], i);
    }
    assert_success(zeKernelDestroy(kernel));
    api_list_destroy(&list);
}

/* An empty list of a group, run on a queue of it. */
static ze_result_t queue_use(struct api *api, ze_device_handle_t device, uint32_t ordinal,
                             uint32_t index)
{
    const ze_command_queue_desc_t queue_desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal, .index = index};
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                              .commandQueueGroupOrdinal = ordinal};
    ze_command_queue_handle_t queue = NULL;
    ze_command_list_handle_t list = NULL;
    ze_result_t result = zeCommandQueueCreate(api->context, device, &queue_desc, &queue);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    assert_success(zeCommandListCreate(api->context, device, &list_desc, &list));
    assert_success(zeCommandListClose(list));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
    return ZE_RESULT_SUCCESS;
}

/* DEV-9: those that it tells of itself, and no others */
static void every_device_has_the_queues_that_it_tells_of(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        ze_command_queue_group_properties_t groups[8];
        uint32_t count = 8;
        for (uint32_t g = 0; g < count; g++) {
            groups[g] = (ze_command_queue_group_properties_t){
                .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
        }
        assert_success(zeDeviceGetCommandQueueGroupProperties(devices.all[i], &count, groups));
        assert_in_range(count, 1, 7);
        for (uint32_t g = 0; g < count; g++) {
            assert_true(groups[g].numQueues > 0);
            for (uint32_t index = 0; index < groups[g].numQueues; index++) {
                assert_success(queue_use(api, devices.all[i], g, index));
            }
            assert_result(queue_use(api, devices.all[i], g, groups[g].numQueues),
                          ZE_RESULT_ERROR_INVALID_ARGUMENT);
        }
        assert_result(queue_use(api, devices.all[i], count, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
}

/* DEV-5, DEV-7, DEV-21 */
static void every_device_runs_kernels_in_its_memory(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        ze_memory_allocation_properties_t p = {.stype =
                                                   ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        ze_device_handle_t owner = NULL;
        uint32_t *out = api_alloc_device(&on, BYTES);
        assert_success(zeMemGetAllocProperties(api->context, out, &p, &owner));
        assert_int_equal(p.type, ZE_MEMORY_TYPE_DEVICE);
        assert_ptr_equal(owner, devices.all[i]);
        ze_module_handle_t module = api_native_module(&on);
        ids_run(api, module, devices.all[i], out);
        assert_success(zeModuleDestroy(module));
        api_free(api, out);
    }
}

/* DEV-5, DEV-7: on its sub-devices and in its memory, and not on another device */
static void a_module_of_a_device_runs_on_its_sub_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    const ze_group_count_t groups = {1, 1, 1};
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        uint32_t *out = api_alloc_device(&on, BYTES);
        ze_module_handle_t module = api_native_module(&on);
        for (uint32_t k = 0; k < devices.count; k++) {
            if (k == i || devices.parent[k] == i) {
                ids_run(api, module, devices.all[k], out);
                continue;
            }
            struct api there = api_of(api, devices.all[k]);
            struct api_list list = api_list_create(&there);
            ze_kernel_handle_t kernel = api_kernel(module, "ids");
            assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
            assert_result(
                zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL),
                ZE_RESULT_ERROR_INVALID_ARGUMENT);
            assert_success(zeKernelDestroy(kernel));
            api_list_destroy(&list);
        }
        assert_success(zeModuleDestroy(module));
        api_free(api, out);
    }
}

/* KRN-11: the groups that wait for each other are those that their list's device can have, whatever
 * device the module was made for */
static void a_sub_device_has_cooperative_groups_of_its_own(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t k = 0; k < devices.count; k++) {
        struct api of = api_of(api, devices.all[devices.parent[k]]);
        struct api on = api_of(api, devices.all[k]);
        const uint32_t most = units_of(&devices.p[k]);
        const ze_group_count_t fits = {most, 1, 1}, too_many = {most + 1, 1, 1};
        uint32_t *out = api_alloc_device(&on, (most + 1) * sizeof(*out));
        struct api_list list = api_list_create(&on);
        ze_module_handle_t module = api_native_module(&of);
        ze_kernel_handle_t kernel = api_kernel(module, "ids");
        assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
        assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
        assert_result(
            zeCommandListAppendLaunchCooperativeKernel(list.list, kernel, &too_many, NULL, 0, NULL),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_success(
            zeCommandListAppendLaunchCooperativeKernel(list.list, kernel, &fits, NULL, 0, NULL));
        api_list_run(&on, &list);
        for (uint32_t i = 0; i < most; i++) {
            assert_int_equal(out[i], i);
        }
        assert_success(zeKernelDestroy(kernel));
        assert_success(zeModuleDestroy(module));
        api_list_destroy(&list);
        api_free(api, out);
    }
}

/* DEV-20: by the copy alone, in a list of either */
static void copies_go_between_all_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    uint32_t *host = api_alloc_host(api, BYTES);
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api from = api_of(api, devices.all[i]);
        uint32_t *source = api_alloc_device(&from, BYTES);
        for (uint32_t k = 0; k < devices.count; k++) {
            struct api to = api_of(api, devices.all[k]);
            uint32_t *target = api_alloc_device(&to, BYTES);
            struct api_list list = api_list_create(k % 2 ? &from : &to);
            for (uint32_t w = 0; w < WORDS; w++) {
                host[w] = (i * DEVICES + k) * WORDS + w;
            }
            const struct {
                uint32_t *out, *in;
            } steps[] = {{source, host}, {target, source}, {host, target}};
            for (uint32_t s = 0; s < 3; s++) {
                assert_success(zeCommandListAppendMemoryCopy(list.list, steps[s].out, steps[s].in,
                                                             BYTES, NULL, 0, NULL));
                api_list_run(&to, &list);
                if (s == 0) {
                    memset(host, 0, BYTES);
                }
            }
            for (uint32_t w = 0; w < WORDS; w++) {
                assert_int_equal(host[w], (i * DEVICES + k) * WORDS + w);
            }
            api_list_destroy(&list);
            api_free(api, target);
        }
        api_free(api, source);
    }
    api_free(api, host);
}

static ze_event_pool_handle_t pool_make(struct api *api, struct devices *devices, uint32_t count,
                                        ze_event_handle_t *events)
{
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = count};
    ze_event_pool_handle_t pool = NULL;
    assert_success(zeEventPoolCreate(api->context, &desc, devices->count, devices->all, &pool));
    for (uint32_t i = 0; i < count; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                 .index = i,
                                 .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                 .wait = ZE_EVENT_SCOPE_FLAG_DEVICE};
        assert_success(zeEventCreate(pool, &event, &events[i]));
    }
    return pool;
}

/* A chain through all devices, appended from its end: each waits for the one before.
 * DEV-5 */
static void events_and_fences_work_across_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    ze_event_handle_t events[DEVICES + 1];
    struct api_list lists[DEVICES];
    ze_fence_handle_t fences[DEVICES] = {NULL};
    devices_find(api, &devices);
    const uint32_t count = devices.count;
    ze_event_pool_handle_t pool = pool_make(api, &devices, count + 1, events);
    uint32_t *words = api_alloc_shared(api, (count + 1) * sizeof(*words));
    memset(words, 0, (count + 1) * sizeof(*words));
    words[0] = 4711;
    for (uint32_t i = count; i-- > 0;) {
        struct api on = api_of(api, devices.all[i]);
        const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
        lists[i] = api_list_create(&on);
        assert_success(zeCommandListAppendMemoryCopy(lists[i].list, &words[i + 1], &words[i],
                                                     sizeof(*words), events[i + 1], 1, &events[i]));
        if (lists[i].queue) {
            assert_success(zeFenceCreate(lists[i].queue, &desc, &fences[i]));
            assert_success(zeCommandListClose(lists[i].list));
            assert_success(
                zeCommandQueueExecuteCommandLists(lists[i].queue, 1, &lists[i].list, fences[i]));
            assert_result(zeFenceQueryStatus(fences[i]), ZE_RESULT_NOT_READY);
        }
    }
    assert_result(zeEventQueryStatus(events[count]), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(events[0]));
    assert_success(zeEventHostSynchronize(events[count], UINT64_MAX));
    for (uint32_t i = 0; i < count; i++) {
        assert_success(zeEventQueryStatus(events[i]));
        if (fences[i]) {
            assert_success(zeFenceHostSynchronize(fences[i], UINT64_MAX));
            assert_success(zeFenceDestroy(fences[i]));
        } else {
            assert_success(zeCommandListHostSynchronize(lists[i].list, UINT64_MAX));
        }
        assert_int_equal(words[i + 1], api->executes ? 4711 : 0);
        api_list_destroy(&lists[i]);
    }
    for (uint32_t i = 0; i <= count; i++) {
        assert_success(zeEventDestroy(events[i]));
    }
    assert_success(zeEventPoolDestroy(pool));
    api_free(api, words);
}

struct waiter {
    ze_device_handle_t device;
    ze_event_handle_t last;
    ze_result_t result, after;
    _Atomic int done;
};

static void *device_wait(void *argument)
{
    struct waiter *waiter = argument;
    waiter->result = zeDeviceSynchronize(waiter->device);
    waiter->after = zeEventQueryStatus(waiter->last);
    atomic_store(&waiter->done, 1);
    return NULL;
}

/* DEV-5: the time that passes only gives a call that does not wait the time to come back */
static void a_device_is_synchronised_with_its_sub_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    assert_success(zeDeviceSynchronize(devices.all[0])); /* which has nothing to do */
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        struct waiter waiter = {.device = devices.all[devices.parent[i]]};
        ze_event_handle_t events[2];
        ze_event_pool_handle_t pool = pool_make(api, &devices, 2, events);
        struct api_list list = api_list_create(&on);
        pthread_t thread;
        waiter.last = events[1];
        assert_success(zeCommandListAppendBarrier(list.list, events[1], 1, &events[0]));
        if (list.queue) {
            assert_success(zeCommandListClose(list.list));
            assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL));
        }
        assert_int_equal(pthread_create(&thread, NULL, device_wait, &waiter), 0);
        for (int k = 0; k < 20 && !atomic_load(&waiter.done); k++) {
            const struct timespec pause = {0, 1000000};
            nanosleep(&pause, NULL);
        }
        assert_success(zeEventHostSignal(events[0]));
        pthread_join(thread, NULL);
        assert_int_equal(waiter.result, ZE_RESULT_SUCCESS);
        assert_int_equal(waiter.after, ZE_RESULT_SUCCESS);
        api_list_destroy(&list);
        assert_success(zeEventDestroy(events[0]));
        assert_success(zeEventDestroy(events[1]));
        assert_success(zeEventPoolDestroy(pool));
    }
}

/* ---- memory ---- */

/* Takes all of a device's memory, a quarter at a time; how many pieces. Nothing touches them. */
static uint32_t memory_fill(struct api *api, ze_device_handle_t device, void **pieces)
{
    const size_t bytes = memory_of(device) / 4 & ~(size_t)4095;
    uint32_t count = 0;
    ze_result_t result;
    while (count < 6 && (result = zeMemAllocDevice(api->context, &device_desc, bytes, 0, device,
                                                   &pieces[count])) == ZE_RESULT_SUCCESS) {
        count++;
    }
    assert_in_range(count, 3, 4); /* other cases of the process may have a little */
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    return count;
}

/* DEV-7, DEV-8, CTX-3, MEM-16 */
static void a_full_device_takes_nothing_from_others(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        const bool whole = i + 1 < devices.count && devices.parent[i + 1] == i;
        void *pieces[8], *more = NULL;
        uint32_t count = memory_fill(api, devices.all[i], pieces);
        size_t quarter = memory_of(devices.all[i]) / 4 & ~(size_t)4095;
        for (uint32_t k = 0; k < devices.count; k++) {
            const bool shares = k == i || (whole && devices.parent[k] == i);
            assert_result(
                zeMemAllocDevice(api->context, &device_desc, quarter / 4, 0, devices.all[k], &more),
                shares && count == 4 ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY : ZE_RESULT_SUCCESS);
            if (more) {
                api_free(api, more);
                more = NULL;
            }
        }
        while (count > 0) {
            api_free(api, pieces[--count]);
        }
    }
}

/* IPC-1, IPC-2, DEV-5 */
static void memory_of_any_device_is_shared_by_handle(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t other = NULL;
    assert_success(zeContextCreate(api->driver, &desc, &other));
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        ze_device_handle_t peer = devices.all[(i + 1) % devices.count], owner = NULL;
        ze_memory_allocation_properties_t p = {.stype =
                                                   ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        ze_ipc_mem_handle_t handle;
        uint32_t *memory = api_alloc_device(&on, BYTES), *seen = NULL;
        assert_success(zeMemGetIpcHandle(api->context, memory, &handle));
        assert_success(zeMemOpenIpcHandle(other, peer, handle, 0, (void **)&seen));
        assert_success(zeMemGetAllocProperties(other, seen, &p, &owner));
        assert_ptr_equal(owner, peer);
        memory[7] = 70 + i;
        assert_int_equal(seen[7], 70 + i);
        assert_success(zeMemCloseIpcHandle(other, seen));
        api_free(api, memory);
    }
    assert_success(zeContextDestroy(other));
}

/* ---- contexts ---- */

/* CTX-1, CTX-3, DEV-5 */
static void a_context_has_the_devices_it_was_made_for(void **state)
{
    struct api *api = *state;
    struct devices devices;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        ze_context_handle_t context = NULL;
        assert_success(zeContextCreateEx(api->driver, &desc, 1, &devices.all[i], &context));
        for (uint32_t k = 0; k < devices.count; k++) {
            void *memory = NULL;
            const bool inside = k == i || devices.parent[k] == i;
            assert_result(
                zeMemAllocShared(context, &device_desc, &host_desc, 64, 0, devices.all[k], &memory),
                inside ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT);
            if (memory) {
                assert_success(zeMemFree(context, memory));
            }
        }
        assert_success(zeContextDestroy(context));
    }
    ze_context_handle_t both = NULL;
    void *memory = NULL;
    assert_success(zeContextCreateEx(api->driver, &desc, devices.count, devices.all, &both));
    for (uint32_t i = 0; i < devices.count; i++) {
        assert_success(zeMemAllocDevice(both, &device_desc, 64, 0, devices.all[i], &memory));
        assert_success(zeMemFree(both, memory));
    }
    assert_success(zeContextDestroy(both));
}

/* CTX-5, CTX-7: a device that is asked for its status is asked for its sub-devices, too */
static void a_fault_of_a_sub_device_is_its_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_group_count_t groups = {1, 1, 1};
    devices_find(api, &devices);
    assert_success(zeDeviceSynchronize(devices.all[0])); /* before there is a fault */
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        const void *nowhere = NULL;
        assert_success(zeContextCreate(api->driver, &desc, &on.context));
        struct api_list list = api_list_create(&on);
        ze_module_handle_t module = api_native_module(&on);
        ze_kernel_handle_t kernel = api_kernel(module, "ids");
        assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(nowhere), &nowhere));
        assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
        if (list.queue) {
            assert_success(zeCommandListClose(list.list));
            assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL));
            assert_result(zeCommandQueueSynchronize(list.queue, UINT64_MAX),
                          ZE_RESULT_ERROR_DEVICE_LOST);
        } else {
            assert_result(zeCommandListHostSynchronize(list.list, UINT64_MAX),
                          ZE_RESULT_ERROR_DEVICE_LOST);
        }
        ze_context_handle_t next = NULL;
        assert_result(zeContextCreate(api->driver, &desc, &next), ZE_RESULT_ERROR_DEVICE_LOST);
        assert_result(zeDeviceSynchronize(devices.all[devices.parent[i]]),
                      ZE_RESULT_ERROR_DEVICE_LOST);
        assert_success(zeDeviceGetStatus(devices.all[devices.parent[i]]));
        assert_success(zeContextCreate(api->driver, &desc, &next));
        assert_success(zeContextDestroy(next));
        zeKernelDestroy(kernel);
        zeModuleDestroy(module);
        zeCommandListDestroy(list.list);
        if (list.queue) {
            zeCommandQueueDestroy(list.queue);
        }
        zeContextDestroy(on.context);
    }
}

/* ---- sysman ---- */

/* SYS-2, ENV-5 */
static void sysman_knows_every_sub_device_by_its_uuid(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        zes_device_handle_t card = NULL, handle = (zes_device_handle_t)devices.all[i];
        zes_device_properties_t a = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES}, b = a;
        zes_subdevice_exp_properties_t parts[DEVICES];
        zes_uuid_t uuid;
        ze_bool_t on_part = 9;
        uint32_t part = 99, count = DEVICES;
        memcpy(uuid.id, devices.p[i].uuid.id, sizeof(uuid.id));
        assert_success(zesDriverGetDeviceByUuidExp((zes_driver_handle_t)api->driver, uuid, &card,
                                                   &on_part, &part));
        assert_success(zesDeviceGetProperties(card, &a));
        assert_success(zesDeviceGetProperties(handle, &b));
        assert_memory_equal(&a.core.uuid, &b.core.uuid, sizeof(a.core.uuid));
        for (uint32_t k = 0; k < DEVICES; k++) {
            parts[k] = (zes_subdevice_exp_properties_t){
                .stype = ZES_STRUCTURE_TYPE_SUBDEVICE_EXP_PROPERTIES};
        }
        assert_success(zesDeviceGetSubDevicePropertiesExp(card, &count, parts));
        assert_int_equal(count, a.numSubdevices);
        if (on_part) {
            assert_in_range(part, 0, count - 1);
            assert_int_equal(parts[part].subdeviceId, part);
            assert_memory_equal(parts[part].uuid.id, uuid.id, sizeof(uuid.id));
        } else {
            assert_memory_equal(a.core.uuid.id, uuid.id, sizeof(uuid.id));
        }
    }
}

/* MEM-7 */
static void atomic_attributes_are_each_devices_own(void **state)
{
    struct api *api = *state;
    static struct devices devices;
    const ze_memory_atomic_attr_exp_flags_t some[] = {
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS};
    devices_find(api, &devices);
    void *memory = api_alloc_shared(api, 4096);
    for (uint32_t i = 0; i < devices.count; i++) {
        ze_memory_atomic_attr_exp_flags_t flags = 77;
        assert_success(
            zeMemGetAtomicAccessAttributeExp(api->context, devices.all[i], memory, 8, &flags));
        assert_int_equal(flags, 0);
        assert_success(
            zeMemSetAtomicAccessAttributeExp(api->context, devices.all[i], memory, 8, some[i % 3]));
    }
    for (uint32_t i = 0; i < devices.count; i++) {
        ze_memory_atomic_attr_exp_flags_t flags = 77;
        assert_success(
            zeMemGetAtomicAccessAttributeExp(api->context, devices.all[i], memory, 8, &flags));
        assert_int_equal(flags, some[i % 3]);
    }
    api_free(api, memory);
}

static const struct api_case cases[] = {
    API_CASE(sub_devices_add_up_to_their_device),
    API_CASE(every_device_has_a_uuid_of_its_own),
    API_CASE(devices_reach_each_other),
    API_CASE(sub_devices_are_sub_vertices),
    API_CASE(edges_join_all_but_a_device_and_its_parts),
    API_CASE(sub_devices_are_asked_like_their_device),
    API_CASE(every_device_has_the_queues_that_it_tells_of),
    API_RUN_CASE(every_device_runs_kernels_in_its_memory),
    API_RUN_CASE(a_module_of_a_device_runs_on_its_sub_devices),
    API_RUN_CASE(a_sub_device_has_cooperative_groups_of_its_own),
    API_RUN_CASE(copies_go_between_all_devices),
    API_LIST_CASE(events_and_fences_work_across_devices),
    API_LIST_CASE(a_device_is_synchronised_with_its_sub_devices),
    API_CASE(a_full_device_takes_nothing_from_others),
    API_CASE(memory_of_any_device_is_shared_by_handle),
    API_CASE(a_context_has_the_devices_it_was_made_for),
    API_RUN_CASE(a_fault_of_a_sub_device_is_its_devices),
    API_CASE(sysman_knows_every_sub_device_by_its_uuid),
    API_CASE(atomic_attributes_are_each_devices_own),
};
API_MAIN("devices", cases)
