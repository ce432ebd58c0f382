/* What the threads of a storm share, and what each of them does. See storm.h. */
#include "storm.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what the calls ask ---- */

uint32_t storm_below(struct storm *storm, uint32_t limit)
{
    storm->random = storm->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(storm->random >> 33) % limit;
}

void *storm_pick(struct storm *storm, enum storm_kind kind)
{
    return storm->shared->objects[kind][storm_below(storm, storm->shared->counts[kind])];
}

void *storm_memory(struct storm *storm)
{
    return (uint8_t *)storm->shared->memory[storm_below(storm, 3)];
}

void storm_wrong(struct storm *storm, const char *what, ze_result_t result)
{
    const char *text = "";
    (void)zeDriverGetLastErrorDescription(storm->shared->api->driver, &text);
    print_error("%s: 0x%x (%s)\n", what, (unsigned)result, text);
    atomic_fetch_add(&storm->shared->wrong, 1);
}

/* ---- shared objects ---- */

static void share(struct storm_shared *shared, enum storm_kind kind, void *object)
{
    assert_non_null(object);
    assert_true(shared->counts[kind] < STORM_OBJECTS);
    shared->objects[kind][shared->counts[kind]++] = object;
}

static void host_count(void *data)
{
    atomic_fetch_add((_Atomic uint64_t *)data, 1);
}

static ze_event_handle_t counter_create(struct storm_shared *shared,
                                        ze_event_counter_based_flags_t flags)
{
    struct api *api = shared->api;
    ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                          .flags = flags | ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
                                                   ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE};
    ze_event_handle_t event;
    assert_success(zeEventCounterBasedCreate(api->context, api->device, &desc, &event));
    share(shared, STORM_EVENT, event);
    return event;
}

/* Regular events come first among the events. */
static void events_share(struct storm_shared *shared)
{
    for (uint32_t i = 0; i < 2; i++) {
        ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                     .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                                              (i ? ZE_EVENT_POOL_FLAG_IPC : 0),
                                     .count = 2};
        ze_event_pool_handle_t pool;
        assert_success(zeEventPoolCreate(shared->api->context, &desc, 0, NULL, &pool));
        share(shared, STORM_POOL, pool);
        for (uint32_t k = 0; k < 2; k++) {
            ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = k};
            ze_event_handle_t event;
            assert_success(zeEventCreate(pool, &event_desc, &event));
            share(shared, STORM_EVENT, event);
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        shared->counters[i] =
            counter_create(shared, i == 3 ? ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP : 0);
    }
    shared->shared_counter = counter_create(shared, ZE_EVENT_COUNTER_BASED_FLAG_IPC);
}

/* Each counts once when it runs, and signals an event: a counter that nothing else signals, or a
 * regular one. */
static void regular_share(struct storm_shared *shared, ze_event_handle_t signal)
{
    struct api *api = shared->api;
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal,
                                   .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER |
                                            ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &list));
    assert_success(
        zeCommandListAppendHostFunction(list, host_count, &shared->ran, NULL, NULL, 0, NULL));
    assert_success(zeCommandListAppendSignalEvent(list, signal));
    assert_success(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    assert_success(zeCommandListClose(list));
    share(shared, STORM_LIST, list);
}

static ze_command_list_handle_t immediate_create(struct storm_shared *shared)
{
    struct api *api = shared->api;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    share(shared, STORM_LIST, list);
    return list;
}

static void queues_share(struct storm_shared *shared)
{
    struct api *api = shared->api;
    for (uint32_t i = 0; i < 2; i++) {
        ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                        .ordinal = api->ordinal,
                                        .mode = i ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                                  : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
        ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
        ze_command_queue_handle_t queue;
        ze_fence_handle_t fence;
        assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &queue));
        share(shared, STORM_QUEUE, queue);
        assert_success(zeFenceCreate(shared->objects[STORM_QUEUE][0], &fence_desc, &fence));
        share(shared, STORM_FENCE, fence);
    }
}

