/* API test of mutable command lists: what commands wait for and signal changes, of every kind of
 * command and event. */
#include "counter_support.h"
#include "mutable_support.h"

#define EVENTS 6u

struct events {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event[EVENTS];
};

static struct events events_open(struct api *api, ze_event_pool_flags_t flags)
{
    struct events events;
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | flags,
                                 .count = EVENTS};
    assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &events.pool));
    for (uint32_t i = 0; i < EVENTS; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        assert_success(zeEventCreate(events.pool, &event, &events.event[i]));
    }
    return events;
}

static void events_close(struct events *events)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        assert_success(zeEventDestroy(events->event[i]));
    }
    assert_success(zeEventPoolDestroy(events->pool));
}

/* Exactly these events are signalled; they are reset afterwards. */
static void events_expect(struct events *events, uint32_t signalled)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        assert_result(zeEventQueryStatus(events->event[i]),
                      signalled & 1u << i ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY);
        assert_success(zeEventHostReset(events->event[i]));
    }
}

static ze_result_t new_signal(struct rig *rig, uint64_t id, ze_event_handle_t event)
{
    return zeCommandListUpdateMutableCommandSignalEventExp(rig->list, id, event);
}

static ze_result_t new_waits(struct rig *rig, uint64_t id, uint32_t count,
                             ze_event_handle_t *events)
{
    return zeCommandListUpdateMutableCommandWaitEventsExp(rig->list, id, count, events);
}

/* ---- signals ---- */

static void another_event_is_signalled(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    struct events events = events_open(api, 0);
    uint64_t id = mutable_id(rig.list, SIGNAL);
    rig_append_ids(&rig, rig.out[0], 16, events.event[0], 0, NULL);
    rig_run_closed(&rig);
    events_expect(&events, 1u << 0);
    assert_success(new_signal(&rig, id, events.event[1]));
    rig_run_closed(&rig);
    events_expect(&events, 1u << 1);
    assert_success(new_signal(&rig, id, NULL));
    rig_run_closed(&rig);
    events_expect(&events, 0);
    assert_success(new_signal(&rig, id, events.event[2]));
    rig_run_closed(&rig);
    events_expect(&events, 1u << 2);
    rig_close(api, &rig);
    events_close(&events);
}

