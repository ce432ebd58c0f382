/* Every function that takes a command list and events to wait for, or an immediate list alone: the
 * calls that the registry gives (scripts/gen/test_lists.py), and by hand those that need particular
 * values to succeed. For one test program. */
#ifndef TESTS_API_LIST_FUNCTIONS_SUPPORT_H
#define TESTS_API_LIST_FUNCTIONS_SUPPORT_H

#include "graph_support.h"

#include <sys/eventfd.h>
#include <unistd.h>

/* What the calls take, by the type of the parameter. */
struct things {
    struct api *api;
    ze_context_handle_t context;
    ze_command_list_handle_t list, closed; /* `closed` is a regular list that can be executed */
    ze_kernel_handle_t kernel;
    uint32_t *to, *from; /* shared memory */
    struct journal journal;
    struct note note;
    ze_image_handle_t image, other;
    ze_graph_handle_t graph;
    ze_executable_graph_handle_t executable;
    ze_external_semaphore_ext_handle_t semaphore; /* NULL: the driver has none */
    int counter;                                  /* behind the semaphore */
    ze_event_handle_t event;
    zet_metric_group_handle_t group;
    zet_metric_query_pool_handle_t pool;
    zet_metric_query_handle_t query; /* NULL: the device has no metrics */
};

typedef ze_result_t (*list_fn)(struct things *things, ze_event_handle_t signal, uint32_t count,
                               ze_event_handle_t *waits);

#define SIGNATURE                                                                                  \
    struct things *things, ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits
#define EVENTS signal, count, waits

/* A function of the registry that takes a command list. */
struct list_function {
    const char *name;
    list_fn call;
    bool waits;          /* it appends something that waits for events */
    ze_result_t refusal; /* of a regular list; SUCCESS: the function takes both kinds */
};

#include "tests/lists.inc" /* generated: list_functions */

/* ---- calls that need particular values to succeed ---- */

static ze_result_t ranges_barrier(SIGNATURE)
{
    size_t bytes = 64;
    const void *range = things->to;
    return zeCommandListAppendMemoryRangesBarrier(things->list, 1, &bytes, &range, EVENTS);
}

static ze_result_t copy_region(SIGNATURE)
{
    ze_copy_region_t region = {.width = 16, .height = 4};
    return zeCommandListAppendMemoryCopyRegion(things->list, things->to, &region, 16, 0,
                                               things->from, &region, 16, 0, EVENTS);
}

static ze_result_t copy_empty_region(SIGNATURE)
{
    ze_copy_region_t region = {.width = 0, .height = 4};
    return zeCommandListAppendMemoryCopyRegion(things->list, things->to, &region, 16, 0,
                                               things->from, &region, 16, 0, EVENTS);
}

static ze_result_t write_timestamp(SIGNATURE)
{
    return zeCommandListAppendWriteGlobalTimestamp(things->list, (uint64_t *)(void *)things->to,
                                                   EVENTS);
}

static ze_result_t query_timestamps(SIGNATURE)
{
    return zeCommandListAppendQueryKernelTimestamps(things->list, 0, &signal, things->to, NULL,
                                                    EVENTS);
}

static ze_result_t host_function(SIGNATURE)
{
    return zeCommandListAppendHostFunction(things->list, note_write, &things->note, NULL, EVENTS);
}

static const ze_group_count_t one_group = {1, 1, 1};

static ze_result_t launch(SIGNATURE)
{
    return zeCommandListAppendLaunchKernel(things->list, things->kernel, &one_group, EVENTS);
}

static ze_result_t launch_cooperative(SIGNATURE)
{
    return zeCommandListAppendLaunchCooperativeKernel(things->list, things->kernel, &one_group,
                                                      EVENTS);
}

static ze_result_t launch_with_parameters(SIGNATURE)
{
    return zeCommandListAppendLaunchKernelWithParameters(things->list, things->kernel, &one_group,
                                                         NULL, EVENTS);
}

static ze_result_t launch_with_arguments(SIGNATURE)
{
    ze_group_size_t size = {1, 1, 1};
    void *arguments[] = {&things->to};
    return zeCommandListAppendLaunchKernelWithArguments(things->list, things->kernel, one_group,
                                                        size, arguments, NULL, EVENTS);
}

