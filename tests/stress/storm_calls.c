/* The calls of a storm: those that the registry gives (threads.inc), and by hand those that make
 * objects, which nobody else sees then. See storm.h. */
#include "storm.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/threads.inc"

#define PICK(type, KIND) ((type)storm_pick(storm, STORM_##KIND))
#define CONTEXT          PICK(ze_context_handle_t, CONTEXT)
#define DEVICE           PICK(ze_device_handle_t, DEVICE)

#define TRY(call)                                                                                  \
    do {                                                                                           \
        ze_result_t try_ = (call);                                                                 \
        if (try_ != ZE_RESULT_SUCCESS) {                                                           \
            return try_;                                                                           \
        }                                                                                          \
    } while (0)

static const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

static uint64_t timeout_pick(struct storm *storm)
{
    static const uint64_t timeouts[] = {0, 1, 1000, 100000, UINT64_MAX};
    return timeouts[storm_below(storm, 5)];
}

/* ---- objects ---- */

static ze_result_t by_hand_context(struct storm *storm)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context;
    TRY(zeContextCreate(PICK(ze_driver_handle_t, DRIVER), &desc, &context));
    return zeContextDestroy(context);
}

static ze_result_t by_hand_context_ex(struct storm *storm)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_device_handle_t device = DEVICE;
    ze_context_handle_t context;
    TRY(zeContextCreateEx(PICK(ze_driver_handle_t, DRIVER), &desc, 1, &device, &context));
    return zeContextDestroy(context);
}

static ze_command_queue_desc_t queue_desc(struct storm *storm)
{
    return (ze_command_queue_desc_t){.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .ordinal = storm->shared->api->ordinal,
                                     .mode = storm_below(storm, 2)
                                                 ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                                 : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
}

static ze_result_t by_hand_queue(struct storm *storm)
{
    ze_command_queue_desc_t desc = queue_desc(storm);
    ze_command_queue_handle_t queue;
    TRY(zeCommandQueueCreate(CONTEXT, DEVICE, &desc, &queue));
    TRY(zeCommandQueueSynchronize(queue, UINT64_MAX));
    return zeCommandQueueDestroy(queue);
}

static ze_result_t by_hand_list(struct storm *storm)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = storm->shared->api->ordinal};
    ze_event_handle_t event = PICK(ze_event_handle_t, EVENT);
    ze_command_list_handle_t list;
    TRY(zeCommandListCreate(CONTEXT, DEVICE, &desc, &list));
    TRY(zeCommandListAppendBarrier(list, NULL, 1, &event));
    TRY(zeCommandListClose(list));
    return zeCommandListDestroy(list);
}

static ze_result_t by_hand_immediate(struct storm *storm)
{
    ze_command_queue_desc_t desc = queue_desc(storm);
    ze_command_list_handle_t list;
    TRY(zeCommandListCreateImmediate(CONTEXT, DEVICE, &desc, &list));
    TRY(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    TRY(zeCommandListHostSynchronize(list, UINT64_MAX));
    return zeCommandListDestroy(list);
}

static ze_result_t by_hand_clone(struct storm *storm)
{
    ze_command_list_handle_t clone;
    TRY(zeCommandListCreateCloneExp(storm->shared->objects[STORM_LIST][0], &clone));
    return zeCommandListDestroy(clone);
}

static ze_result_t by_hand_fence(struct storm *storm)
{
    ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    uint32_t number = storm_below(storm, 2);
    ze_command_queue_handle_t queue = storm->shared->objects[STORM_QUEUE][number];
    ze_command_list_handle_t list = storm->shared->objects[STORM_LIST][number];
    ze_fence_handle_t fence;
    TRY(zeFenceCreate(queue, &desc, &fence));
    TRY(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    atomic_fetch_add(&storm->shared->submitted, 1);
    TRY(zeFenceHostSynchronize(fence, UINT64_MAX));
    return zeFenceDestroy(fence);
}

static const ze_image_desc_t image_desc = {
    .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .width = 64, .height = 16};

static ze_result_t by_hand_image(struct storm *storm)
{
    ze_image_handle_t image;
    TRY(zeImageCreate(CONTEXT, DEVICE, &image_desc, &image));
    return zeImageDestroy(image);
}

static ze_result_t by_hand_view(struct storm *storm)
{
    ze_image_handle_t view;
    TRY(zeImageViewCreateExt(CONTEXT, DEVICE, &image_desc, PICK(ze_image_handle_t, IMAGE), &view));
    return zeImageDestroy(view);
}

static ze_result_t by_hand_view_exp(struct storm *storm)
{
    ze_image_handle_t view;
    TRY(zeImageViewCreateExp(CONTEXT, DEVICE, &image_desc, PICK(ze_image_handle_t, IMAGE), &view));
    return zeImageDestroy(view);
}

static ze_result_t by_hand_sampler(struct storm *storm)
{
    ze_sampler_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
    ze_sampler_handle_t sampler;
    TRY(zeSamplerCreate(CONTEXT, DEVICE, &desc, &sampler));
    return zeSamplerDestroy(sampler);
}

static ze_result_t by_hand_pool(struct storm *storm)
{
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = storm_below(storm, 2) ? ZE_EVENT_POOL_FLAG_IPC : 0,
                                 .count = 3};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 2};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    TRY(zeEventPoolCreate(CONTEXT, &desc, 0, NULL, &pool));
    TRY(zeEventCreate(pool, &event_desc, &event));
    TRY(zeEventHostSignal(event));
    TRY(zeEventHostSynchronize(event, UINT64_MAX));
    TRY(zeEventDestroy(event));
    return zeEventPoolDestroy(pool);
}