static void memory_share(struct storm_shared *shared)
{
    struct api *api = shared->api;
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    ze_physical_mem_handle_t physical;
    shared->memory[0] = api_alloc_host(api, STORM_BYTES);
    shared->memory[1] = api_alloc_device(api, STORM_BYTES);
    shared->memory[2] = api_alloc_shared(api, STORM_BYTES);
    assert_success(zeVirtualMemQueryPageSize(api->context, api->device, 4096, &shared->page));
    assert_success(zeVirtualMemReserve(api->context, NULL, (STORM_THREADS + 1) * shared->page,
                                       &shared->range));
    desc.size = shared->page;
    assert_success(zePhysicalMemCreate(api->context, api->device, &desc, &physical));
    share(shared, STORM_PHYSICAL, physical);
}

static void programs_share(struct storm_shared *shared)
{
    struct api *api = shared->api;
    shared->native = api_read_file("tests/fixtures/native_module.o", &shared->native_bytes);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = shared->native_bytes,
                             .pInputModule = shared->native};
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, &log));
    share(shared, STORM_MODULE, module);
    share(shared, STORM_LOG, log);
    share(shared, STORM_KERNEL, api_kernel(module, "scale"));
}

static void images_share(struct storm_shared *shared)
{
    struct api *api = shared->api;
    ze_image_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .width = 64, .height = 16};
    ze_sampler_desc_t sampler_desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
    ze_image_handle_t image;
    ze_sampler_handle_t sampler;
    assert_success(zeImageCreate(api->context, api->device, &desc, &image));
    share(shared, STORM_IMAGE, image);
    assert_success(zeSamplerCreate(api->context, api->device, &sampler_desc, &sampler));
    share(shared, STORM_SAMPLER, sampler);
}

void storm_share(struct storm_shared *shared, struct api *api)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context;
    ze_fabric_vertex_handle_t vertex;
    memset(shared, 0, sizeof(*shared));
    shared->api = api;
    assert_success(zesInit(0));
    share(shared, STORM_DRIVER, api->driver);
    share(shared, STORM_DEVICE, api->device);
    share(shared, STORM_CONTEXT, api->context);
    assert_success(zeContextCreate(api->driver, &desc, &context));
    share(shared, STORM_CONTEXT, context);
    assert_success(zeDeviceGetFabricVertexExp(api->device, &vertex));
    share(shared, STORM_VERTEX, vertex);
    events_share(shared);
    regular_share(shared, counter_create(shared, 0));
    regular_share(shared, shared->objects[STORM_EVENT][0]);
    regular_share(shared, counter_create(shared, 0));
    queues_share(shared);
    memory_share(shared);
    programs_share(shared);
    images_share(shared);
    shared->appended = immediate_create(shared);
}

void storm_unshare(struct storm_shared *shared)
{
    struct api *api = shared->api;
    void *const(*objects)[STORM_OBJECTS] = (void *const(*)[STORM_OBJECTS])shared->objects;
    const uint32_t *counts = shared->counts;
    for (uint32_t i = 0; i < counts[STORM_LIST]; i++) {
        assert_success(zeCommandListDestroy(objects[STORM_LIST][i]));
    }
    for (uint32_t i = 0; i < counts[STORM_FENCE]; i++) {
        assert_success(zeFenceDestroy(objects[STORM_FENCE][i]));
        assert_success(zeCommandQueueDestroy(objects[STORM_QUEUE][i]));
    }
    for (uint32_t i = 0; i < counts[STORM_EVENT]; i++) {
        assert_success(zeEventDestroy(objects[STORM_EVENT][i]));
    }
    for (uint32_t i = 0; i < counts[STORM_POOL]; i++) {
        assert_success(zeEventPoolDestroy(objects[STORM_POOL][i]));
    }
    assert_success(zeImageDestroy(objects[STORM_IMAGE][0]));
    assert_success(zeSamplerDestroy(objects[STORM_SAMPLER][0]));
    assert_success(zeKernelDestroy(objects[STORM_KERNEL][0]));
    assert_success(zeModuleBuildLogDestroy(objects[STORM_LOG][0]));
    assert_success(zeModuleDestroy(objects[STORM_MODULE][0]));
    assert_success(zePhysicalMemDestroy(api->context, objects[STORM_PHYSICAL][0]));
    assert_success(
        zeVirtualMemFree(api->context, shared->range, (STORM_THREADS + 1) * shared->page));
    for (uint32_t i = 0; i < 3; i++) {
        api_free(api, shared->memory[i]);
    }
    assert_success(zeContextDestroy(objects[STORM_CONTEXT][1]));
    free(shared->native);
}