static ze_result_t launch_indirect(SIGNATURE)
{
    return zeCommandListAppendLaunchKernelIndirect(
        things->list, things->kernel, (const ze_group_count_t *)(void *)things->from, EVENTS);
}

static ze_result_t launch_multiple(SIGNATURE)
{
    ze_kernel_handle_t kernels[2] = {things->kernel, things->kernel};
    return zeCommandListAppendLaunchMultipleKernelsIndirect(
        things->list, 2, kernels, things->from + 8, (const ze_group_count_t *)(void *)things->from,
        EVENTS);
}

static ze_result_t image_copy(SIGNATURE)
{
    return zeCommandListAppendImageCopy(things->list, things->image, things->other, EVENTS);
}

static ze_result_t image_copy_region(SIGNATURE)
{
    return zeCommandListAppendImageCopyRegion(things->list, things->image, things->other, NULL,
                                              NULL, EVENTS);
}

static ze_result_t image_to_memory(SIGNATURE)
{
    return zeCommandListAppendImageCopyToMemory(things->list, things->to, things->image, NULL,
                                                EVENTS);
}

static ze_result_t image_from_memory(SIGNATURE)
{
    return zeCommandListAppendImageCopyFromMemory(things->list, things->image, things->from, NULL,
                                                  EVENTS);
}

static ze_result_t image_to_memory_ext(SIGNATURE)
{
    return zeCommandListAppendImageCopyToMemoryExt(things->list, things->to, things->image, NULL, 8,
                                                   0, EVENTS);
}

static ze_result_t image_from_memory_ext(SIGNATURE)
{
    return zeCommandListAppendImageCopyFromMemoryExt(things->list, things->image, things->from,
                                                     NULL, 8, 0, EVENTS);
}

static const struct {
    const char *name;
    list_fn call;
} own_calls[] = {
    {"zeCommandListAppendMemoryRangesBarrier", ranges_barrier},
    {"zeCommandListAppendMemoryCopyRegion", copy_region},
    {"zeCommandListAppendMemoryCopyRegion", copy_empty_region},
    {"zeCommandListAppendWriteGlobalTimestamp", write_timestamp},
    {"zeCommandListAppendQueryKernelTimestamps", query_timestamps},
    {"zeCommandListAppendHostFunction", host_function},
    {"zeCommandListAppendLaunchKernel", launch},
    {"zeCommandListAppendLaunchCooperativeKernel", launch_cooperative},
    {"zeCommandListAppendLaunchKernelWithParameters", launch_with_parameters},
    {"zeCommandListAppendLaunchKernelWithArguments", launch_with_arguments},
    {"zeCommandListAppendLaunchKernelIndirect", launch_indirect},
    {"zeCommandListAppendLaunchMultipleKernelsIndirect", launch_multiple},
    {"zeCommandListAppendImageCopy", image_copy},
    {"zeCommandListAppendImageCopyRegion", image_copy_region},
    {"zeCommandListAppendImageCopyToMemory", image_to_memory},
    {"zeCommandListAppendImageCopyFromMemory", image_from_memory},
    {"zeCommandListAppendImageCopyToMemoryExt", image_to_memory_ext},
    {"zeCommandListAppendImageCopyFromMemoryExt", image_from_memory_ext},
};
#define OWN_CALLS (sizeof(own_calls) / sizeof(own_calls[0]))
#define FUNCTIONS (sizeof(list_functions) / sizeof(list_functions[0]))

/* ---- the objects ---- */

static void graph_open(struct things *things)
{
    ze_command_list_handle_t list = graph_list(things->api);
    graph_begin(list);
    note_append(list, &things->note, NULL, NULL);
    things->graph = graph_end(list);
    things->executable = graph_make(things->graph);
    assert_success(zeCommandListDestroy(list));
}

/* A counter with more than all the calls take. */
static void semaphore_open(struct things *things)
{
    things->counter = eventfd(1000, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    assert_true(things->counter >= 0);
    ze_external_semaphore_fd_ext_desc_t by_fd = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC, .fd = things->counter};
    ze_external_semaphore_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC,
                                             .pNext = &by_fd,
                                             .flags = ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD};
    if (api_has_function(things->api, "zeDeviceImportExternalSemaphoreExt")) {
        assert_success(
            zeDeviceImportExternalSemaphoreExt(things->api->device, &desc, &things->semaphore));
    }
}

