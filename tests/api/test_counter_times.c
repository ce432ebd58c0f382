/* API test of timestamps of counter-based events that are used again: each signal has its own, the
 * event tells of its latest one. */
#include "counter_support.h"

#define MANY 80

/* A list of either kind, closed and executed after its one command. */
struct side {
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue; /* NULL: immediate */
};

static struct side side_open(struct api *api, bool immediate)
{
    struct side side = {0};
    if (immediate) {
        side.list = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    } else {
        side.list = counter_regular(api);
        side.queue = counter_queue(api);
    }
    return side;
}

static void side_submit(struct side *side)
{
    if (side->queue) {
        assert_success(zeCommandListClose(side->list));
        counter_execute(side->queue, side->list);
    }
}

static void side_wait(struct side *side)
{
    assert_success(side->queue ? zeCommandQueueSynchronize(side->queue, API_PATIENCE_NS)
                               : zeCommandListHostSynchronize(side->list, API_PATIENCE_NS));
}

static void side_close(struct side *side)
{
    side_wait(side);
    assert_success(zeCommandListDestroy(side->list));
    if (side->queue) {
        assert_success(zeCommandQueueDestroy(side->queue));
    }
}

static ze_event_handle_t timed_event(struct api *api)
{
    return counter_event(api, ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP, NULL);
}

static ze_kernel_timestamp_result_t times_of(ze_event_handle_t event)
{
    ze_kernel_timestamp_result_t times;
    assert_success(zeEventHostSynchronize(event, API_PATIENCE_NS));
    assert_success(zeEventQueryKernelTimestamp(event, &times));
    assert_true(times.global.kernelStart != 0);
    assert_true(times.global.kernelEnd >= times.global.kernelStart);
    return times;
}

/* SYN-17: first a list that is held, then one that is not, of all kinds */
static void a_slow_signaller_does_not_overwrite_the_latest_timestamps(void **state)
{
    struct api *api = *state;
    for (int kinds = 0; kinds < 4; kinds++) {
        struct gates gates = gates_open(api);
        struct side slow = side_open(api, kinds & 1), fast = side_open(api, kinds & 2);
        ze_event_handle_t event = timed_event(api);
        assert_success(zeCommandListAppendBarrier(slow.list, event, 1, &gates.gate[0]));
        side_submit(&slow);
        assert_success(zeCommandListAppendBarrier(fast.list, event, 0, NULL));
        side_submit(&fast);
        ze_kernel_timestamp_result_t before = times_of(event), after;
        assert_success(zeEventHostSignal(gates.gate[0]));
        side_wait(&slow);
        after = times_of(event);
        assert_memory_equal(&before, &after, sizeof(before));
        side_close(&slow);
        side_close(&fast);
        assert_success(zeEventDestroy(event));
        gates_close(&gates);
    }
}

/* Signals many others, each with timestamps: more than a store of them may hold ready. */
static void many_signals(struct api *api, struct side *side, int count)
{
    ze_event_handle_t events[4 * MANY];
    for (int i = 0; i < count; i++) {
        events[i] = timed_event(api);
        assert_success(zeCommandListAppendBarrier(side->list, events[i], 0, NULL));
    }
    side_wait(side);
    for (int i = 0; i < count; i++) {
        assert_success(zeEventDestroy(events[i]));
    }
}

/* SYN-20: a query is for the signal that was the latest when it was appended. */
static void a_recorded_query_stays_with_its_signal(void **state)
{
    struct api *api = *state;
    ze_kernel_timestamp_result_t *written = api_alloc_shared(api, sizeof(*written));
    for (int kinds = 0; kinds < 4; kinds++) {
        struct gates gates = gates_open(api);
        struct side slow = side_open(api, kinds & 1), query = side_open(api, kinds & 2);
        struct side fast = side_open(api, true);
        ze_event_handle_t event = timed_event(api), waits[2] = {event, gates.gate[1]};
        uint64_t host, device;
        assert_success(zeCommandListAppendBarrier(slow.list, event, 1, &gates.gate[0]));
        side_submit(&slow);
        assert_success(zeCommandListAppendQueryKernelTimestamps(query.list, 1, &event, written,
                                                                NULL, NULL, 2, waits));
        side_submit(&query);
        assert_success(zeCommandListAppendBarrier(fast.list, event, 0, NULL));
        ze_kernel_timestamp_result_t latest = times_of(event);
        assert_success(zeEventHostSignal(gates.gate[0]));
        side_wait(&slow);
        assert_success(zeDeviceGetGlobalTimestamps(api->device, &host, &device));
        many_signals(api, &fast, (kinds + 1) * MANY); /* more than the last time */
        assert_success(zeEventHostSignal(gates.gate[1]));
        side_wait(&query);
        assert_true(written->global.kernelStart >= latest.global.kernelEnd);
        assert_true(written->global.kernelEnd <= device);
        ze_kernel_timestamp_result_t after = times_of(event);
        assert_memory_equal(&latest, &after, sizeof(latest));
        side_close(&slow);
        side_close(&query);
        side_close(&fast);
        assert_success(zeEventDestroy(event));
        gates_close(&gates);
    }
    api_free(api, written);
}

