/* API test of counter-based events and regular lists that are executed again: which execution an
 * event, and a wait recorded in another list, refers to. */
#include "counter_support.h"

struct pair {
    struct gates gates;
    ze_event_handle_t event;
    ze_command_queue_handle_t queue[2];
    ze_command_list_handle_t first, second;
};

/* The first list waits for gate 0 and signals the event; the second, empty and open, is behind
 * another queue. */
static struct pair pair_open(struct api *api)
{
    struct pair pair = {.gates = gates_open(api), .event = counter_event(api, 0, NULL)};
    for (int i = 0; i < 2; i++) {
        pair.queue[i] = counter_queue(api);
    }
    pair.first = counter_regular(api);
    pair.second = counter_regular(api);
    assert_success(zeCommandListAppendBarrier(pair.first, NULL, 1, &pair.gates.gate[0]));
    assert_success(zeCommandListAppendBarrier(pair.first, pair.event, 0, NULL));
    assert_success(zeCommandListAppendBarrier(pair.first, NULL, 0, NULL));
    assert_success(zeCommandListClose(pair.first));
    return pair;
}

static void pair_close(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandQueueSynchronize(pair->queue[i], API_PATIENCE_NS));
        assert_success(zeCommandQueueDestroy(pair->queue[i]));
    }
    assert_success(zeCommandListDestroy(pair->first));
    assert_success(zeCommandListDestroy(pair->second));
    assert_success(zeEventDestroy(pair->event));
    gates_close(&pair->gates);
}

/* A run of the first list from start to end. */
static void pair_run_first(struct pair *pair)
{
    assert_success(zeEventHostSignal(pair->gates.gate[0]));
    counter_execute(pair->queue[0], pair->first);
    assert_success(zeCommandQueueSynchronize(pair->queue[0], API_PATIENCE_NS));
    assert_success(zeEventHostReset(pair->gates.gate[0]));
}

static void an_event_waits_for_the_latest_execution(void **state)
{
    struct pair pair = pair_open(*state);
    assert_result(zeEventQueryStatus(pair.event), ZE_RESULT_NOT_READY); /* recorded, not run */
    for (int round = 0; round < 3; round++) {
        counter_execute(pair.queue[0], pair.first);
        assert_result(zeEventQueryStatus(pair.event), ZE_RESULT_NOT_READY);
        assert_result(zeEventHostSynchronize(pair.event, MOMENT), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostSignal(pair.gates.gate[0]));
        assert_success(
            zeEventHostSynchronize(pair.event, round % 2 ? UINT64_MAX : API_PATIENCE_NS));
        assert_success(zeEventQueryStatus(pair.event));
        assert_success(zeCommandQueueSynchronize(pair.queue[0], API_PATIENCE_NS));
        assert_success(zeEventHostReset(pair.gates.gate[0]));
    }
    pair_close(&pair);
}

/* {1, 2, 3}, then {4, 5, 6} */
static void values_rise_from_execution_to_execution(void **state)
{
    struct api *api = *state;
    ze_command_list_handle_t list = counter_regular(api);
    ze_command_queue_handle_t queue = counter_queue(api);
    ze_event_handle_t event[3];
    uint64_t value[3], address[3], start = 0;
    for (int i = 0; i < 3; i++) {
        event[i] = counter_event(api, 0, NULL);
        assert_success(zeCommandListAppendBarrier(list, event[i], 0, NULL));
    }
    assert_success(zeCommandListClose(list));
    for (uint64_t round = 0; round < 3; round++) {
        counter_execute(queue, list);
        for (uint64_t i = 0; i < 3; i++) {
            assert_success(zeEventCounterBasedGetDeviceAddress(event[i], &value[i], &address[i]));
            assert_int_equal(address[i], address[0]);
            start = round + i == 0 ? value[0] : start;
            assert_int_equal(value[i], start + 3 * round + i);
        }
        assert_success(zeEventHostSynchronize(event[2], API_PATIENCE_NS));
        assert_int_equal(*(volatile uint64_t *)(uintptr_t)address[0], value[2]);
        assert_success(zeCommandQueueSynchronize(queue, API_PATIENCE_NS));
    }
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
    for (int i = 0; i < 3; i++) {
        assert_success(zeEventQueryStatus(event[i]));
        assert_success(zeEventDestroy(event[i]));
    }
}

/* The waiting list was submitted when the first run was complete: the second, which begins before
 * it looks, is not its business. */