static ze_result_t by_hand_pool_open(struct storm *storm)
{
    ze_ipc_event_pool_handle_t handle;
    ze_event_pool_handle_t pool;
    TRY(zeEventPoolGetIpcHandle(storm->shared->objects[STORM_POOL][1], &handle));
    TRY(zeEventPoolOpenIpcHandle(CONTEXT, handle, &pool));
    return zeEventPoolCloseIpcHandle(pool);
}

static ze_result_t by_hand_counter(struct storm *storm)
{
    ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                          .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE};
    ze_event_handle_t event;
    TRY(zeEventCounterBasedCreate(CONTEXT, DEVICE, &desc, &event));
    TRY(zeCommandListAppendSignalEvent(storm->list, event));
    TRY(zeEventHostSynchronize(event, UINT64_MAX));
    return zeEventDestroy(event);
}

static ze_result_t by_hand_counter_open(struct storm *storm)
{
    ze_ipc_event_counter_based_handle_t handle;
    ze_event_handle_t event;
    TRY(zeEventCounterBasedGetIpcHandle(storm->shared->shared_counter, &handle));
    TRY(zeEventCounterBasedOpenIpcHandle(CONTEXT, handle, &event));
    TRY(zeEventHostSynchronize(event, UINT64_MAX));
    return zeEventCounterBasedCloseIpcHandle(event);
}

/* ---- programs ---- */

static ze_result_t by_hand_module(struct storm *storm)
{
    const struct storm_shared *shared = storm->shared;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = shared->native_bytes,
                             .pInputModule = shared->native};
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    TRY(zeModuleCreate(CONTEXT, DEVICE, &desc, &module, &log));
    TRY(zeModuleBuildLogDestroy(log));
    return zeModuleDestroy(module);
}

static ze_result_t by_hand_inspect(struct storm *storm)
{
    ze_linkage_inspection_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC,
                                             .flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS};
    ze_module_handle_t module = PICK(ze_module_handle_t, MODULE);
    ze_module_build_log_handle_t log;
    TRY(zeModuleInspectLinkageExt(&desc, 1, &module, &log));
    return zeModuleBuildLogDestroy(log);
}

static ze_result_t by_hand_kernel(struct storm *storm)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "scale"};
    ze_kernel_handle_t kernel;
    TRY(zeKernelCreate(PICK(ze_module_handle_t, MODULE), &desc, &kernel));
    TRY(zeKernelSetGroupSize(kernel, 8, 1, 1));
    return zeKernelDestroy(kernel);
}

static ze_result_t by_hand_global(struct storm *storm)
{
    void *pointer;
    size_t bytes;
    return zeModuleGetGlobalPointer(PICK(ze_module_handle_t, MODULE), "table", &bytes, &pointer);
}

/* ---- memory ---- */

/* What is allocated, seen and given back. */
static ze_result_t memory_use(struct storm *storm, ze_context_handle_t context, void *memory)
{
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                      .freePolicy = 1u << storm_below(storm, 2)};
    TRY(zeMemGetAllocProperties(context, memory, &properties, NULL));
    if (properties.type == ZE_MEMORY_TYPE_UNKNOWN) {
        storm_wrong(storm, "memory is not known", ZE_RESULT_SUCCESS);
    }
    return storm_below(storm, 3) ? zeMemFree(context, memory)
                                 : zeMemFreeExt(context, &desc, memory);
}

static size_t bytes_pick(struct storm *storm)
{
    return 1 + storm_below(storm, storm_below(storm, 8) ? 5000 : 3 << 20);
}

