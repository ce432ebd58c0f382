/* API test of events that commands cannot signal, reset or ask for their times. */
#include "harness.h"

static ze_event_handle_t counter_event(struct api *api)
{
    const ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                                .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
                                                         ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE};
    ze_event_handle_t event = NULL;
    assert_success(zeEventCounterBasedCreate(api->context, api->device, &desc, &event));
    return event;
}

#define REFUSED ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT

static void nothing(void *data)
{
    (void)data;
}

/* VAL-10: a counter-based event is signalled by lists that run in order; one record of each kind */
static void unordered_lists_signal_no_counters(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_event_handle_t event = counter_event(api);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    const ze_group_count_t groups = {1, 1, 1};
    const ze_copy_region_t region = {.width = 8, .height = 1};
    uint64_t *memory = api_alloc_shared(api, 64);
    const void *range = memory;
    const size_t bytes = 64;
    const uint8_t pattern = 0;
    assert_result(zeCommandListAppendBarrier(list.list, event, 0, NULL), REFUSED);
    assert_result(
        zeCommandListAppendMemoryRangesBarrier(list.list, 1, &bytes, &range, event, 0, NULL),
        REFUSED);
    assert_result(zeCommandListAppendSignalEvent(list.list, event), REFUSED);
    assert_result(zeCommandListAppendMemoryCopy(list.list, memory, memory + 4, 32, event, 0, NULL),
                  REFUSED);
    assert_result(zeCommandListAppendMemoryFill(list.list, memory, &pattern, 1, 64, event, 0, NULL),
                  REFUSED);
    assert_result(zeCommandListAppendMemoryCopyRegion(list.list, memory, &region, 8, 0, memory + 4,
                                                      &region, 8, 0, event, 0, NULL),
                  REFUSED);
    assert_result(zeCommandListAppendWriteGlobalTimestamp(list.list, memory, event, 0, NULL),
                  REFUSED);
    assert_result(zeCommandListAppendHostFunction(list.list, nothing, NULL, NULL, event, 0, NULL),
                  REFUSED);
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(memory), &memory));
    assert_result(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, event, 0, NULL),
                  REFUSED);
    assert_success(zeEventQueryStatus(event)); /* nothing signals it */
    api_list_run(api, &list);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    assert_success(zeEventDestroy(event));
    api_free(api, memory);
    api_list_destroy(&list);
}

/* VAL-10 */
static void counters_are_not_reset_by_lists(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_event_handle_t event = counter_event(api);
    assert_result(zeCommandListAppendEventReset(list.list, event), REFUSED);
    api_list_run(api, &list);
    assert_success(zeEventDestroy(event));
    api_list_destroy(&list);
}

/* VAL-10 */
static void times_of_plain_events_are_not_told(void **state)
{
    struct api *api = *state;
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 1};
    const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_kernel_timestamp_result_t result, before;
    memset(&result, 0x5a, sizeof(result));
    before = result;
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &event));
    assert_success(zeEventHostSignal(event));
    assert_result(zeEventQueryKernelTimestamp(event, &result), REFUSED);
    assert_memory_equal(&result, &before, sizeof(result));
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolDestroy(pool));
}

static const struct api_case cases[] = {
    API_LIST_CASE(unordered_lists_signal_no_counters),
    API_LIST_CASE(counters_are_not_reset_by_lists),
    API_CASE(times_of_plain_events_are_not_told),
};

API_MAIN("event_refused", cases)
