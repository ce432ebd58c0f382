/* Faults of events: what waits for itself or for nothing, what is signalled twice. */
#include "faulty.h"

#include <stdlib.h>

struct gates {
    ze_event_pool_handle_t pool;
    ze_event_handle_t one, other;
};

static struct gates gates_begin(struct faulty_world *world)
{
    struct gates gates = {.pool = faulty_pool(world, 2)};
    gates.one = faulty_event(gates.pool, 0);
    gates.other = faulty_event(gates.pool, 1);
    return gates;
}

static void gates_end(struct gates *gates)
{
    MUST(zeEventDestroy(gates->one));
    MUST(zeEventDestroy(gates->other));
    MUST(zeEventPoolDestroy(gates->pool));
}

/* A list that waits for one event and then signals another. */
static ze_command_list_handle_t relay(struct faulty_world *world, ze_event_handle_t from,
                                      ze_event_handle_t to)
{
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    MUST(zeCommandListAppendWaitOnEvents(list, 1, &from));
    MUST(zeCommandListAppendSignalEvent(list, to));
    MUST(zeCommandListClose(list));
    return list;
}

static void wait_for_what_comes_later(struct faulty_world *world)
{
    struct gates gates = gates_begin(world);
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = relay(world, gates.one, gates.one);
    MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    zeCommandQueueSynchronize(queue, 100000000);
    MUST(zeEventHostSignal(gates.one)); /* to come to an end */
    MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandQueueDestroy(queue));
    gates_end(&gates);
}

static void wait_for_what_comes_later_at_once(struct faulty_world *world)
{
    struct gates gates = gates_begin(world);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    MUST(zeCommandListAppendWaitOnEvents(list, 1, &gates.one));
    MUST(zeCommandListAppendSignalEvent(list, gates.one));
    zeEventHostSynchronize(gates.one, 100000000);
    MUST(zeEventHostSignal(gates.one)); /* to come to an end */
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeCommandListDestroy(list));
    gates_end(&gates);
}

static void two_lists_wait_for_each_other(struct faulty_world *world)
{
    struct gates gates = gates_begin(world);
    ze_command_queue_handle_t queues[2] = {faulty_queue(world), faulty_queue(world)};
    ze_command_list_handle_t lists[2] = {relay(world, gates.one, gates.other),
                                         relay(world, gates.other, gates.one)};
    for (int i = 0; i < 2; i++)
        MUST(zeCommandQueueExecuteCommandLists(queues[i], 1, &lists[i], NULL));
    zeCommandQueueSynchronize(queues[0], 100000000);
    MUST(zeEventHostSignal(gates.one)); /* to come to an end */
    for (int i = 0; i < 2; i++) {
        MUST(zeCommandQueueSynchronize(queues[i], UINT64_MAX));
        MUST(zeCommandListDestroy(lists[i]));
        MUST(zeCommandQueueDestroy(queues[i]));
    }
    gates_end(&gates);
}

static void wait_for_nobody(struct faulty_world *world)
{
    struct gates gates = gates_begin(world);
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = relay(world, gates.one, gates.other);
    MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    zeCommandQueueSynchronize(queue, 1000000);
    exit(0); /* nothing else can be done */
}

static void signalled_by_two(struct faulty_world *world)
{
    struct gates gates = gates_begin(world);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    MUST(zeCommandListAppendSignalEvent(list, gates.one));
    MUST(zeCommandListAppendSignalEvent(list, gates.one));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeCommandListDestroy(list));
    gates_end(&gates);
}

static void list_executed_twice_without_a_reset(struct faulty_world *world)
{
    struct gates gates = gates_begin(world);
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendSignalEvent(list, gates.one));
    MUST(zeCommandListClose(list));
    for (int i = 0; i < 2; i++) {
        MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    }
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandQueueDestroy(queue));
    gates_end(&gates);
}

static void two_events_at_one_index(struct faulty_world *world)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    struct gates gates = gates_begin(world);
    ze_event_handle_t event;
    zeEventCreate(gates.pool, &desc, &event);
    gates_end(&gates);
}

static void event_beyond_the_pool(struct faulty_world *world)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 2};
    struct gates gates = gates_begin(world);
    ze_event_handle_t event;
    zeEventCreate(gates.pool, &desc, &event);
    gates_end(&gates);
}

/* No fault: the host opens gates late, lists relay in turns, an event is reset before it is used
 * again, an index is free when its event is gone. */
