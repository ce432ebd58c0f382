/* API test of counter-based events whose counter lies in memory of the application: synchronisation
 * allocations, which the application raises, and aggregates, which signals add to. */
#include "counter_support.h"

#include <pthread.h>
#include <stdatomic.h>

static ze_event_handle_t sync_event(struct api *api, uint64_t *device, uint64_t *host,
                                    uint64_t value)
{
    ze_event_counter_based_external_sync_allocation_desc_t sync = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC,
        .deviceAddress = device,
        .hostAddress = host,
        .completionValue = value,
    };
    return counter_event(api, 0, &sync);
}

static ze_event_handle_t aggregate_event(struct api *api, uint64_t *word, uint64_t increment,
                                         uint64_t value, uint32_t flags)
{
    ze_event_counter_based_external_aggregate_storage_desc_t aggregate = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE_DESC,
        .deviceAddress = word,
        .incrementValue = increment,
        .completionValue = value,
    };
    return counter_event(api, flags, &aggregate);
}

/* What another program, or a kernel, does: a store, and nobody is told. */
static void store(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* In-order lists of the kind that the case runs with. */
static struct api_list in_order_list(struct api *api)
{
    struct api_list list = {0};
    if (api->immediate) {
        list.list = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    } else {
        list.list = counter_regular(api);
        list.queue = counter_queue(api);
    }
    return list;
}

static void submit(struct api_list *list)
{
    if (list->queue) {
        assert_success(zeCommandListClose(list->list));
        counter_execute(list->queue, list->list);
    }
}

static void settle(struct api_list *list)
{
    assert_success(list->queue ? zeCommandQueueSynchronize(list->queue, API_PATIENCE_NS)
                               : zeCommandListHostSynchronize(list->list, API_PATIENCE_NS));
}

/* ---- synchronisation allocations ---- */

static void the_host_raises_an_external_counter(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    struct api_list list = api_list_create(api); /* waiting needs no in-order list */
    uint64_t *word = api_alloc_shared(api, sizeof(*word)), value, address;
    *word = 1;
    ze_event_handle_t event = sync_event(api, word, word, 3);
    assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_success(zeEventCounterBasedGetDeviceAddress(event, &value, &address));
    assert_int_equal(value, 3);
    assert_int_equal(address, (uintptr_t)word);
    assert_success(zeCommandListAppendBarrier(list.list, gates.gate[0], 1, &event));
    submit(&list);
    assert_result(zeEventHostSynchronize(gates.gate[0], MOMENT), ZE_RESULT_NOT_READY);
    assert_result(zeEventHostSynchronize(event, MOMENT), ZE_RESULT_NOT_READY);
    assert_result(zeEventHostSynchronize(event, 0), ZE_RESULT_NOT_READY);
    store(word, 2);
    assert_result(zeEventHostSynchronize(gates.gate[0], MOMENT), ZE_RESULT_NOT_READY);
    store(word, 4);
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventHostSynchronize(event, UINT64_MAX));
    assert_success(zeEventHostSynchronize(gates.gate[0], API_PATIENCE_NS));
    store(word, 0); /* the application's own reset */
    assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    settle(&list);
    api_list_destroy(&list);
    assert_success(zeEventDestroy(event));
    api_free(api, word);
    gates_close(&gates);
}

struct waiter {
    pthread_t thread;
    ze_event_handle_t event;
    uint64_t timeout;
    ze_result_t result;
};

static void *waiter_main(void *argument)
{
    struct waiter *waiter = argument;
    waiter->result = zeEventHostSynchronize(waiter->event, waiter->timeout);
    return NULL;
}

static struct waiter *waiters_start(struct waiter *waiters, ze_event_handle_t event)
{
    for (int i = 0; i < 2; i++) {
        waiters[i] = (struct waiter){.event = event, .timeout = i ? UINT64_MAX : API_PATIENCE_NS};
        assert_int_equal(pthread_create(&waiters[i].thread, NULL, waiter_main, &waiters[i]), 0);
    }
    return waiters;
}