static void signals_change_only_where_there_was_one(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    struct events events = events_open(api, 0);
    ze_event_handle_t counter = counter_event(api, 0, NULL);
    uint64_t without = mutable_id(rig.list, SIGNAL);
    rig_append_ids(&rig, rig.out[0], 16, NULL, 0, NULL);
    uint64_t regular = mutable_id(rig.list, SIGNAL);
    rig_append_ids(&rig, rig.out[0], 16, events.event[0], 0, NULL);
    uint64_t counted = mutable_id(rig.list, SIGNAL);
    rig_append_ids(&rig, rig.out[0], 16, counter, 0, NULL);
    assert_success(zeCommandListClose(rig.list));
    assert_result(new_signal(&rig, without, events.event[1]), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(new_signal(&rig, regular, counter), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(new_signal(&rig, counted, events.event[1]), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(new_signal(&rig, regular, api_foreign_handle()),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(new_signal(&rig, counted + 1, events.event[1]), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    rig_run(&rig);
    events_expect(&events, 1u << 0);
    assert_success(zeEventQueryStatus(counter));
    assert_success(zeEventDestroy(counter));
    rig_close(api, &rig);
    events_close(&events);
}

/* The times of a command go where its event is. */
static void timestamps_go_with_the_signal(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    struct events plain = events_open(api, 0);
    struct events timed = events_open(api, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_kernel_timestamp_result_t first, second;
    uint64_t id = mutable_id(rig.list, SIGNAL);
    rig_append_ids(&rig, rig.out[0], 16, timed.event[0], 0, NULL);
    rig_run_closed(&rig);
    assert_success(zeEventQueryKernelTimestamp(timed.event[0], &first));
    assert_success(new_signal(&rig, id, timed.event[1]));
    rig_run_closed(&rig);
    assert_success(zeEventQueryKernelTimestamp(timed.event[1], &second));
    assert_true(second.global.kernelStart >= first.global.kernelEnd);
    assert_success(new_signal(&rig, id, plain.event[0]));
    rig_run_closed(&rig);
    assert_success(zeEventQueryStatus(plain.event[0]));
    /* nothing was written to those before */
    ze_kernel_timestamp_result_t again;
    assert_success(zeEventQueryKernelTimestamp(timed.event[0], &again));
    assert_memory_equal(&again, &first, sizeof(first));
    assert_success(zeEventQueryKernelTimestamp(timed.event[1], &again));
    assert_memory_equal(&again, &second, sizeof(second));
    rig_close(api, &rig);
    events_close(&plain);
    events_close(&timed);
}

/* ---- waits ---- */

static void other_events_are_waited_for(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    struct events events = events_open(api, 0);
    ze_event_handle_t *event = events.event;
    uint64_t id = mutable_id(rig.list, WAITS);
    rig_append_ids(&rig, rig.out[0], 16, event[5], 3, event);
    assert_success(zeCommandListClose(rig.list));
    ze_event_handle_t some[3] = {NULL, event[3], NULL};
    assert_success(new_waits(&rig, id, 3, some));
    assert_success(zeCommandListClose(rig.list));
    rig_execute(&rig);
    for (int i = 0; i < 3; i++) {
        assert_success(zeEventHostSignal(event[i])); /* not what it waits for */
    }
    assert_result(zeEventHostSynchronize(event[5], 1000000), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(event[3]));
    assert_success(zeCommandQueueSynchronize(rig.queue, UINT64_MAX));
    rig_expect_ids(api, rig.out[0], 16, 0);
    events_expect(&events, 0x2f);
    /* each of three */
    for (uint32_t last = 0; last < 3; last++) {
        assert_success(new_waits(&rig, id, 3, &event[2]));
        assert_success(zeCommandListClose(rig.list));
        rig_execute(&rig);
        for (uint32_t i = 0; i < 3; i++) {
            assert_success(i == last ? ZE_RESULT_SUCCESS : zeEventHostSignal(event[2 + i]));
        }
        assert_result(zeEventHostSynchronize(event[5], 1000000), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostSignal(event[2 + last]));
        assert_success(zeCommandQueueSynchronize(rig.queue, UINT64_MAX));
        events_expect(&events, 0x3c);
    }
    /* none, in every way that it can be said */
    ze_event_handle_t nothing[3] = {NULL, NULL, NULL};
    assert_success(new_waits(&rig, id, 3, nothing));
    rig_run_closed(&rig);
    assert_success(new_waits(&rig, id, 3, event));
    assert_success(new_waits(&rig, id, 3, NULL));
    rig_run_closed(&rig);
    assert_success(new_waits(&rig, id, 3, event));
    assert_success(new_waits(&rig, id, 0, NULL));
    rig_run_closed(&rig);
    events_expect(&events, 0x20);
    rig_close(api, &rig);
    events_close(&events);
}

static void the_number_of_waits_stays(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    struct events events = events_open(api, 0);
    uint64_t id = mutable_id(rig.list, WAITS);
    rig_append_ids(&rig, rig.out[0], 16, NULL, 2, events.event);
    assert_success(zeEventHostSignal(events.event[0]));
    assert_success(zeEventHostSignal(events.event[1]));
    rig_run_closed(&rig);
    assert_result(new_waits(&rig, id, 1, events.event), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(new_waits(&rig, id, 3, events.event), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(new_waits(&rig, id, 0, events.event), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(new_waits(&rig, id, 1, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    ze_event_handle_t wrong[2] = {events.event[4], api_foreign_handle()};
    assert_result(new_waits(&rig, id, 2, wrong), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    rig_run(&rig); /* as it was */
    events_expect(&events, 3);
    rig_close(api, &rig);
    events_close(&events);
}

/* Launches of several kernels are one command: it waits before the first and signals behind the
 * last; which kernel's arguments would change nobody says. */
static void several_launches_are_one_command(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    struct events events = events_open(api, 0);
    ze_event_handle_t *event = events.event;
    ze_kernel_handle_t kernels[3] = {rig.ids, rig.ids, rig.ids};
    ze_group_count_t *counts = api_alloc_shared(api, 3 * sizeof(*counts));
    uint32_t *limit = api_alloc_shared(api, sizeof(*limit));
    *limit = 3;
    counts[0] = counts[1] = counts[2] = (ze_group_count_t){2, 1, 1};
    assert_success(zeKernelSetGroupSize(rig.ids, 8, 1, 1));
    assert_success(zeKernelSetArgumentValue(rig.ids, 0, sizeof(rig.out[0]), &rig.out[0]));
    uint64_t id = mutable_id(rig.list, 0);
    assert_success(zeCommandListAppendLaunchMultipleKernelsIndirect(
        rig.list, 3, kernels, limit, counts, event[0], 1, &event[1]));
    uint64_t next = mutable_id(rig.list, 0);
    rig_append_ids(&rig, rig.out[1], 24, event[4], 0, NULL);
    assert_success(zeCommandListClose(rig.list));
    assert_result(mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(new_signal(&rig, id, event[2]));
    assert_success(new_waits(&rig, id, 1, &event[3]));
    assert_success(new_signal(&rig, next, event[5]));
    assert_success(zeCommandListClose(rig.list));
    rig_execute(&rig);
    assert_success(zeEventHostSignal(event[1]));
    assert_result(zeEventHostSynchronize(event[2], 500000), ZE_RESULT_NOT_READY);
    assert_int_equal(rig.out[0][0], UINT32_MAX);
    assert_success(zeEventHostSignal(event[3]));
    assert_success(zeCommandQueueSynchronize(rig.queue, UINT64_MAX));
    events_expect(&events, 0x2e);
    rig_expect_ids(api, rig.out[0], 16, 0);
    rig_expect_ids(api, rig.out[1], 24, 0);
    rig_close(api, &rig);
    events_close(&events);
    api_free(api, counts);
    api_free(api, limit);
}

/* ---- counter-based events ---- */

/* An event that was replaced refers to the execution that signalled it, and to no later one. */
static void a_replaced_counter_event_stays_signalled(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    struct gates gates = gates_open(api);
    ze_event_handle_t first = counter_event(api, 0, NULL), second = counter_event(api, 0, NULL);
    uint64_t id = mutable_id(rig.list, SIGNAL);
    rig_append_ids(&rig, rig.out[0], 16, first, 1, &gates.gate[0]);
    assert_success(zeCommandListClose(rig.list));
    assert_success(zeEventHostSignal(gates.gate[0]));
    rig_run(&rig);
    assert_success(zeEventQueryStatus(first));
    assert_success(new_signal(&rig, id, second));
    assert_success(zeCommandListClose(rig.list));
    assert_success(zeEventHostReset(gates.gate[0]));
    rig_execute(&rig);
    assert_success(zeEventQueryStatus(first));
    assert_result(zeEventQueryStatus(second), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeEventHostSynchronize(second, UINT64_MAX));
    assert_success(zeCommandQueueSynchronize(rig.queue, UINT64_MAX));
    /* none, and back again */
    assert_success(new_signal(&rig, id, NULL));
    rig_run_closed(&rig);
    assert_success(zeEventQueryStatus(second));
    assert_success(new_signal(&rig, id, first));
    assert_success(zeCommandListClose(rig.list));
    assert_success(zeEventHostReset(gates.gate[0]));
    rig_execute(&rig);
    assert_result(zeEventQueryStatus(first), ZE_RESULT_NOT_READY);
    assert_success(zeEventQueryStatus(second));
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeEventHostSynchronize(first, UINT64_MAX));
    assert_success(zeCommandQueueSynchronize(rig.queue, UINT64_MAX));
    assert_success(zeEventDestroy(first));
    assert_success(zeEventDestroy(second));
    rig_close(api, &rig);
    gates_close(&gates);
}

/* What another list, executed again and again, signals is waited for from the change on. */
static void counter_events_of_other_lists_are_waited_for(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    struct gates gates = gates_open(api);
    ze_command_list_handle_t other = counter_regular(api);
    ze_command_queue_handle_t queue = counter_queue(api);
    ze_event_handle_t from = counter_event(api, 0, NULL), done = counter_event(api, 0, NULL);
    uint64_t id = mutable_id(rig.list, WAITS);
    rig_append_ids(&rig, rig.out[0], 16, done, 1, &gates.gate[1]);
    assert_success(zeCommandListClose(rig.list));
    assert_success(zeCommandListAppendBarrier(other, from, 1, &gates.gate[0]));
    assert_success(zeCommandListClose(other));
    assert_success(new_waits(&rig, id, 1, &from));
    assert_success(zeCommandListClose(rig.list));
    for (int round = 0; round < 3; round++) {
        counter_execute(queue, other);
        rig_execute(&rig);
        assert_result(zeEventHostSynchronize(done, 500000), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostSignal(gates.gate[0]));
        assert_success(zeEventHostSynchronize(done, UINT64_MAX));
        assert_success(zeEventHostReset(gates.gate[0]));
    }
    assert_success(zeCommandQueueSynchronize(rig.queue, UINT64_MAX));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_success(zeEventDestroy(from));
    assert_success(zeEventDestroy(done));
    assert_success(zeCommandListDestroy(other));
    assert_success(zeCommandQueueDestroy(queue));
    rig_close(api, &rig);
    gates_close(&gates);
}

static void counter_events_carry_their_own_times(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    ze_event_handle_t event[2] = {
        counter_event(api, ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP, NULL),
        counter_event(api, ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP, NULL)};
    ze_kernel_timestamp_result_t times[2], again;
    uint64_t id = mutable_id(rig.list, SIGNAL);
    rig_append_ids(&rig, rig.out[0], 16, event[0], 0, NULL);
    rig_run_closed(&rig);
    assert_success(zeEventQueryKernelTimestamp(event[0], &times[0]));
    for (int round = 1; round < 20; round++) { /* whose times are written to is never both */
        ze_event_handle_t now = event[round % 2], before = event[1 - round % 2];
        assert_success(new_signal(&rig, id, now));
        rig_run_closed(&rig);
        assert_success(zeEventQueryKernelTimestamp(before, &again));
        assert_memory_equal(&again, &times[1 - round % 2], sizeof(again));
        assert_success(zeEventQueryKernelTimestamp(now, &times[round % 2]));
        assert_true(times[round % 2].global.kernelStart >= again.global.kernelEnd);
    }
    assert_success(zeEventDestroy(event[0]));
    assert_success(zeEventDestroy(event[1]));
    rig_close(api, &rig);
}

/* ---- lives ---- */

/* GEN-15 */
static void changed_commands_keep_their_events(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    struct events old = events_open(api, 0);
    struct events signals = events_open(api, 0), waits = events_open(api, 0);
    uint64_t id = mutable_id(rig.list, SIGNAL | WAITS);
    rig_append_ids(&rig, rig.out[0], 16, old.event[0], 1, &old.event[1]);
    assert_success(zeCommandListClose(rig.list));
    assert_success(zeEventHostSignal(waits.event[1]));
    assert_success(new_signal(&rig, id, signals.event[0]));
    assert_success(new_waits(&rig, id, 1, &waits.event[1]));
    events_close(&signals);
    events_close(&waits);
    struct events next[2] = {events_open(api, 0), events_open(api, 0)}; /* would take their place */
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 16, 0);
    for (int i = 0; i < 2; i++) {
        events_expect(&next[i], 0);
        events_close(&next[i]);
    }
    events_close(&old);
    rig_close(api, &rig);
}

static const struct api_case cases[] = {
    API_CASE(another_event_is_signalled),
    API_CASE(signals_change_only_where_there_was_one),
    API_CASE(timestamps_go_with_the_signal),
    API_CASE(other_events_are_waited_for),
    API_CASE(the_number_of_waits_stays),
    API_CASE(several_launches_are_one_command),
    API_CASE(a_replaced_counter_event_stays_signalled),
    API_CASE(counter_events_of_other_lists_are_waited_for),
    API_CASE(counter_events_carry_their_own_times),
    API_CASE(changed_commands_keep_their_events),
};

API_MAIN("mutable_events", cases)