/* The event may be destroyed while a command is still to write its timestamps; what was its place
 * is not another event's before. */
static void destroyed_events_leave_their_timestamps_to_the_command(void **state)
{
    struct api *api = *state;
    enum { HELD = 3, OTHERS = 80 };
    struct gates gates = gates_open(api);
    struct side slow = side_open(api, true), fast = side_open(api, true);
    ze_event_handle_t others[OTHERS];
    ze_kernel_timestamp_result_t times[OTHERS];
    for (int i = 0; i < HELD; i++) {
        ze_event_handle_t event = timed_event(api);
        assert_success(zeCommandListAppendBarrier(slow.list, event, 1, &gates.gate[0]));
        assert_success(zeEventDestroy(event));
    }
    for (int i = 0; i < OTHERS; i++) {
        others[i] = timed_event(api);
        assert_success(zeCommandListAppendBarrier(fast.list, others[i], 0, NULL));
        times[i] = times_of(others[i]);
    }
    assert_success(zeEventHostSignal(gates.gate[0]));
    side_wait(&slow);
    for (int i = 0; i < OTHERS; i++) {
        ze_kernel_timestamp_result_t after = times_of(others[i]);
        assert_memory_equal(&times[i], &after, sizeof(after));
        assert_success(zeEventDestroy(others[i]));
    }
    side_close(&slow);
    side_close(&fast);
    gates_close(&gates);
}

/* Of a list that is executed again the latest execution's; between them not ready. */
static void each_execution_has_timestamps_of_its_own(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    ze_command_list_handle_t list = counter_regular(api);
    ze_command_queue_handle_t queue = counter_queue(api);
    ze_event_handle_t event[2] = {timed_event(api), timed_event(api)};
    ze_kernel_timestamp_result_t times, untouched;
    memset(&untouched, 0x5a, sizeof(untouched));
    uint64_t end = 0;
    assert_success(zeCommandListAppendBarrier(list, event[0], 1, &gates.gate[0]));
    assert_success(zeCommandListAppendBarrier(list, event[1], 0, NULL));
    assert_success(zeCommandListClose(list));
    for (int round = 0; round < 3; round++) {
        counter_execute(queue, list);
        times = untouched;
        assert_result(zeEventQueryKernelTimestamp(event[1], &times), ZE_RESULT_NOT_READY);
        assert_memory_equal(&times, &untouched, sizeof(times));
        assert_success(zeEventHostSignal(gates.gate[0]));
        for (int i = 0; i < 2; i++) {
            times = times_of(event[i]);
            assert_true(times.global.kernelStart >= end);
            end = times.global.kernelEnd;
        }
        assert_success(zeCommandQueueSynchronize(queue, API_PATIENCE_NS));
        assert_success(zeEventHostReset(gates.gate[0]));
    }
    assert_success(zeCommandListDestroy(list));
    times = times_of(event[1]); /* the event has them still */
    assert_int_equal(times.global.kernelEnd, end);
    assert_success(zeCommandQueueDestroy(queue));
    for (int i = 0; i < 2; i++) {
        assert_success(zeEventDestroy(event[i]));
    }
    gates_close(&gates);
}

static const struct api_case cases[] = {
    API_CASE(a_slow_signaller_does_not_overwrite_the_latest_timestamps),
    API_CASE(a_recorded_query_stays_with_its_signal),
    API_CASE(destroyed_events_leave_their_timestamps_to_the_command),
    API_CASE(each_execution_has_timestamps_of_its_own),
};

API_MAIN("counter_times", cases)