static void waiters_join(struct waiter *waiters)
{
    for (int i = 0; i < 2; i++) {
        pthread_join(waiters[i].thread, NULL);
        assert_success(waiters[i].result);
    }
}

static void sleeping_threads_see_a_store(void **state)
{
    struct api *api = *state;
    uint64_t *word = api_alloc_host(api, sizeof(*word));
    *word = 0;
    ze_event_handle_t event = sync_event(api, word, word, 1);
    struct waiter waiters[2];
    waiters_start(waiters, event);
    assert_result(zeEventHostSynchronize(event, MOMENT), ZE_RESULT_NOT_READY);
    store(word, 1);
    waiters_join(waiters);
    assert_success(zeEventDestroy(event));
    api_free(api, word);
}

/* Commands wait for the device's address, the host for its own. */
static void device_and_host_have_an_address_each(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    struct api_list list = api_list_create(api);
    uint64_t *device = api_alloc_device(api, sizeof(*device)), value, address;
    uint64_t *host = api_alloc_host(api, sizeof(*host));
    *device = *host = 0;
    ze_event_handle_t event = sync_event(api, device, host, 7);
    assert_success(zeEventCounterBasedGetDeviceAddress(event, &value, &address));
    assert_int_equal(address, (uintptr_t)device);
    assert_success(zeCommandListAppendBarrier(list.list, gates.gate[0], 1, &event));
    submit(&list);
    store(host, 7);
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventHostSynchronize(event, API_PATIENCE_NS));
    assert_result(zeEventHostSynchronize(gates.gate[0], MOMENT), ZE_RESULT_NOT_READY);
    store(host, 0);
    store(device, 7);
    assert_success(zeEventHostSynchronize(gates.gate[0], API_PATIENCE_NS));
    assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    settle(&list);
    api_list_destroy(&list);
    assert_success(zeEventDestroy(event));
    api_free(api, device);
    api_free(api, host);
    gates_close(&gates);
}

/* A command of the device raises it: other lists, which wait, see it. */
static void copies_raise_an_external_counter(void **state)
{
    struct api *api = *state;
#ifdef GEOID_SANITIZED
    skip(); /* a plain store of a copy beside a wait's load: a thread sanitizer calls it a race */
#endif
    struct gates gates = gates_open(api);
    struct api_list waiting = api_list_create(api), writing = api_list_create(api);
    uint64_t *words = api_alloc_shared(api, 2 * sizeof(*words));
    words[0] = 0;
    words[1] = 9;
    ze_event_handle_t event = sync_event(api, words, words, 9);
    assert_success(zeCommandListAppendBarrier(waiting.list, gates.gate[0], 1, &event));
    submit(&waiting);
    assert_result(zeEventHostSynchronize(gates.gate[0], MOMENT), ZE_RESULT_NOT_READY);
    assert_success(zeCommandListAppendMemoryCopy(writing.list, &words[0], &words[1],
                                                 sizeof(words[0]), NULL, 0, NULL));
    submit(&writing);
    assert_success(zeEventHostSynchronize(event, API_PATIENCE_NS));
    assert_success(zeEventHostSynchronize(gates.gate[0], API_PATIENCE_NS));
    settle(&waiting);
    settle(&writing);
    api_list_destroy(&waiting);
    api_list_destroy(&writing);
    assert_success(zeEventDestroy(event));
    api_free(api, words);
    gates_close(&gates);
}