/* ---- threads ---- */

static bool result_is_fine(const struct storm_call *call, ze_result_t result)
{
    switch (result) {
    case ZE_RESULT_SUCCESS:
    case ZE_RESULT_NOT_READY:
        return true;
    case ZE_RESULT_ERROR_DEVICE_LOST:
    case ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY:
    case ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY:
    case ZE_RESULT_ERROR_UNINITIALIZED:
    case ZE_RESULT_ERROR_INVALID_NULL_HANDLE:
    case ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE:
    case ZE_RESULT_ERROR_UNKNOWN:
        return false;
    default:
        return !call->succeeds;
    }
}

void *storm_run(void *argument)
{
    struct storm *storm = argument;
    static const struct storm_call own = {.name = "a command of its own", .succeeds = true};
    uint64_t i = 0;
    for (; i < storm->calls && !atomic_load(&storm->shared->wrong); i++) {
        if (atomic_load_explicit(&storm->shared->ends, memory_order_relaxed)) {
            break;
        }
        uint32_t choice = storm_below(storm, storm_table_count + storm_table_count / 2);
        bool works = choice >= storm_table_count;
        const struct storm_call *call = works ? &own : &storm_table[choice];
        ze_result_t result = works ? storm_own_work(storm) : call->run(storm);
        if (!result_is_fine(call, result)) {
            storm_wrong(storm, call->name, result);
        }
    }
    storm->made = i;
    atomic_fetch_sub(&storm->shared->active, 1);
    return NULL;
}

/* Signals regular events for as long as others reset them. */
void *storm_keeper(void *argument)
{
    struct storm_shared *shared = argument;
    while (atomic_load(&shared->active) != 0) {
        for (uint32_t i = 0; i < 4; i++) {
            (void)zeEventHostSignal(shared->objects[STORM_EVENT][i]);
        }
        sched_yield();
    }
    return NULL;
}

uint64_t storm_seed;

void storm_prepare(struct storm *storm, struct storm_shared *shared, uint32_t number,
                   uint64_t calls)
{
    struct api *api = shared->api;
    *storm = (struct storm){.shared = shared,
                            .number = number,
                            .random = storm_seed * 1000003 + number * 977 + 3,
                            .calls = calls};
    storm->list = immediate_create(shared);
    storm->words = api_alloc_host(api, STORM_ITEMS * sizeof(uint32_t));
    storm->kernel = api_kernel(shared->objects[STORM_MODULE][0], "ids");
    assert_success(zeKernelSetGroupSize(storm->kernel, 32, 1, 1));
    assert_success(zeKernelSetArgumentValue(storm->kernel, 0, sizeof(storm->words), &storm->words));
}

/* Everything that was given has run. */
void storm_settle(struct storm_shared *shared)
{
    for (uint32_t i = 0; i < 4; i++) {
        assert_success(zeEventHostSignal(shared->objects[STORM_EVENT][i]));
    }
    for (uint32_t i = STORM_REGULAR; i < shared->counts[STORM_LIST]; i++) {
        assert_success(zeCommandListHostSynchronize(shared->objects[STORM_LIST][i], UINT64_MAX));
    }
    for (uint32_t i = 0; i < shared->counts[STORM_QUEUE]; i++) {
        assert_success(zeCommandQueueSynchronize(shared->objects[STORM_QUEUE][i], UINT64_MAX));
    }
}

void storm_start(struct storm_shared *shared, struct storm *storms, pthread_t *keeper)
{
    atomic_store(&shared->active, STORM_THREADS);
    assert_int_equal(pthread_create(keeper, NULL, storm_keeper, shared), 0);
    for (uint32_t i = 0; i < STORM_THREADS; i++) {
        assert_int_equal(pthread_create(&storms[i].thread, NULL, storm_run, &storms[i]), 0);
    }
}

void storm_join(struct storm *storms, pthread_t keeper)
{
    for (uint32_t i = 0; i < STORM_THREADS; i++) {
        pthread_join(storms[i].thread, NULL);
    }
    pthread_join(keeper, NULL);
}

void storm_leave(struct storm *storm)
{
    assert_success(zeKernelDestroy(storm->kernel));
    api_free(storm->shared->api, storm->words);
}