static ze_result_t by_hand_host(struct storm *storm)
{
    ze_context_handle_t context = CONTEXT;
    void *memory;
    TRY(zeMemAllocHost(context, &host_desc, bytes_pick(storm), 0, &memory));
    return memory_use(storm, context, memory);
}

static ze_result_t by_hand_device(struct storm *storm)
{
    ze_context_handle_t context = CONTEXT;
    void *memory;
    TRY(zeMemAllocDevice(context, &device_desc, bytes_pick(storm), 64, DEVICE, &memory));
    return memory_use(storm, context, memory);
}

static ze_result_t by_hand_shared(struct storm *storm)
{
    ze_context_handle_t context = CONTEXT;
    void *memory;
    TRY(zeMemAllocShared(context, &device_desc, &host_desc, bytes_pick(storm), 0, DEVICE, &memory));
    return memory_use(storm, context, memory);
}

static ze_result_t by_hand_ipc(struct storm *storm)
{
    ze_context_handle_t context = CONTEXT;
    ze_ipc_mem_handle_t handle;
    void *memory, *opened;
    TRY(zeMemAllocDevice(context, &device_desc, bytes_pick(storm), 0, DEVICE, &memory));
    TRY(zeMemGetIpcHandle(context, memory, &handle));
    TRY(zeMemOpenIpcHandle(context, DEVICE, handle, 0, &opened));
    TRY(zeMemCloseIpcHandle(context, opened));
    TRY(zeMemPutIpcHandle(context, handle));
    return zeMemFree(context, memory);
}

static ze_result_t by_hand_descriptor(struct storm *storm)
{
    ze_context_handle_t context = storm->shared->api->context;
    ze_ipc_mem_handle_t handle, again;
    uint64_t fd;
    TRY(zeMemGetIpcHandle(context, storm->shared->memory[1], &handle));
    TRY(zeMemGetFileDescriptorFromIpcHandleExp(context, handle, &fd));
    return zeMemGetIpcHandleFromFileDescriptorExp(context, fd, &again);
}

static void *page_of(const struct storm *storm)
{
    return (uint8_t *)storm->shared->range + storm->number * storm->shared->page;
}