static void a_signal_takes_the_place_of_the_external_counter(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    struct api_list list = in_order_list(api);
    uint64_t *word = api_alloc_shared(api, sizeof(*word)), value, address;
    *word = 5;
    ze_event_handle_t event = sync_event(api, word, word, 5);
    assert_success(zeEventQueryStatus(event));
    assert_success(zeCommandListAppendBarrier(list.list, event, 1, &gates.gate[0]));
    submit(&list);
    assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_success(zeEventCounterBasedGetDeviceAddress(event, &value, &address));
    assert_int_not_equal(address, (uintptr_t)word);
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeEventHostSynchronize(event, API_PATIENCE_NS));
    assert_int_equal(*word, 5);
    settle(&list);
    api_list_destroy(&list);
    assert_success(zeEventDestroy(event));
    api_free(api, word);
    gates_close(&gates);
}

/* ---- aggregates ---- */

static void count_call(void *data)
{
    atomic_fetch_add((_Atomic uint32_t *)data, 1);
}

/* One increment for each append, whatever it appends, and in a regular list for each execution. */
static void each_append_adds_one_increment(void **state)
{
    struct api *api = *state;
    enum { APPENDS = 8 };
    struct api_list list = in_order_list(api);
    uint64_t *word = api_alloc_device(api, sizeof(*word)), value, address;
    uint64_t *data = api_alloc_shared(api, 64);
    uint32_t increment = 0, pattern = 1;
    _Atomic uint32_t calls = 0;
    assert_success(zeDeviceGetAggregatedCopyOffloadIncrementValue(api->device, &increment));
    assert_int_not_equal(increment, 0);
    *word = 100;
    ze_event_handle_t event =
        aggregate_event(api, word, 10 * increment, 100 + 10 * APPENDS * increment, 0);
    const void *range = data;
    size_t bytes = 64;
    ze_command_list_handle_t l = list.list;
    assert_success(zeCommandListAppendBarrier(l, event, 0, NULL));
    assert_success(zeCommandListAppendMemoryRangesBarrier(l, 1, &bytes, &range, event, 0, NULL));
    assert_success(zeCommandListAppendSignalEvent(l, event));
    assert_success(zeCommandListAppendMemoryCopy(l, data, data + 4, 16, event, 0, NULL));
    assert_success(zeCommandListAppendMemoryFill(l, data, &pattern, 4, 32, event, 0, NULL));
    assert_success(zeCommandListAppendWriteGlobalTimestamp(l, data, event, 0, NULL));
    assert_success(zeCommandListAppendHostFunction(l, count_call, &calls, NULL, event, 0, NULL));
    if (!list.queue) {
        assert_result(zeEventHostSynchronize(event, MOMENT), ZE_RESULT_NOT_READY);
    }
    assert_success(zeCommandListAppendBarrier(l, event, 0, NULL));
    assert_success(zeEventCounterBasedGetDeviceAddress(event, &value, &address));
    assert_int_equal(address, (uintptr_t)word);
    assert_int_equal(value, 100 + 10 * APPENDS * increment);
    submit(&list);
    assert_success(zeEventHostSynchronize(event, UINT64_MAX));
    settle(&list);
    assert_int_equal(*word, value);
    if (list.queue) {
        *word = 0;
        assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
        for (int i = 0; i < 3; i++) {
            counter_execute(list.queue, l);
        }
        settle(&list);
        assert_int_equal(*word, 3 * 10 * APPENDS * increment);
        assert_success(zeEventQueryStatus(event));
    }
    assert_int_equal(calls, list.queue ? 4 : 1);
    api_list_destroy(&list);
    assert_success(zeEventDestroy(event));
    api_free(api, word);
    api_free(api, data);
}