static void a_submission_waits_for_the_run_that_was_the_latest(void **state)
{
    struct api *api = *state;
    struct pair pair = pair_open(api);
    ze_command_list_handle_t immediate = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_success(zeCommandListAppendBarrier(pair.second, NULL, 1, &pair.gates.gate[1]));
    assert_success(zeCommandListAppendBarrier(pair.second, pair.gates.gate[2], 1, &pair.event));
    assert_success(zeCommandListClose(pair.second));
    pair_run_first(&pair);
    counter_execute(pair.queue[1], pair.second);
    assert_success(zeCommandListAppendBarrier(immediate, NULL, 1, &pair.gates.gate[1]));
    assert_success(zeCommandListAppendBarrier(immediate, pair.gates.gate[3], 1, &pair.event));
    counter_execute(pair.queue[0], pair.first); /* held by gate 0 */
    assert_result(zeEventHostSynchronize(pair.event, MOMENT), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(pair.gates.gate[1]));
    assert_success(zeEventHostSynchronize(pair.gates.gate[2], API_PATIENCE_NS));
    assert_success(zeEventHostSynchronize(pair.gates.gate[3], API_PATIENCE_NS));
    assert_result(zeEventQueryStatus(pair.event), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(pair.gates.gate[0]));
    assert_success(zeCommandListHostSynchronize(immediate, API_PATIENCE_NS));
    assert_success(zeCommandListDestroy(immediate));
    pair_close(&pair);
}

/* Each execution of the waiting list waits for what is the latest then. */
static void a_recorded_wait_follows_the_executions(void **state)
{
    struct pair pair = pair_open(*state);
    assert_success(zeCommandListAppendBarrier(pair.second, pair.gates.gate[1], 1, &pair.event));
    assert_success(zeCommandListClose(pair.second));
    for (int round = 0; round < 3; round++) {
        counter_execute(pair.queue[0], pair.first);
        counter_execute(pair.queue[1], pair.second);
        assert_result(zeEventHostSynchronize(pair.gates.gate[1], MOMENT), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostSignal(pair.gates.gate[0]));
        assert_success(zeEventHostSynchronize(pair.gates.gate[1], API_PATIENCE_NS));
        for (int i = 0; i < 2; i++) {
            assert_success(zeCommandQueueSynchronize(pair.queue[i], API_PATIENCE_NS));
            assert_success(zeEventHostReset(pair.gates.gate[i]));
        }
    }
    pair_run_first(&pair);
    counter_execute(pair.queue[1], pair.second); /* nothing new to wait for */
    counter_execute(pair.queue[1], pair.second);
    assert_success(zeCommandQueueSynchronize(pair.queue[1], API_PATIENCE_NS));
    pair_close(&pair);
}

/* Submitted before the list that signals was ever: its first execution is waited for. */
static void a_wait_may_come_before_the_first_execution(void **state)
{
    struct pair pair = pair_open(*state);
    assert_success(zeCommandListAppendBarrier(pair.second, pair.gates.gate[1], 1, &pair.event));
    assert_success(zeCommandListClose(pair.second));
    counter_execute(pair.queue[1], pair.second);
    assert_result(zeEventHostSynchronize(pair.gates.gate[1], MOMENT), ZE_RESULT_NOT_READY);
    pair_run_first(&pair);
    assert_success(zeEventHostSynchronize(pair.gates.gate[1], API_PATIENCE_NS));
    pair_close(&pair);
}

/* A recorded wait is for the list that signalled the event then, whoever signals it later. */
static void a_recorded_wait_stays_with_its_list(void **state)
{
    struct api *api = *state;
    struct pair pair = pair_open(api);
    ze_command_list_handle_t immediate = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_success(zeCommandListAppendBarrier(pair.second, pair.gates.gate[1], 1, &pair.event));
    assert_success(zeCommandListClose(pair.second));
    assert_success(zeCommandListAppendBarrier(immediate, pair.event, 1, &pair.gates.gate[2]));
    counter_execute(pair.queue[0], pair.first);
    counter_execute(pair.queue[1], pair.second);
    assert_success(zeEventHostSignal(pair.gates.gate[0]));
    assert_success(zeEventHostSynchronize(pair.gates.gate[1], API_PATIENCE_NS));
    assert_result(zeEventQueryStatus(pair.event), ZE_RESULT_NOT_READY); /* the immediate list's */
    assert_success(zeEventHostSignal(pair.gates.gate[2]));
    assert_success(zeEventHostSynchronize(pair.event, API_PATIENCE_NS));
    assert_success(zeCommandListHostSynchronize(immediate, API_PATIENCE_NS));
    assert_success(zeCommandListDestroy(immediate));
    pair_close(&pair);
}

/* The guide's picture: 1 signals A and waits for B, 2 waits for A and signals B. The second time, 1
 * finds B of the first execution. */