static ze_result_t by_hand_map(struct storm *storm)
{
    ze_context_handle_t context = storm->shared->api->context;
    const struct storm_shared *shared = storm->shared;
    ze_physical_mem_handle_t physical = PICK(ze_physical_mem_handle_t, PHYSICAL);
    ze_memory_access_attribute_t access;
    size_t same;
    TRY(zeVirtualMemMap(context, page_of(storm), shared->page, physical, 0,
                        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    TRY(zeVirtualMemSetAccessAttribute(context, page_of(storm), shared->page,
                                       ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    TRY(zeVirtualMemGetAccessAttribute(context, page_of(storm), shared->page, &access, &same));
    if (access != ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY) {
        storm_wrong(storm, "another access of the page", ZE_RESULT_SUCCESS);
    }
    return zeVirtualMemUnmap(context, page_of(storm), shared->page);
}

static ze_result_t by_hand_reserve(struct storm *storm)
{
    ze_context_handle_t context = CONTEXT;
    void *range;
    TRY(zeVirtualMemReserve(context, NULL, storm->shared->page, &range));
    return zeVirtualMemFree(context, range, storm->shared->page);
}

static ze_result_t by_hand_physical(struct storm *storm)
{
    ze_context_handle_t context = CONTEXT;
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .size = storm->shared->page};
    ze_physical_mem_handle_t physical;
    TRY(zePhysicalMemCreate(context, DEVICE, &desc, &physical));
    return zePhysicalMemDestroy(context, physical);
}

static ze_result_t by_hand_graph(struct storm *storm)
{
    ze_graph_handle_t graph;
    TRY(zeGraphCreateExt(CONTEXT, NULL, &graph));
    return zeGraphDestroyExt(graph);
}

static ze_result_t by_hand_metric_group(struct storm *storm)
{
    zet_metric_group_handle_t group;
    const ze_result_t result =
        zetMetricGroupCreateExp(PICK(ze_device_handle_t, DEVICE), "storm", "made by a thread",
                                ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED, &group);
    return result == ZE_RESULT_SUCCESS                     ? zetMetricGroupDestroyExp(group)
           : result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ? ZE_RESULT_SUCCESS
                                                           : result;
}

/* ---- work and waits ---- */

/* A list runs on one queue at a time: each has its own. The fences are the first queue's. */
static ze_result_t by_hand_execute(struct storm *storm)
{
    uint32_t number = storm_below(storm, 2), count = 1 + storm_below(storm, 3);
    ze_command_list_handle_t list = storm->shared->objects[STORM_LIST][number];
    ze_command_list_handle_t lists[] = {list, list, list};
    ze_command_queue_handle_t queue = storm->shared->objects[STORM_QUEUE][number];
    ze_fence_handle_t fence =
        number == 0 && storm_below(storm, 2) ? PICK(ze_fence_handle_t, FENCE) : NULL;
    TRY(zeCommandQueueExecuteCommandLists(queue, count, lists, fence));
    atomic_fetch_add(&storm->shared->submitted, count);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t by_hand_append_lists(struct storm *storm)
{
    ze_command_list_handle_t list = storm->shared->objects[STORM_LIST][2];
    ze_command_list_handle_t lists[] = {list, list, list};
    ze_event_handle_t wait = storm->shared->counters[storm_below(storm, 4)];
    ze_event_handle_t signal = storm->shared->counters[storm_below(storm, 4)];
    uint32_t count = 1 + storm_below(storm, 3);
    TRY(zeCommandListImmediateAppendCommandListsExp(storm->shared->appended, count, lists,
                                                    storm_below(storm, 2) ? signal : NULL,
                                                    storm_below(storm, 2), &wait));
    atomic_fetch_add(&storm->shared->submitted, count);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t by_hand_append_lists_with(struct storm *storm)
{
    ze_command_list_handle_t list = storm->shared->objects[STORM_LIST][2];
    TRY(zeCommandListImmediateAppendCommandListsWithParameters(storm->shared->appended, 1, &list,
                                                               NULL, NULL, 0, NULL));
    atomic_fetch_add(&storm->shared->submitted, 1);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t by_hand_queue_wait(struct storm *storm)
{
    return zeCommandQueueSynchronize(PICK(ze_command_queue_handle_t, QUEUE), timeout_pick(storm));
}

static ze_result_t by_hand_list_wait(struct storm *storm)
{
    uint32_t lists = storm->shared->counts[STORM_LIST] - STORM_REGULAR;
    return zeCommandListHostSynchronize(
        storm->shared->objects[STORM_LIST][STORM_REGULAR + storm_below(storm, lists)],
        timeout_pick(storm));
}

/* What resets events leaves a moment in which they are raised: the keeper signals them for ever. */
static ze_result_t by_hand_event_wait(struct storm *storm)
{
    return zeEventHostSynchronize(PICK(ze_event_handle_t, EVENT), timeout_pick(storm));
}

/* Of a fence that another thread resets nobody knows when it is raised again. */
static ze_result_t by_hand_fence_wait(struct storm *storm)
{
    return zeFenceHostSynchronize(PICK(ze_fence_handle_t, FENCE), storm_below(storm, 100000));
}

static ze_result_t own_launch(struct storm *storm)
{
    const ze_group_count_t groups = {STORM_ITEMS / 32, 1, 1};
    uint32_t *words = storm->words;
    TRY(zeCommandListHostSynchronize(storm->list, UINT64_MAX)); /* fills of the same words */
    memset(words, 0xff, STORM_ITEMS * sizeof(*words));
    TRY(zeCommandListAppendLaunchKernel(storm->list, storm->kernel, &groups,
                                        storm->shared->counters[storm_below(storm, 4)], 0, NULL));
    TRY(zeCommandListHostSynchronize(storm->list, UINT64_MAX));
    for (uint32_t i = 0; storm->shared->api->executes && i < STORM_ITEMS; i++) {
        if (words[i] != i) {
            storm_wrong(storm, "a launch wrote something else", ZE_RESULT_SUCCESS);
            break;
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t storm_own_work(struct storm *storm)
{
    ze_event_handle_t counter = storm->shared->counters[storm_below(storm, 4)];
    ze_event_handle_t regular = storm->shared->objects[STORM_EVENT][storm_below(storm, 4)];
    uint32_t pattern = 3;
    switch (storm_below(storm, 6)) {
    case 0:
        return own_launch(storm);
    case 1:
        return zeCommandListAppendSignalEvent(storm->list, counter);
    case 2:
        return zeCommandListAppendWaitOnEvents(storm->list, 1, &counter);
    case 3:
        return zeCommandListAppendBarrier(storm->list, regular, 1, &counter);
    case 4:
        return zeCommandListAppendSignalEvent(storm->list, storm->shared->shared_counter);
    default:
        return zeCommandListAppendMemoryFill(storm->list, storm->words, &pattern, 4, 64, counter, 1,
                                             &regular);
    }
}

/* ---- the table ---- */

static const struct {
    const char *name;
    ze_result_t (*run)(struct storm *storm);
} by_hand[] = {
    {"zeContextCreate", by_hand_context},
    {"zeContextCreateEx", by_hand_context_ex},
    {"zeCommandQueueCreate", by_hand_queue},
    {"zeCommandListCreate", by_hand_list},
    {"zeCommandListCreateImmediate", by_hand_immediate},
    {"zeCommandListCreateCloneExp", by_hand_clone},
    {"zeFenceCreate", by_hand_fence},
    {"zeEventPoolCreate", by_hand_pool},
    {"zeImageCreate", by_hand_image},
    {"zeImageViewCreateExt", by_hand_view},
    {"zeImageViewCreateExp", by_hand_view_exp},
    {"zeSamplerCreate", by_hand_sampler},
    {"zeRTASBuilderCreateExt", storm_rtas},
    {"zeRTASBuilderGetBuildPropertiesExt", storm_rtas},
    {"zeRTASBuilderBuildExt", storm_rtas},
    {"zeRTASParallelOperationCreateExt", storm_rtas},
    {"zeRTASParallelOperationGetPropertiesExt", storm_rtas},
    {"zeRTASParallelOperationJoinExt", storm_rtas},
    {"zeRTASBuilderCreateExp", storm_rtas_exp},
    {"zeRTASParallelOperationCreateExp", storm_rtas_exp},
    {"zeEventPoolOpenIpcHandle", by_hand_pool_open},
    {"zeEventCounterBasedCreate", by_hand_counter},
    {"zeEventCounterBasedOpenIpcHandle", by_hand_counter_open},
    {"zeModuleCreate", by_hand_module},
    {"zeModuleInspectLinkageExt", by_hand_inspect},
    {"zeKernelCreate", by_hand_kernel},
    {"zeModuleGetGlobalPointer", by_hand_global},
    {"zeMemAllocHost", by_hand_host},
    {"zeMemAllocDevice", by_hand_device},
    {"zeMemAllocShared", by_hand_shared},
    {"zeMemOpenIpcHandle", by_hand_ipc},
    {"zeMemGetFileDescriptorFromIpcHandleExp", by_hand_descriptor},
    {"zeMemGetIpcHandleFromFileDescriptorExp", by_hand_descriptor},
    {"zeVirtualMemMap", by_hand_map},
    {"zeVirtualMemUnmap", by_hand_map},
    {"zeVirtualMemSetAccessAttribute", by_hand_map},
    {"zeVirtualMemGetAccessAttribute", by_hand_map},
    {"zeVirtualMemReserve", by_hand_reserve},
    {"zeVirtualMemFree", by_hand_reserve},
    {"zePhysicalMemCreate", by_hand_physical},
    {"zeGraphCreateExt", by_hand_graph},
    {"zetMetricGroupCreateExp", by_hand_metric_group},
    {"zeCommandQueueExecuteCommandLists", by_hand_execute},
    {"zeCommandListImmediateAppendCommandListsExp", by_hand_append_lists},
    {"zeCommandListImmediateAppendCommandListsWithParameters", by_hand_append_lists_with},
    {"zeDeviceImportExternalSemaphoreExt", storm_semaphore},
    {"zeCommandListAppendSignalExternalSemaphoreExt", storm_semaphore},
    {"zeCommandListAppendWaitExternalSemaphoreExt", storm_semaphore},
    {"zeCommandQueueSynchronize", by_hand_queue_wait},
    {"zeCommandListHostSynchronize", by_hand_list_wait},
    {"zeEventHostSynchronize", by_hand_event_wait},
    {"zeFenceHostSynchronize", by_hand_fence_wait},
};

enum { CALLS = sizeof(storm_calls) / sizeof(storm_calls[0]) };
static struct storm_call table[CALLS];
const struct storm_call *storm_table = table;
uint32_t storm_table_count;

uint32_t storm_table_make(void)
{
    uint32_t unknown = 0;
    storm_table_count = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        struct storm_call call = storm_calls[i];
        for (size_t k = 0; k < sizeof(by_hand) / sizeof(by_hand[0]); k++) {
            if (strcmp(by_hand[k].name, call.name) == 0) {
                call.run = by_hand[k].run;
                call.succeeds = true;
            }
        }
        if (call.run) {
            table[storm_table_count++] = call;
        } else if (!call.absent) {
            print_error("%s may be called by several threads, and is not\n", call.name);
            unknown++;
        }
    }
    return unknown;
}
