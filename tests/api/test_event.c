/* API test of events, event pools, fences, barriers, timestamps. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

struct events {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event[8];
    uint32_t count;
};

static struct events events_open(struct api *api, ze_event_pool_flags_t flags, uint32_t count)
{
    struct events events = {.count = count};
    ze_event_pool_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = count};
    assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &events.pool));
    for (uint32_t i = 0; i < count; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                 .index = i,
                                 .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                 .wait = ZE_EVENT_SCOPE_FLAG_DEVICE};
        assert_success(zeEventCreate(events.pool, &event, &events.event[i]));
    }
    return events;
}

static void events_close(struct events *events)
{
    for (uint32_t i = 0; i < events->count; i++) {
        assert_success(zeEventDestroy(events->event[i]));
    }
    assert_success(zeEventPoolDestroy(events->pool));
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* The clock of timestamps in host time. */
static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static void submit(struct api_list *list)
{
    if (list->queue) {
        assert_success(zeCommandListClose(list->list));
        assert_success(zeCommandQueueExecuteCommandLists(list->queue, 1, &list->list, NULL));
    }
}

/* ---- host side ---- */

/* SYN-6, SYN-9, VAL-9, SYN-10 */
static void an_event_has_two_states_and_no_reset_of_its_own(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2);
    ze_event_handle_t event = events.event[0];
    for (int i = 0; i < 3; i++) {
        assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostReset(event)); /* nothing to reset: fine */
        assert_success(zeEventHostSignal(event));
        assert_success(zeEventHostSignal(event)); /* again: fine */
        assert_success(zeEventQueryStatus(event));
        assert_success(zeEventHostSynchronize(event, 0));
        assert_success(zeEventHostSynchronize(event, UINT64_MAX));
        assert_success(zeEventQueryStatus(event));
        assert_result(zeEventQueryStatus(events.event[1]), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostReset(event));
    }
    events_close(&events);
}

/* VAL-9 */
static void waiting_for_an_event_ends_in_time(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    uint64_t start = now_ns();
    assert_result(zeEventHostSynchronize(events.event[0], 0), ZE_RESULT_NOT_READY);
    assert_result(zeEventHostSynchronize(events.event[0], 10000000), ZE_RESULT_NOT_READY);
    uint64_t took = now_ns() - start;
    assert_true(took >= 10000000 && took < 5 * SECOND);
    events_close(&events);
}

static void *signal_later(void *event)
{
    struct timespec pause = {.tv_nsec = 5000000};
    nanosleep(&pause, NULL);
    zeEventHostSignal((ze_event_handle_t)event);
    return NULL;
}

/* SYN-5 */
static void a_waiting_thread_wakes_when_another_signals(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, signal_later, events.event[0]), 0);
        assert_success(zeEventHostSynchronize(events.event[0], i % 2 ? UINT64_MAX : 20 * SECOND));
        pthread_join(thread, NULL);
        assert_success(zeEventHostReset(events.event[0]));
    }
    events_close(&events);
}