static void lists_that_wait_for_each_other_may_run_again(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    ze_event_handle_t a = counter_event(api, 0, NULL), b = counter_event(api, 0, NULL);
    ze_command_list_handle_t one = counter_regular(api), two = counter_regular(api);
    ze_command_queue_handle_t queue[2] = {counter_queue(api), counter_queue(api)};
    assert_success(zeCommandListAppendBarrier(two, NULL, 1, &gates.gate[0]));
    assert_success(zeCommandListAppendBarrier(two, b, 0, NULL));
    assert_success(zeCommandListAppendBarrier(one, a, 0, NULL));
    assert_success(zeCommandListAppendWaitOnEvents(one, 1, &b));
    assert_success(zeCommandListAppendBarrier(one, gates.gate[1], 0, NULL));
    assert_success(zeCommandListAppendWaitOnEvents(two, 1, &a));
    assert_success(zeCommandListAppendBarrier(two, gates.gate[2], 0, NULL));
    assert_success(zeCommandListClose(one));
    assert_success(zeCommandListClose(two));
    counter_execute(queue[0], one);
    counter_execute(queue[1], two);
    assert_result(zeEventHostSynchronize(gates.gate[1], MOMENT), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeCommandQueueSynchronize(queue[0], API_PATIENCE_NS));
    assert_success(zeCommandQueueSynchronize(queue[1], API_PATIENCE_NS));
    for (int i = 0; i < 3; i++) {
        assert_success(zeEventHostReset(gates.gate[i]));
    }
    counter_execute(queue[1], two); /* held, so its B is not ready: 1 does wait now */
    counter_execute(queue[0], one);
    assert_result(zeEventHostSynchronize(gates.gate[1], MOMENT), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeCommandQueueSynchronize(queue[0], API_PATIENCE_NS));
    assert_success(zeCommandQueueSynchronize(queue[1], API_PATIENCE_NS));
    assert_success(zeEventHostReset(gates.gate[0]));
    assert_success(zeEventHostReset(gates.gate[1]));
    counter_execute(queue[0], one); /* B of the last execution is ready, 2 does not run at all */
    assert_success(zeEventHostSynchronize(gates.gate[1], API_PATIENCE_NS));
    assert_success(zeCommandQueueSynchronize(queue[0], API_PATIENCE_NS));
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandQueueDestroy(queue[i]));
    }
    assert_success(zeCommandListDestroy(one));
    assert_success(zeCommandListDestroy(two));
    assert_success(zeEventDestroy(a));
    assert_success(zeEventDestroy(b));
    gates_close(&gates);
}

/* Appended to an immediate list is executed, too. */
static void appended_lists_count_like_executed_ones(void **state)
{
    struct api *api = *state;
    struct pair pair = pair_open(api);
    ze_command_list_handle_t immediate = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_success(zeCommandListAppendBarrier(pair.second, pair.gates.gate[1], 1, &pair.event));
    assert_success(zeCommandListClose(pair.second));
    for (int round = 0; round < 3; round++) {
        assert_success(
            zeCommandListImmediateAppendCommandListsExp(immediate, 1, &pair.first, NULL, 0, NULL));
        counter_execute(pair.queue[1], pair.second);
        assert_result(zeEventHostSynchronize(pair.event, MOMENT), ZE_RESULT_NOT_READY);
        assert_result(zeEventQueryStatus(pair.gates.gate[1]), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostSignal(pair.gates.gate[0]));
        assert_success(zeEventHostSynchronize(pair.event, API_PATIENCE_NS));
        assert_success(zeEventHostSynchronize(pair.gates.gate[1], API_PATIENCE_NS));
        assert_success(zeCommandListHostSynchronize(immediate, API_PATIENCE_NS));
        assert_success(zeCommandQueueSynchronize(pair.queue[1], API_PATIENCE_NS));
        assert_success(zeEventHostReset(pair.gates.gate[0]));
        assert_success(zeEventHostReset(pair.gates.gate[1]));
    }
    assert_success(zeCommandListDestroy(immediate));
    pair_close(&pair);
}

