/* Counter-based events that several threads signal, ask about and wait for at once, and lists that
 * several threads execute: what an event refers to is a counter and a value of it, never parts of
 * two; every execution has values of its own. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SIGNALS = 20000, READERS = 2, LISTS = 64, EXECUTIONS = 2000, THREADS = 4 };

struct place {
    uint64_t address, value;
};

static ze_event_handle_t event_create(struct api *api)
{
    ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                          .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
                                                   ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE};
    ze_event_handle_t event;
    assert_success(zeEventCounterBasedCreate(api->context, api->device, &desc, &event));
    return event;
}

static ze_command_list_handle_t list_create(struct api *api)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    return list;
}

static struct place place_of(ze_event_handle_t event)
{
    struct place place = {0, 0};
    (void)zeEventCounterBasedGetDeviceAddress(event, &place.value, &place.address);
    return place;
}

/* ---- two lists, one event ---- */

struct signaller {
    ze_command_list_handle_t list;
    ze_event_handle_t event;
    struct place first; /* before the signals of all threads */
    _Atomic uint32_t *active, *wrong;
    pthread_t thread;
};

static void *signal_main(void *argument)
{
    struct signaller *own = argument;
    for (int i = 0; i < SIGNALS; i++) {
        if (zeCommandListAppendSignalEvent(own->list, own->event) != ZE_RESULT_SUCCESS) {
            atomic_fetch_add(own->wrong, 1);
        }
    }
    atomic_fetch_sub(own->active, 1);
    return NULL;
}

static bool is_of(const struct signaller *signaller, const struct place *place)
{
    return place->address == signaller->first.address && place->value >= signaller->first.value &&
           place->value <= signaller->first.value + SIGNALS;
}

static void *reader_main(void *argument)
{
    const struct signaller *both = argument;
    while (atomic_load(both->active) != 0) {
        const struct place place = place_of(both->event);
        if (!is_of(&both[0], &place) && !is_of(&both[1], &place)) {
            atomic_fetch_add(both->wrong, 1);
        }
        if (zeEventHostSynchronize(both->event, UINT64_MAX) != ZE_RESULT_SUCCESS) {
            atomic_fetch_add(both->wrong, 1);
        }
    }
    return NULL;
}

/* A list of its own whose counter is far from the other's. */
static void signaller_create(struct api *api, struct signaller *own, const struct signaller *other)
{
    ze_event_handle_t probe = event_create(api);
    own->list = list_create(api);
    do {
        assert_success(zeCommandListAppendSignalEvent(own->list, probe));
        own->first = place_of(probe);
    } while (other && own->first.value <= other->first.value + SIGNALS &&
             other->first.value <= own->first.value + SIGNALS);
    assert_success(zeCommandListHostSynchronize(own->list, UINT64_MAX));
    assert_success(zeEventDestroy(probe));
}

/* No two lists count with the same counter. */
static void counters_judge(struct api *api)
{
    ze_command_list_handle_t lists[LISTS];
    struct place places[LISTS];
    for (int i = 0; i < LISTS; i++) {
        ze_event_handle_t event = event_create(api);
        lists[i] = list_create(api);
        assert_success(zeCommandListAppendSignalEvent(lists[i], event));
        places[i] = place_of(event);
        for (int k = 0; k < i; k++) {
            assert_true(places[k].address != places[i].address);
        }
        assert_success(zeEventDestroy(event));
    }
    for (int i = 0; i < LISTS; i++) {
        assert_success(zeCommandListHostSynchronize(lists[i], UINT64_MAX));
        assert_success(zeCommandListDestroy(lists[i]));
    }
}

/* SYN-5, GEN-17 */
static void an_event_is_one_counter_and_its_value(void **state)
{
    struct api *api = *state;
    _Atomic uint32_t active = 2, wrong = 0;
    struct signaller both[2];
    pthread_t readers[READERS];
    ze_event_handle_t event = event_create(api);
    for (int i = 0; i < 2; i++) {
        both[i] = (struct signaller){.event = event, .active = &active, .wrong = &wrong};
        signaller_create(api, &both[i], i ? &both[0] : NULL);
    }
    assert_success(zeCommandListAppendSignalEvent(both[0].list, event));
    both[0].first.value++;
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, reader_main, both), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&both[i].thread, NULL, signal_main, &both[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(both[i].thread, NULL);
    }
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i], NULL);
    }
    assert_int_equal(wrong, 0);
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandListHostSynchronize(both[i].list, UINT64_MAX));
        assert_success(zeCommandListDestroy(both[i].list));
    }
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventDestroy(event));
    counters_judge(api);
}

/* ---- one list, several threads ---- */

struct execution {
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    _Atomic uint32_t *wrong;
    pthread_t thread;
};

static void *execute_main(void *argument)
{
    struct execution *own = argument;
    for (int i = 0; i < EXECUTIONS; i++) {
        if (zeCommandQueueExecuteCommandLists(own->queue, 1, &own->list, NULL) !=
            ZE_RESULT_SUCCESS) {
            atomic_fetch_add(own->wrong, 1);
        }
    }
    return NULL;
}

static void host_count(void *data)
{
    atomic_fetch_add((_Atomic uint32_t *)data, 1);
}

static ze_command_list_handle_t closed_create(struct api *api, ze_event_handle_t event,
                                              _Atomic uint32_t *ran)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal,
                                   .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &list));
    assert_success(zeCommandListAppendHostFunction(list, host_count, ran, NULL, event, 0, NULL));
    assert_success(zeCommandListClose(list));
    return list;
}

/* CMQ-7, GEN-17 */
static void executions_by_several_threads_count_apart(void **state)
{
    struct api *api = *state;
    _Atomic uint32_t ran = 0, wrong = 0;
    struct execution executions[THREADS];
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_event_handle_t event = event_create(api);
    ze_command_list_handle_t list = closed_create(api, event, &ran);
    ze_command_queue_handle_t queue;
    assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &queue));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    const struct place first = place_of(event);
    for (int i = 0; i < THREADS; i++) {
        executions[i] = (struct execution){.queue = queue, .list = list, .wrong = &wrong};
        assert_int_equal(pthread_create(&executions[i].thread, NULL, execute_main, &executions[i]),
                         0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(executions[i].thread, NULL);
    }
    assert_int_equal(wrong, 0);
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    const struct place last = place_of(event);
    assert_int_equal(ran, 1 + THREADS * EXECUTIONS);
    assert_int_equal(last.address, first.address);
    assert_int_equal(last.value, first.value + THREADS * EXECUTIONS);
    assert_success(zeEventQueryStatus(event));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
    assert_success(zeEventDestroy(event));
}

static const struct api_case cases[] = {
    API_CASE(an_event_is_one_counter_and_its_value),
    API_CASE(executions_by_several_threads_count_apart),
};

API_MAIN("counters of several threads", cases)