/* SYN-8, SYN-9, SYN-10, VAL-7 */
static void bad_pools_and_events_are_refused(void **state)
{
    struct api *api = *state;
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 0};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    assert_result(zeEventPoolCreate(api->context, &desc, 0, NULL, &pool),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    desc.count = 4;
    assert_result(zeEventPoolCreate(api->context, &desc, 1, NULL, &pool),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    desc.flags = 1u << 20;
    assert_result(zeEventPoolCreate(api->context, &desc, 0, NULL, &pool),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
    assert_success(zeEventPoolCreate(api->context, &desc, 1, &api->device, &pool));
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 4};
    assert_result(zeEventCreate(pool, &event_desc, &event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    event_desc.index = 3;
    event_desc.signal = 1u << 20;
    assert_result(zeEventCreate(pool, &event_desc, &event), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeEventCreate(pool, NULL, &event), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeEventQueryStatus(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_success(zeEventPoolDestroy(pool));
}

/* SYN-9 */
static void an_index_used_again_starts_not_signalled(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 0};
    assert_success(zeEventHostSignal(events.event[0]));
    assert_success(zeEventDestroy(events.event[0]));
    assert_success(zeEventCreate(events.pool, &desc, &events.event[0]));
    assert_result(zeEventQueryStatus(events.event[0]), ZE_RESULT_NOT_READY);
    events_close(&events);
}

/* SYN-11 */
static void getters_return_what_was_asked_for(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    ze_event_pool_handle_t pool = NULL;
    ze_context_handle_t context = NULL;
    ze_event_pool_flags_t flags = 0;
    ze_event_scope_flags_t scope = 0;
    ze_event_counter_based_flags_t counter = UINT32_MAX;
    assert_success(zeEventGetEventPool(events.event[0], &pool));
    assert_ptr_equal(pool, events.pool);
    assert_success(zeEventPoolGetContextHandle(pool, &context));
    assert_ptr_equal(context, api->context);
    assert_success(zeEventPoolGetFlags(pool, &flags));
    assert_int_equal(flags, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    assert_success(zeEventGetSignalScope(events.event[0], &scope));
    assert_int_equal(scope, ZE_EVENT_SCOPE_FLAG_HOST);
    assert_success(zeEventGetWaitScope(events.event[0], &scope));
    assert_int_equal(scope, ZE_EVENT_SCOPE_FLAG_DEVICE);
    assert_success(zeEventGetCounterBasedFlags(events.event[0], &counter));
    assert_int_equal(counter, 0); /* a regular event */
    events_close(&events);
}

/* ---- in lists ---- */

static void host_count(void *data)
{
    atomic_fetch_add((_Atomic uint32_t *)data, 1);
}

/* SYN-5, SYN-6, SYN-12, VAL-10 */
static void lists_wait_for_signal_and_reset_events(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 4);
    struct api_list list = api_list_create(api);
    _Atomic uint32_t count = 0;
    assert_success(zeCommandListAppendWaitOnEvents(list.list, 2, events.event));
    assert_success(zeCommandListAppendHostFunction(list.list, host_count, &count, NULL,
                                                   events.event[2], 0, NULL));
    assert_success(zeCommandListAppendEventReset(list.list, events.event[0]));
    assert_success(zeCommandListAppendSignalEvent(list.list, events.event[3]));
    submit(&list);
    assert_success(zeEventHostSignal(events.event[1]));
    assert_result(zeEventHostSynchronize(events.event[2], 2000000), ZE_RESULT_NOT_READY);
    assert_int_equal(count, 0); /* one of two is missing */
    assert_success(zeEventHostSignal(events.event[0]));
    assert_success(zeEventHostSynchronize(events.event[3], UINT64_MAX));
    assert_int_equal(count, 1);
    assert_success(zeEventQueryStatus(events.event[2]));
    assert_result(zeEventQueryStatus(events.event[0]), ZE_RESULT_NOT_READY);
    assert_success(zeEventQueryStatus(events.event[1]));
    api_list_destroy(&list);
    events_close(&events);
}

/* SYN-5, SYN-6: between lists of different queues */
static void one_list_waits_for_another(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2);
    struct api_list first = api_list_create(api), second = api_list_create(api);
    _Atomic uint32_t count = 0;
    /* the waiting one is submitted first */
    assert_success(zeCommandListAppendHostFunction(second.list, host_count, &count, NULL,
                                                   events.event[1], 1, &events.event[0]));
    submit(&second);
    assert_result(zeEventQueryStatus(events.event[1]), ZE_RESULT_NOT_READY);
    assert_success(zeCommandListAppendHostFunction(first.list, host_count, &count, NULL,
                                                   events.event[0], 0, NULL));
    submit(&first);
    assert_success(zeEventHostSynchronize(events.event[1], UINT64_MAX));
    assert_int_equal(count, 2);
    api_list_destroy(&first);
    api_list_destroy(&second);
    events_close(&events);
}

/* SYN-14, SYN-15, VAL-11, SYN-5 */
static void barriers_wait_for_events_and_signal(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 3);
    struct api_list list = api_list_create(api);
    void *memory = api_alloc_shared(api, 64);
    const void *ranges[2] = {memory, (uint8_t *)memory + 32};
    size_t sizes[2] = {16, 16};
    assert_success(zeCommandListAppendBarrier(list.list, events.event[1], 1, &events.event[0]));
    assert_success(zeCommandListAppendMemoryRangesBarrier(list.list, 2, sizes, ranges,
                                                          events.event[2], 1, &events.event[1]));
    assert_result(zeCommandListAppendMemoryRangesBarrier(list.list, 2, NULL, ranges, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeCommandListAppendMemoryRangesBarrier(list.list, 2, sizes, NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeCommandListAppendBarrier(list.list, NULL, 2, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    submit(&list);
    assert_result(zeEventHostSynchronize(events.event[2], 1000000), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(events.event[0]));
    assert_success(zeEventHostSynchronize(events.event[2], UINT64_MAX));
    assert_success(zeEventQueryStatus(events.event[1]));
    assert_success(zeContextSystemBarrier(api->context, api->device));
    api_list_destroy(&list);
    api_free(api, memory);
    events_close(&events);
}

/* CMQ-17: executing again does not reset events */
static void a_second_run_finds_events_signalled(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2);
    struct api_list list = api_list_create(api);
    assert_success(zeCommandListAppendBarrier(list.list, events.event[1], 1, &events.event[0]));
    submit(&list);
    assert_success(zeEventHostSignal(events.event[0]));
    assert_success(zeEventHostSynchronize(events.event[1], UINT64_MAX));
    if (list.queue) {
        assert_success(zeCommandQueueSynchronize(list.queue, UINT64_MAX));
        assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL));
        assert_success(zeCommandQueueSynchronize(list.queue, 20 * SECOND));
    }
    assert_success(zeEventQueryStatus(events.event[0]));
    api_list_destroy(&list);
    events_close(&events);
}

/* ---- fences ---- */

/* SYN-1, SYN-2, SYN-3, SYN-4, VAL-9 */
static void a_fence_tells_when_its_submission_is_done(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = api->ordinal,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                        .commandQueueGroupOrdinal = api->ordinal};
    ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_fence_handle_t fence;
    assert_success(zeCommandQueueCreate(api->context, api->device, &queue_desc, &queue));
    assert_success(zeCommandListCreate(api->context, api->device, &list_desc, &list));
    assert_success(zeFenceCreate(queue, &fence_desc, &fence));
    assert_success(zeCommandListAppendBarrier(list, NULL, 1, &events.event[0]));
    assert_success(zeCommandListClose(list));
    for (int round = 0; round < 3; round++) {
        assert_success(zeFenceReset(fence)); /* not signalled: fine */
        assert_result(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
        assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
        assert_result(zeFenceHostSynchronize(fence, 0), ZE_RESULT_NOT_READY);
        assert_result(zeFenceHostSynchronize(fence, 1000000), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostSignal(events.event[0]));
        assert_success(zeFenceHostSynchronize(fence, round ? UINT64_MAX : 20 * SECOND));
        assert_success(zeFenceQueryStatus(fence));
        assert_success(zeFenceQueryStatus(fence)); /* no reset of its own */
        assert_success(zeFenceReset(fence));
        assert_success(zeEventHostReset(events.event[0]));
    }
    assert_success(zeFenceDestroy(fence));
    fence_desc.flags = ZE_FENCE_FLAG_SIGNALED;
    assert_success(zeFenceCreate(queue, &fence_desc, &fence));
    assert_success(zeFenceQueryStatus(fence));
    assert_success(zeEventHostSignal(events.event[0])); /* so that the list ends */
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_success(zeFenceQueryStatus(fence)); /* signalled twice: fine */
    assert_success(zeFenceDestroy(fence));
    fence_desc.flags = 1u << 20;
    assert_result(zeFenceCreate(queue, &fence_desc, &fence), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
    events_close(&events);
}

/* ---- timestamps ---- */

/* SYN-17, SYN-19, SYN-20, SYN-8, SYN-10 */
static void timestamp_events_tell_when_commands_ran(void **state)
{
    struct api *api = *state;
    struct events events =
        events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 3);
    struct api_list list = api_list_create(api);
    ze_kernel_timestamp_result_t results[3], untouched;
    memset(&untouched, 0x5a, sizeof(untouched));
    memset(results, 0x5a, sizeof(results));
    assert_result(zeEventQueryKernelTimestamp(events.event[0], &results[0]), ZE_RESULT_NOT_READY);
    assert_memory_equal(&results[0], &untouched, sizeof(untouched));
    uint64_t host_before = 0, device_before = 0, host_after = 0, device_after = 0;
    assert_success(zeDeviceGetGlobalTimestamps(api->device, &host_before, &device_before));
    for (int i = 0; i < 3; i++) {
        assert_success(zeCommandListAppendBarrier(list.list, events.event[i], 0, NULL));
    }
    submit(&list);
    assert_success(zeEventHostSynchronize(events.event[2], UINT64_MAX));
    assert_success(zeDeviceGetGlobalTimestamps(api->device, &host_after, &device_after));
    uint64_t last = 0;
    for (int i = 0; i < 3; i++) {
        assert_success(zeEventQueryKernelTimestamp(events.event[i], &results[i]));
        assert_true(results[i].global.kernelStart >= last);
        assert_true(results[i].global.kernelEnd >= results[i].global.kernelStart);
        assert_true(results[i].context.kernelEnd >= results[i].context.kernelStart);
        assert_true(results[i].context.kernelStart >= results[i].global.kernelStart);
        assert_true(results[i].context.kernelEnd <= results[i].global.kernelEnd);
        last = results[i].global.kernelEnd;
    }
    assert_true(device_before <= results[0].global.kernelStart);
    assert_true(last <= device_after);
    api_list_destroy(&list);
    events_close(&events);
}

/* SYN-20: on the device, packed and with offsets */
static void lists_query_timestamps_into_memory(void **state)
{
    struct api *api = *state;
    struct events events =
        events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 3);
    struct api_list list = api_list_create(api);
    ze_kernel_timestamp_result_t *packed = api_alloc_shared(api, 2 * sizeof(*packed));
    uint8_t *placed = api_alloc_shared(api, 1024);
    size_t *offsets = api_alloc_host(api, 2 * sizeof(*offsets));
    offsets[0] = 512;
    offsets[1] = 128;
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandListAppendBarrier(list.list, events.event[i], 0, NULL));
    }
    assert_success(zeCommandListAppendQueryKernelTimestamps(list.list, 2, events.event, packed,
                                                            NULL, NULL, 2, events.event));
    assert_success(zeCommandListAppendQueryKernelTimestamps(
        list.list, 2, events.event, placed, offsets, events.event[2], 2, events.event));
    submit(&list);
    assert_success(zeEventHostSynchronize(events.event[2], UINT64_MAX));
    for (int i = 0; i < 2; i++) {
        ze_kernel_timestamp_result_t result;
        assert_success(zeEventQueryKernelTimestamp(events.event[i], &result));
        assert_memory_equal(&packed[i], &result, sizeof(result));
        assert_memory_equal(placed + offsets[i], &result, sizeof(result));
    }
    api_list_destroy(&list);
    api_free(api, packed);
    api_free(api, placed);
    api_free(api, offsets);
    events_close(&events);
}