/* Several lists signal it, one waits for all of them by one comparison, so does the host. */
static void lists_and_threads_wait_for_the_sum(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    struct api_list waiting = api_list_create(api);
    struct api_list adding[3] = {in_order_list(api), in_order_list(api), in_order_list(api)};
    uint64_t *word = api_alloc_device(api, sizeof(*word));
    *word = 0;
    ze_event_handle_t event = aggregate_event(api, word, 1, 3, 0);
    struct waiter waiters[2];
    waiters_start(waiters, event);
    assert_success(zeCommandListAppendBarrier(waiting.list, gates.gate[3], 1, &event));
    submit(&waiting);
    for (int i = 0; i < 3; i++) {
        assert_success(zeCommandListAppendBarrier(adding[i].list, event, 1, &gates.gate[i]));
        submit(&adding[i]);
    }
    for (uint64_t i = 0; i < 3; i++) {
        assert_result(zeEventHostSynchronize(gates.gate[3], MOMENT), ZE_RESULT_NOT_READY);
        assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
        assert_int_equal(load(word), i);
        assert_success(zeEventHostSignal(gates.gate[i]));
        settle(&adding[i]);
    }
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventHostSynchronize(gates.gate[3], API_PATIENCE_NS));
    waiters_join(waiters);
    settle(&waiting);
    api_list_destroy(&waiting);
    for (int i = 0; i < 3; i++) {
        api_list_destroy(&adding[i]);
    }
    assert_success(zeEventDestroy(event));
    api_free(api, word);
    gates_close(&gates);
}

struct adder {
    pthread_t thread;
    struct api *api;
    ze_event_handle_t event;
    int failures;
};

#define ADDERS 4
#define ADDS   500

static void *adder_main(void *argument)
{
    struct adder *adder = argument;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = adder->api->ordinal,
                                    .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    adder->failures += zeCommandListCreateImmediate(adder->api->context, adder->api->device, &desc,
                                                    &list) != ZE_RESULT_SUCCESS;
    for (int i = 0; i < ADDS; i++) {
        adder->failures += zeCommandListAppendSignalEvent(list, adder->event) != ZE_RESULT_SUCCESS;
    }
    adder->failures += zeCommandListHostSynchronize(list, UINT64_MAX) != ZE_RESULT_SUCCESS;
    adder->failures += zeCommandListDestroy(list) != ZE_RESULT_SUCCESS;
    return NULL;
}

static void no_increment_is_lost_between_threads(void **state)
{
    struct api *api = *state;
    struct adder adders[ADDERS];
    uint64_t *word = api_alloc_device(api, sizeof(*word));
    *word = 0;
    ze_event_handle_t event = aggregate_event(api, word, 3, 3 * ADDERS * ADDS, 0);
    for (int i = 0; i < ADDERS; i++) {
        adders[i] = (struct adder){.api = api, .event = event};
        assert_int_equal(pthread_create(&adders[i].thread, NULL, adder_main, &adders[i]), 0);
    }
    assert_success(zeEventHostSynchronize(event, UINT64_MAX));
    for (int i = 0; i < ADDERS; i++) {
        pthread_join(adders[i].thread, NULL);
        assert_int_equal(adders[i].failures, 0);
    }
    assert_int_equal(*word, 3 * ADDERS * ADDS);
    assert_success(zeEventDestroy(event));
    api_free(api, word);
}

static void aggregates_have_the_timestamps_of_the_latest_append(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    struct api_list slow = in_order_list(api), fast = in_order_list(api);
    uint64_t *word = api_alloc_device(api, sizeof(*word));
    ze_kernel_timestamp_result_t before, after;
    *word = 0;
    ze_event_handle_t event =
        aggregate_event(api, word, 1, 1, ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP);
    assert_result(zeEventQueryKernelTimestamp(event, &before), ZE_RESULT_NOT_READY);
    assert_success(zeCommandListAppendBarrier(slow.list, event, 1, &gates.gate[0]));
    submit(&slow);
    assert_success(zeCommandListAppendBarrier(fast.list, event, 0, NULL));
    submit(&fast);
    assert_success(zeEventHostSynchronize(event, API_PATIENCE_NS));
    assert_success(zeEventQueryKernelTimestamp(event, &before));
    assert_true(before.global.kernelStart != 0);
    assert_success(zeEventHostSignal(gates.gate[0]));
    settle(&slow);
    assert_success(zeEventQueryKernelTimestamp(event, &after));
    assert_memory_equal(&before, &after, sizeof(before));
    settle(&fast);
    api_list_destroy(&slow);
    api_list_destroy(&fast);
    assert_success(zeEventDestroy(event));
    api_free(api, word);
    gates_close(&gates);
}