static void closed_open(struct things *things)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = things->api->ordinal};
    assert_success(
        zeCommandListCreate(things->context, things->api->device, &desc, &things->closed));
    note_append(things->closed, &things->note, NULL, NULL);
    assert_success(zeCommandListClose(things->closed));
}

/* Makes a query of the first group of metrics, which takes queries if the device has one. */
static void query_open(struct things *things)
{
    const zet_metric_query_pool_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC,
                                               .type = ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE,
                                               .count = 1};
    zet_device_handle_t device = things->api->device;
    uint32_t count = 1;
    if (!api_has_function(things->api, "zetMetricGroupGet") ||
        zetMetricGroupGet(device, &count, &things->group) != ZE_RESULT_SUCCESS || count == 0) {
        return;
    }
    assert_success(zetContextActivateMetricGroups(things->context, device, 1, &things->group));
    assert_success(
        zetMetricQueryPoolCreate(things->context, device, things->group, &desc, &things->pool));
    assert_success(zetMetricQueryCreate(things->pool, 0, &things->query));
}

static void query_close(struct things *things)
{
    if (things->query) {
        assert_success(zetMetricQueryDestroy(things->query));
        assert_success(zetMetricQueryPoolDestroy(things->pool));
        assert_success(
            zetContextActivateMetricGroups(things->context, things->api->device, 0, NULL));
    }
}

static void things_open(struct api *api, ze_module_handle_t module, struct things *things)
{
    const ze_image_desc_t image = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .width = 4, .height = 2};
    memset(things, 0, sizeof(*things));
    things->api = api;
    things->context = api->context;
    things->note = (struct note){&things->journal, 0};
    things->kernel = api_kernel(module, "ids");
    things->to = api_alloc_shared(api, 64);
    things->from = api_alloc_shared(api, 64);
    assert_success(zeImageCreate(api->context, api->device, &image, &things->image));
    assert_success(zeImageCreate(api->context, api->device, &image, &things->other));
    for (int i = 0; i < 16; i++) {
        things->from[i] = 1; /* group counts, and the limit of a multiple launch */
    }
    assert_success(zeKernelSetGroupSize(things->kernel, 1, 1, 1));
    assert_success(zeKernelSetArgumentValue(things->kernel, 0, sizeof(things->to), &things->to));
    graph_open(things);
    semaphore_open(things);
    query_open(things);
    closed_open(things);
}

static void things_close(struct things *things)
{
    assert_success(zeCommandListDestroy(things->closed));
    query_close(things);
    if (things->semaphore) {
        assert_success(zeDeviceReleaseExternalSemaphoreExt(things->semaphore));
    }
    close(things->counter);
    assert_success(zeExecutableGraphDestroyExt(things->executable));
    assert_success(zeGraphDestroyExt(things->graph));
    assert_success(zeKernelDestroy(things->kernel));
    assert_success(zeImageDestroy(things->image));
    assert_success(zeImageDestroy(things->other));
    api_free(things->api, things->to);
    api_free(things->api, things->from);
}

/* Returns whether the driver has the function, and the object that it needs. */
static bool has_function(const struct things *things, const struct list_function *function)
{
    const bool semaphore = strstr(function->name, "ExternalSemaphore") != NULL;
    const bool query = strstr(function->name, "MetricQuery") != NULL;
    return api_has_function(things->api, function->name) && (!semaphore || things->semaphore) &&
           (!query || things->query);
}

/* Calls `ask` with each call of a function, by hand or the generated one. */
static void function_each(struct things *things, const struct list_function *function,
                          void (*ask)(struct things *things, const char *name, list_fn call))
{
    size_t own = 0;
    for (size_t k = 0; k < OWN_CALLS; k++) {
        if (strcmp(own_calls[k].name, function->name) == 0) {
            ask(things, function->name, own_calls[k].call);
            own++;
        }
    }
    if (own == 0) {
        ask(things, function->name, function->call);
    }
}

/* Where a call of the registry does not succeed as it is made. */
static void must_succeed(const char *name, ze_result_t result)
{
    if (result != ZE_RESULT_SUCCESS) {
        fail_msg("%s: 0x%x: when it needs particular values, add it to own_calls", name, result);
    }
}

#endif