/* SYN-18, SYN-20, VAL-10 */
static void events_without_timestamps_have_none(void **state)
{
    struct api *api = *state;
    struct events plain = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    struct events stamped = events_open(
        api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP, 1);
    struct api_list list = api_list_create(api);
    ze_kernel_timestamp_result_t result;
    assert_result(zeEventQueryKernelTimestamp(plain.event[0], &result),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_result(zeCommandListAppendQueryKernelTimestamps(list.list, 1, plain.event, &result, NULL,
                                                           NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_success(zeEventHostSignal(stamped.event[0])); /* times undefined, state right */
    assert_success(zeEventQueryKernelTimestamp(stamped.event[0], &result));
    assert_success(zeEventHostReset(stamped.event[0]));
    uint64_t before = raw_ns();
    assert_success(zeCommandListAppendBarrier(list.list, stamped.event[0], 0, NULL));
    submit(&list);
    assert_success(zeEventHostSynchronize(stamped.event[0], UINT64_MAX));
    ze_synchronized_timestamp_result_ext_t synchronized = {0};
    ze_event_query_kernel_timestamps_results_ext_properties_t results = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_RESULTS_EXT_PROPERTIES,
        .pKernelTimestampsBuffer = &result,
        .pSynchronizedTimestampsBuffer = &synchronized,
    };
    uint32_t count = 0;
    assert_success(
        zeEventQueryKernelTimestampsExt(stamped.event[0], api->device, &count, &results));
    assert_int_equal(count, 1);
    assert_success(
        zeEventQueryKernelTimestampsExt(stamped.event[0], api->device, &count, &results));
    assert_true(result.global.kernelEnd != 0);
    assert_true(synchronized.global.kernelEnd >= synchronized.global.kernelStart);
    assert_in_range(synchronized.global.kernelStart, before, raw_ns());
    assert_in_range(synchronized.global.kernelEnd, before, raw_ns());
    count = 1;
    assert_success(zeEventQueryTimestampsExp(stamped.event[0], api->device, &count, &result));
    api_list_destroy(&list);
    events_close(&plain);
    events_close(&stamped);
}

/* CMQ-22 */
static void the_global_timestamp_is_written_in_order(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint64_t *stamps = api_alloc_shared(api, 4 * sizeof(*stamps));
    for (int i = 0; i < 4; i++) {
        assert_success(
            zeCommandListAppendWriteGlobalTimestamp(list.list, &stamps[i], NULL, 0, NULL));
    }
    assert_result(zeCommandListAppendWriteGlobalTimestamp(
                      list.list, (uint64_t *)((uint8_t *)stamps + 4), NULL, 0, NULL),
                  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_result(zeCommandListAppendWriteGlobalTimestamp(list.list, NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    uint64_t host, device, before;
    assert_success(zeDeviceGetGlobalTimestamps(api->device, &host, &before));
    api_list_run(api, &list);
    assert_success(zeDeviceGetGlobalTimestamps(api->device, &host, &device));
    assert_true(stamps[0] != 0);
    assert_true(api->immediate || stamps[0] >= before); /* an immediate list began earlier */
    for (int i = 1; i < 4; i++) {
        assert_true(stamps[i] >= stamps[i - 1]);
    }
    assert_true(device >= stamps[3]);
    api_list_destroy(&list);
    api_free(api, stamps);
}

/* ---- counter-based events ---- */

static ze_command_list_handle_t in_order_list(struct api *api)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    return list;
}

static void counter_events_need_no_reset(void **state)
{
    struct api *api = *state;
    struct events gate = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                          .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
                                                   ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE |
                                                   ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP};
    ze_event_handle_t event;
    ze_event_counter_based_flags_t flags = 0;
    uint64_t value = 0, address = 0;
    ze_kernel_timestamp_result_t stamps;
    assert_success(zeEventCounterBasedCreate(api->context, api->device, &desc, &event));
    assert_success(zeEventGetCounterBasedFlags(event, &flags));
    assert_int_equal(flags, desc.flags);
    assert_success(zeEventQueryStatus(event)); /* nothing to wait for yet */
    ze_command_list_handle_t list = in_order_list(api), other = in_order_list(api);
    for (int round = 0; round < 3; round++) {
        assert_success(zeCommandListAppendBarrier(list, event, 1, &gate.event[0]));
        assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
        assert_result(zeEventHostSynchronize(event, 1000000), ZE_RESULT_NOT_READY);
        assert_success(zeCommandListAppendWaitOnEvents(other, 1, &event));
        assert_result(zeCommandListHostSynchronize(other, 0), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostSignal(gate.event[0]));
        assert_success(zeEventHostSynchronize(event, UINT64_MAX));
        assert_success(zeCommandListHostSynchronize(other, UINT64_MAX));
        assert_success(zeEventQueryKernelTimestamp(event, &stamps));
        assert_true(stamps.global.kernelEnd >= stamps.global.kernelStart);
        assert_success(zeEventCounterBasedGetDeviceAddress(event, &value, &address));
        assert_true(*(volatile uint64_t *)(uintptr_t)address >= value);
        assert_success(zeEventHostReset(gate.event[0]));
    }
    assert_result(zeEventHostReset(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeEventHostSignal(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandListAppendEventReset(list, event),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_success(zeCommandListDestroy(list)); /* the event outlives the list that signalled it */
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventDestroy(event));
    assert_success(zeCommandListDestroy(other));
    events_close(&gate);
}

static void counter_events_of_regular_lists_count_each_run(void **state)
{
    struct api *api = *state;
    ze_event_pool_counter_based_exp_desc_t counter = {
        .stype = ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC,
        .flags = ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_NON_IMMEDIATE};
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .pNext = &counter,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = api->ordinal,
                                          .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                        .commandQueueGroupOrdinal = api->ordinal,
                                        .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &event));
    assert_success(zeCommandQueueCreate(api->context, api->device, &queue_desc, &queue));
    assert_success(zeCommandListCreate(api->context, api->device, &list_desc, &list));
    assert_success(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    assert_success(zeCommandListAppendBarrier(list, event, 0, NULL));
    assert_success(zeCommandListAppendWaitOnEvents(list, 1, &event));
    assert_success(zeCommandListClose(list));
    assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    for (int i = 0; i < 3; i++) {
        assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_success(zeEventQueryStatus(event));
    }
    ze_command_list_handle_t relaxed;
    list_desc.flags = 0;
    assert_success(zeCommandListCreate(api->context, api->device, &list_desc, &relaxed));
    assert_result(zeCommandListAppendBarrier(relaxed, event, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_success(zeCommandListDestroy(relaxed));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolDestroy(pool));
    assert_success(zeCommandQueueDestroy(queue));
}

/* ---- between processes ---- */

/* The child of a fork opens the pool by value; it talks through a pipe and its exit status. */
static int child_main(struct api *api, const ze_ipc_event_pool_handle_t *handle)
{
    ze_event_pool_handle_t pool;
    ze_event_handle_t events[2];
    if (zeEventPoolOpenIpcHandle(api->context, *handle, &pool) != ZE_RESULT_SUCCESS) {
        return 1;
    }
    for (uint32_t i = 0; i < 2; i++) {
        ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        if (zeEventCreate(pool, &desc, &events[i]) != ZE_RESULT_SUCCESS) {
            return 2;
        }
    }
    if (zeEventHostSynchronize(events[0], 20 * SECOND) != ZE_RESULT_SUCCESS) {
        return 3;
    }
    if (zeEventHostSignal(events[1]) != ZE_RESULT_SUCCESS) {
        return 4;
    }
    zeEventDestroy(events[0]);
    zeEventDestroy(events[1]);
    return zeEventPoolCloseIpcHandle(pool) == ZE_RESULT_SUCCESS ? 0 : 5;
}

/* IPC-1, IPC-6, IPC-7, IPC-8, SYN-6, SYN-10 */
static void processes_share_the_state_of_events(void **state)
{
    struct api *api = *state;
    struct events events =
        events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC, 2);
    struct events local = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    struct api_list list = api_list_create(api);
    ze_ipc_event_pool_handle_t handle;
    assert_success(zeEventPoolGetIpcHandle(events.pool, &handle));
    pid_t child = fork();
    if (child == 0) {
        _exit(child_main(api, &handle));
    }
    /* a stream of ours waits for the other process's signal, parked */
    assert_success(zeCommandListAppendBarrier(list.list, local.event[0], 1, &events.event[1]));
    submit(&list);
    assert_result(zeEventHostSynchronize(local.event[0], 2000000), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(events.event[0]));
    assert_success(zeEventHostSynchronize(events.event[1], 20 * SECOND));
    assert_success(zeEventHostSynchronize(local.event[0], 20 * SECOND));
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_success(zeEventPoolPutIpcHandle(api->context, handle));
    api_list_destroy(&list);
    events_close(&events);
    events_close(&local);
}

/* IPC-6, IPC-7 */
static void pools_that_cannot_be_shared_are_refused(void **state)
{
    struct api *api = *state;
    struct events events = events_open(api, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    ze_ipc_event_pool_handle_t handle;
    ze_event_pool_handle_t pool;
    assert_result(zeEventPoolGetIpcHandle(events.pool, &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    memset(&handle, 0x5a, sizeof(handle));
    assert_result(zeEventPoolOpenIpcHandle(api->context, handle, &pool),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    memset(&handle, 0, sizeof(handle));
    assert_result(zeEventPoolOpenIpcHandle(api->context, handle, &pool),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeEventPoolCloseIpcHandle(events.pool), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    events_close(&events);
}

static const struct api_case cases[] = {
    API_CASE(an_event_has_two_states_and_no_reset_of_its_own),
    API_CASE(waiting_for_an_event_ends_in_time),
    API_CASE(a_waiting_thread_wakes_when_another_signals),
    API_CASE(bad_pools_and_events_are_refused),
    API_CASE(an_index_used_again_starts_not_signalled),
    API_CASE(getters_return_what_was_asked_for),
    API_LIST_CASE(lists_wait_for_signal_and_reset_events),
    API_LIST_CASE(one_list_waits_for_another),
    API_LIST_CASE(barriers_wait_for_events_and_signal),
    API_LIST_CASE(a_second_run_finds_events_signalled),
    API_CASE(a_fence_tells_when_its_submission_is_done),
    API_LIST_CASE(timestamp_events_tell_when_commands_ran),
    API_LIST_CASE(lists_query_timestamps_into_memory),
    API_LIST_CASE(events_without_timestamps_have_none),
    API_LIST_CASE(the_global_timestamp_is_written_in_order),
    API_CASE(counter_events_need_no_reset),
    API_CASE(counter_events_of_regular_lists_count_each_run),
    API_LIST_CASE(processes_share_the_state_of_events),
    API_CASE(pools_that_cannot_be_shared_are_refused),
};

API_MAIN("event", cases)