/* CMQ-19: the clone of a list counts for itself, events tell of the original. */
static void a_clone_counts_for_itself(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    ze_event_handle_t event = counter_event(api, 0, NULL);
    ze_command_list_handle_t list = counter_regular(api), clone;
    ze_command_queue_handle_t queue[2] = {counter_queue(api), counter_queue(api)};
    uint64_t value, address;
    assert_success(zeCommandListAppendBarrier(list, NULL, 1, &gates.gate[0]));
    assert_success(zeCommandListAppendBarrier(list, event, 0, NULL));
    assert_success(zeCommandListAppendBarrier(list, gates.gate[1], 1, &event));
    assert_success(zeCommandListClose(list));
    assert_success(zeCommandListCreateCloneExp(list, &clone));
    assert_success(zeEventCounterBasedGetDeviceAddress(event, &value, &address));
    const volatile uint64_t *counter = (const volatile uint64_t *)(uintptr_t)address;
    uint64_t before = *counter;
    assert_success(zeEventHostSignal(gates.gate[0]));
    for (int round = 0; round < 2; round++) {
        counter_execute(queue[1], clone);
        assert_success(zeCommandQueueSynchronize(queue[1], API_PATIENCE_NS));
        assert_int_equal(*counter, before);
    }
    assert_success(zeEventHostReset(gates.gate[0]));
    counter_execute(queue[0], list);
    counter_execute(queue[1], clone); /* both at once */
    assert_result(zeEventHostSynchronize(event, MOMENT), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gates.gate[0]));
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandQueueSynchronize(queue[i], API_PATIENCE_NS));
    }
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventHostReset(gates.gate[0]));
    counter_execute(queue[1], clone); /* is not what the event tells of */
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeCommandQueueSynchronize(queue[1], API_PATIENCE_NS));
    assert_success(zeCommandListDestroy(list));
    counter_execute(queue[1], clone);
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandQueueSynchronize(queue[i], API_PATIENCE_NS));
        assert_success(zeCommandQueueDestroy(queue[i]));
    }
    assert_success(zeCommandListDestroy(clone));
    assert_success(zeEventDestroy(event));
    gates_close(&gates);
}

/* Reset, or destroyed: who waits for it finds its last execution. */
static void a_list_that_is_recorded_anew_leaves_waits_behind(void **state)
{
    struct pair pair = pair_open(*state);
    assert_success(zeCommandListAppendBarrier(pair.second, pair.gates.gate[1], 1, &pair.event));
    assert_success(zeCommandListClose(pair.second));
    pair_run_first(&pair);
    assert_success(zeCommandListReset(pair.first));
    assert_success(zeEventQueryStatus(pair.event));
    assert_success(zeCommandListAppendBarrier(pair.first, NULL, 1, &pair.gates.gate[0]));
    assert_success(zeCommandListAppendBarrier(pair.first, pair.event, 0, NULL));
    assert_success(zeCommandListClose(pair.first));
    assert_result(zeEventQueryStatus(pair.event), ZE_RESULT_NOT_READY);
    counter_execute(pair.queue[0], pair.first); /* held */
    counter_execute(pair.queue[1], pair.second);
    assert_success(zeEventHostSynchronize(pair.gates.gate[1], API_PATIENCE_NS));
    assert_success(zeEventHostSignal(pair.gates.gate[0]));
    assert_success(zeEventHostSynchronize(pair.event, API_PATIENCE_NS));
    pair_close(&pair);
}

/* The same descriptor under the type that it had, and no extension of it. */
static void events_are_made_under_their_older_name(void **state)
{
    typedef ze_result_t (*create_fn)(ze_context_handle_t, ze_device_handle_t,
                                     const ze_event_counter_based_desc_t *, ze_event_handle_t *);
    struct api *api = *state;
    create_fn create = NULL;
    assert_success(zeDriverGetExtensionFunctionAddress(api->driver, "zexCounterBasedEventCreate2",
                                                       (void **)&create));
    ze_base_desc_t extension = {.stype = (ze_structure_type_t)0x0003001d};
    ze_event_counter_based_desc_t desc = {.stype = (ze_structure_type_t)0x0003001c,
                                          .flags = COUNTER_FLAGS,
                                          .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event = NULL, none = NULL;
    assert_int_equal(create(api->context, api->device, &desc, &event), ZE_RESULT_SUCCESS);
    ze_command_list_handle_t list = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_success(zeCommandListAppendBarrier(list, event, 0, NULL));
    assert_success(zeEventHostSynchronize(event, API_PATIENCE_NS));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeEventDestroy(event));
    desc.pNext = &extension;
    assert_int_equal(create(api->context, api->device, &desc, &none),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(create(api->context, api->device, NULL, &none),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    desc.pNext = NULL;
    desc.flags = 0x100;
    assert_int_equal(create(api->context, api->device, &desc, &none),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_null(none);
}

static const struct api_case cases[] = {
    API_CASE(an_event_waits_for_the_latest_execution),
    API_CASE(values_rise_from_execution_to_execution),
    API_CASE(a_submission_waits_for_the_run_that_was_the_latest),
    API_CASE(a_recorded_wait_follows_the_executions),
    API_CASE(a_wait_may_come_before_the_first_execution),
    API_CASE(a_recorded_wait_stays_with_its_list),
    API_CASE(lists_that_wait_for_each_other_may_run_again),
    API_CASE(appended_lists_count_like_executed_ones),
    API_CASE(a_clone_counts_for_itself),
    API_CASE(a_list_that_is_recorded_anew_leaves_waits_behind),
    API_CASE(events_are_made_under_their_older_name),
};

API_MAIN("counter", cases)