/* ---- what is refused ---- */

static ze_result_t create(struct api *api, uint32_t flags, const void *next)
{
    ze_event_counter_based_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC, .pNext = next, .flags = flags};
    ze_event_handle_t event = NULL;
    ze_result_t result = zeEventCounterBasedCreate(api->context, api->device, &desc, &event);
    if (result == ZE_RESULT_SUCCESS) {
        assert_success(zeEventDestroy(event));
    }
    return result;
}

static void wrong_external_counters_are_refused(void **state)
{
    struct api *api = *state;
    uint64_t *word = api_alloc_shared(api, 2 * sizeof(*word)), most = 0, local = 0;
    assert_success(zeDeviceGetCounterBasedEventMaxValue(api->device, &most));
    assert_true(most >= UINT32_MAX && most < UINT64_MAX);
    ze_event_counter_based_external_sync_allocation_desc_t sync = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC,
        .deviceAddress = word,
        .hostAddress = word,
        .completionValue = most,
    };
    assert_success(create(api, 0, &sync));
    sync.completionValue = most + 1;
    assert_result(create(api, 0, &sync), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    sync.completionValue = 1;
    sync.hostAddress = NULL;
    assert_result(create(api, 0, &sync), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    sync.hostAddress = (uint64_t *)(void *)((uint8_t *)word + 4);
    assert_result(create(api, 0, &sync), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    sync.hostAddress = word;
    ze_event_counter_based_external_aggregate_storage_desc_t aggregate = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE_DESC,
        .deviceAddress = word,
        .incrementValue = 1,
        .completionValue = most,
    };
    assert_success(create(api, 0, &aggregate));
    aggregate.completionValue = most + 1;
    assert_result(create(api, 0, &aggregate), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    aggregate.completionValue = 1;
    aggregate.incrementValue = 0;
    assert_result(create(api, 0, &aggregate), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    aggregate.incrementValue = 1;
    aggregate.deviceAddress = &local; /* no memory of the driver */
    assert_result(create(api, 0, &aggregate), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    aggregate.deviceAddress = word;
    aggregate.pNext = &sync; /* one or the other */
    assert_result(create(api, 0, &aggregate), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(create(api,
                         ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP |
                             ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP,
                         NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(
        create(api, ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_IPC,
               NULL),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeDeviceGetCounterBasedEventMaxValue(api->device, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeDeviceGetAggregatedCopyOffloadIncrementValue(api->device, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    api_free(api, word);
}

static void the_device_says_what_its_events_can(void **state)
{
    struct api *api = *state;
    ze_device_event_properties_t events = {.stype = ZE_STRUCTURE_TYPE_DEVICE_EVENT_PROPERTIES};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                                         .pNext = &events};
    assert_success(zeDeviceGetProperties(api->device, &properties));
    assert_int_equal(events.flags,
                     ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE |
                         ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_IPC |
                         ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION);
}

static const struct api_case cases[] = {
    API_LIST_CASE(the_host_raises_an_external_counter),
    API_CASE(sleeping_threads_see_a_store),
    API_LIST_CASE(device_and_host_have_an_address_each),
    API_RUN_CASE(copies_raise_an_external_counter),
    API_LIST_CASE(a_signal_takes_the_place_of_the_external_counter),
    API_LIST_CASE(each_append_adds_one_increment),
    API_LIST_CASE(lists_and_threads_wait_for_the_sum),
    API_CASE(no_increment_is_lost_between_threads),
    API_LIST_CASE(aggregates_have_the_timestamps_of_the_latest_append),
    API_CASE(wrong_external_counters_are_refused),
    API_CASE(the_device_says_what_its_events_can),
};

API_MAIN("counter_memory", cases)