static void legal_events(struct faulty_world *world)
{
    struct gates gates = gates_begin(world);
    ze_command_queue_handle_t queues[2] = {faulty_queue(world), faulty_queue(world)};
    ze_command_list_handle_t list = relay(world, gates.one, gates.other);
    ze_command_list_handle_t ping = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    ze_command_list_handle_t immediate = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    MUST(zeCommandListAppendSignalEvent(ping, gates.one));
    MUST(zeCommandListClose(ping));
    for (int i = 0; i < 3; i++) {
        MUST(zeCommandQueueExecuteCommandLists(queues[0], 1, &list, NULL));
        if (i % 2 == 0) {
            MUST(zeCommandQueueExecuteCommandLists(queues[1], 1, &ping, NULL));
            MUST(zeCommandQueueSynchronize(queues[1], UINT64_MAX));
        } else {
            MUST(zeEventHostSignal(gates.one));
        }
        MUST(zeEventHostSynchronize(gates.other, UINT64_MAX));
        MUST(zeCommandQueueSynchronize(queues[0], UINT64_MAX));
        MUST(zeEventHostReset(gates.one));
        MUST(zeEventHostReset(gates.other));
    }
    for (int i = 0; i < 3; i++) { /* the same in one list, which the host answers */
        MUST(zeCommandListAppendWaitOnEvents(immediate, 1, &gates.one));
        MUST(zeCommandListAppendEventReset(immediate, gates.one));
        MUST(zeCommandListAppendSignalEvent(immediate, gates.other));
        MUST(zeEventHostSignal(gates.one));
        MUST(zeEventHostSynchronize(gates.other, UINT64_MAX));
        MUST(zeEventHostReset(gates.other));
    }
    MUST(zeCommandListAppendWaitOnEvents(immediate, 1, &gates.one));
    MUST(zeCommandListAppendEventReset(immediate, gates.one));
    MUST(zeCommandListAppendSignalEvent(immediate, gates.one));
    zeCommandListHostSynchronize(immediate, 1000000); /* a look, before the host opens it */
    MUST(zeEventHostSignal(gates.one));
    MUST(zeCommandListHostSynchronize(immediate, UINT64_MAX));
    MUST(zeEventHostReset(gates.one));
    MUST(zeCommandListDestroy(immediate));
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandListDestroy(ping));
    for (int i = 0; i < 2; i++)
        MUST(zeCommandQueueDestroy(queues[i]));
    MUST(zeEventDestroy(gates.one));
    gates.one = faulty_event(gates.pool, 0);
    gates_end(&gates);
}

static void opened_events(struct faulty_world *world)
{
    const ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                                .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
                                                         ZE_EVENT_COUNTER_BASED_FLAG_IPC};
    ze_ipc_event_counter_based_handle_t handle;
    ze_event_handle_t event, opened[2];
    MUST(zeEventCounterBasedCreate(world->context, world->device, &desc, &event));
    MUST(zeEventCounterBasedGetIpcHandle(event, &handle));
    for (int i = 0; i < 2; i++) { /* told of the first alone */
        MUST(zeEventCounterBasedOpenIpcHandle(world->context, handle, &opened[i]));
        MUST(zeEventCounterBasedCloseIpcHandle(opened[i]));
    }
    MUST(zeEventDestroy(event));
}

const struct faulty faulty_programs[] = {
    {"wait_for_what_comes_later", wait_for_what_comes_later, "wait-before-signal",
     "waits for event", "GEOID_VALIDATION_HIDE=signalled-twice"},
    {"wait_for_what_comes_later_at_once", wait_for_what_comes_later_at_once, "wait-before-signal",
     "the same list", "GEOID_VALIDATION_HIDE=signalled-twice"},
    {"two_lists_wait_for_each_other", two_lists_wait_for_each_other, "wait-cycle",
     "which cannot run before", "GEOID_VALIDATION_HIDE=signalled-twice"},
    {"wait_for_nobody", wait_for_nobody, "never-signalled", "was waited for",
     "GEOID_VALIDATION_HIDE=leak"},
    {"signalled_by_two", signalled_by_two, "signalled-twice", "AppendSignalEvent", NULL},
    {"list_executed_twice_without_a_reset", list_executed_twice_without_a_reset, "signalled-twice",
     "zeCommandQueueExecuteCommandLists", NULL},
    {"two_events_at_one_index", two_events_at_one_index, "event-index", "index 1 already", NULL},
    {"event_beyond_the_pool", event_beyond_the_pool, "event-index", "none at index 2", NULL},
    {"opened_events", opened_events, "opened-event-is-a-snapshot",
     "in all: 1 hint: opened-event-is-a-snapshot", NULL},
    {"legal_events", legal_events, "", NULL, NULL},
    {0}};
