/* Faults of events and fences, and every means by which a program may know that work is done. */
#include "objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* A closed list with a fill, its queue and its memory. */
struct work {
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    void *memory;
};

enum { BYTES = 4096 };

static ze_command_queue_handle_t queue_create(const struct faulty_world *world,
                                              ze_command_queue_mode_t mode)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = mode};
    ze_command_queue_handle_t queue;
    MUST(zeCommandQueueCreate(world->context, world->device, &desc, &queue));
    return queue;
}

static struct work work_begin(const struct faulty_world *world, ze_command_queue_mode_t mode)
{
    struct work work = {.queue = queue_create(world, mode),
                        .list = faulty_list(world, 0),
                        .memory = faulty_memory(world, BYTES)};
    fill(work.list, work.memory, 1, BYTES);
    MUST(zeCommandListClose(work.list));
    return work;
}

static void work_submit(const struct work *work, ze_fence_handle_t fence)
{
    ze_command_list_handle_t list = work->list;
    MUST(zeCommandQueueExecuteCommandLists(work->queue, 1, &list, fence));
}

/* Frees everything without a wait: the program knows that the work is done. */
static void work_end(const struct faulty_world *world, const struct work *work)
{
    MUST(zeMemFree(world->context, work->memory));
    MUST(zeCommandListDestroy(work->list));
    MUST(zeCommandQueueDestroy(work->queue));
}

static ze_fence_handle_t fence_create(ze_command_queue_handle_t queue, ze_fence_flags_t flags)
{
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC, .flags = flags};
    ze_fence_handle_t fence;
    MUST(zeFenceCreate(queue, &desc, &fence));
    return fence;
}

static void fence_destroyed_in_flight(struct faulty_world *world)
{
    /* SYN-1, GEN-15: the queue signals the fence later; the application knows when it is done. */
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    struct signal signal = signal_begin(world, 0);
    ze_fence_handle_t fence = fence_create(queue, 0);
    MUST(zeCommandListAppendWaitOnEvents(list, 1, &signal.event));
    MUST(zeCommandListClose(list));
    MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    const ze_result_t result = zeFenceDestroy(fence);
    MUST(zeEventHostSignal(signal.event));
    MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    if (result != ZE_RESULT_SUCCESS)
        MUST(zeFenceDestroy(fence));
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandQueueDestroy(queue));
    signal_end(&signal);
}

static void event_destroyed_before_its_list_runs(struct faulty_world *world)
{
    /* GEN-15: handles have no reference counts, so the list signals an event that is gone. */
    ze_command_list_handle_t list = faulty_list(world, 0);
    struct signal signal = signal_begin(world, 0);
    MUST(zeCommandListAppendBarrier(list, signal.event, 0, NULL));
    MUST(zeCommandListClose(list));
    signal_end(&signal);
    run_list(world, list);
    MUST(zeCommandListDestroy(list));
}

static ze_event_handle_t counter_event(const struct faulty_world *world)
{
    const ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                                .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
                                                         ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE |
                                                         ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE,
                                                .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                                .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event;
    MUST(zeEventCounterBasedCreate(world->context, world->device, &desc, &event));
    return event;
}

static void counter_event_destroyed_in_flight(struct faulty_world *world)
{
    /* zeEventDestroy: "The application makes sure that no device uses it any more." */
    struct gate gate = gate_begin(world);
    ze_event_handle_t event = counter_event(world);
    MUST(zeCommandListAppendSignalEvent(gate.list, event));
    const ze_result_t result = zeEventDestroy(event);
    gate_end(&gate);
    if (result != ZE_RESULT_SUCCESS)
        MUST(zeEventDestroy(event));
}

static void counter_event_left_behind(struct faulty_world *world)
{
    /* VAL-3: leaks are reported. */
    counter_event(world);
    exit(0); /* with the context, which it keeps */
}

static void pool_of_no_events(struct faulty_world *world)
{
    /* zeEventPoolCreate: INVALID_SIZE "when 0 == desc->count". */
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC};
    ze_event_pool_handle_t pool;
    if (zeEventPoolCreate(world->context, &desc, 0, NULL, &pool) == ZE_RESULT_SUCCESS)
        MUST(zeEventPoolDestroy(pool));
}

static void list_reset_while_an_immediate_list_runs_it(struct faulty_world *world)
{
    /* CMQ-18: reset only when the device is done with the list. */
    struct gate gate = gate_begin(world);
    struct work work = work_begin(world, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    MUST(zeCommandListImmediateAppendCommandListsExp(gate.list, 1, &work.list, NULL, 0, NULL));
    zeCommandListReset(work.list);
    gate_end(&gate);
    work_end(world, &work);
}

/* --- no fault: how a program knows that work is done --- */

static void done_by_a_fence(struct faulty_world *world)
{
    /* SYN-2: a fence's signal implies all earlier work done. SYN-3: reset from the host. */
    struct work work = work_begin(world, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_fence_handle_t fence = fence_create(work.queue, ZE_FENCE_FLAG_SIGNALED);
    MUST(zeFenceHostSynchronize(fence, UINT64_MAX)); /* it begins signalled */
    for (int i = 0; i < 3; i++) {
        MUST(zeFenceReset(fence));
        MUST(zeFenceReset(fence)); /* "nothing happens when it is not" */
        work_submit(&work, fence);
        MUST(zeFenceHostSynchronize(fence, UINT64_MAX));
    }
    MUST(zeFenceDestroy(fence));
    work_end(world, &work);
}

static void done_by_polls_of_a_fence(struct faulty_world *world)
{
    /* SYN-4: time-out 0 equals zeFenceQueryStatus; VAL-9: NOT_READY is no error. */
    struct work work = work_begin(world, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_fence_handle_t fence = fence_create(work.queue, 0);
    work_submit(&work, fence);
    while (zeFenceQueryStatus(fence) == ZE_RESULT_NOT_READY)
        ;
    MUST(zeFenceHostSynchronize(fence, 0));
    MUST(zeFenceDestroy(fence));
    work_end(world, &work);
}

static void done_by_a_synchronous_queue(struct faulty_world *world)
{
    /* CMQ-9: in synchronous mode execute blocks. */
    struct work work = work_begin(world, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    work_submit(&work, NULL);
    work_end(world, &work);
}

static void done_by_a_synchronous_immediate_list(struct faulty_world *world)
{
    /* CMQ-20: each append runs at once and may block; synchronous ones do. */
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    void *memory = faulty_memory(world, BYTES);
    MUST(zeCommandListCreateImmediate(world->context, world->device, &desc, &list));
    fill(list, memory, 1, BYTES);
    fill(list, memory, 2, BYTES);
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
}

static void done_by_polls_of_the_queue(struct faulty_world *world)
{
    /* CMQ-10: time-out 0 polls. */
    struct work work = work_begin(world, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    work_submit(&work, NULL);
    while (zeCommandQueueSynchronize(work.queue, 0) == ZE_RESULT_NOT_READY)
        ;
    work_end(world, &work);
}

static void done_by_polls_of_an_event(struct faulty_world *world)
{
    /* SYN-5, SYN-14: the barrier's event tells the host that all earlier commands are done. */
    const uint8_t pattern = 1;
    struct signal signal = signal_begin(world, 0);
    ze_command_list_handle_t list = faulty_immediate(world, 0);
    void *memory = faulty_memory(world, BYTES);
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 1, BYTES, NULL, 0, NULL));
    MUST(zeCommandListAppendBarrier(list, signal.event, 0, NULL));
    while (zeEventQueryStatus(signal.event) == ZE_RESULT_NOT_READY)
        ;
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
    signal_end(&signal);
}

static void done_by_the_device(struct faulty_world *world)
{
    /* zeDeviceSynchronize: "Waits until all queues and immediate lists of a device are done." */
    struct work work = work_begin(world, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = faulty_immediate(world, 0);
    void *memory = faulty_memory(world, BYTES);
    work_submit(&work, NULL);
    for (int i = 0; i < 3; i++) {
        fill(list, memory, 1, BYTES);
        MUST(zeDeviceSynchronize(world->device));
    }
    work_end(world, &work);
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
}

static void done_by_an_event_of_the_last_command(struct faulty_world *world)
{
    /* SYN-5, SYN-12: in an in-order list the last command's event says that all are done. */
    struct signal signal = signal_begin(world, 0);
    const uint8_t pattern = 1;
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    void *memory = faulty_memory(world, BYTES), *last = faulty_memory(world, 64);
    fill(list, memory, 1, BYTES);
    MUST(zeCommandListAppendMemoryFill(list, last, &pattern, 1, 64, signal.event, 0, NULL));
    MUST(zeEventHostSynchronize(signal.event, UINT64_MAX));
    MUST(zeMemFree(world->context, memory));
    MUST(zeMemFree(world->context, last));
    MUST(zeCommandListDestroy(list));
    signal_end(&signal);
}

static void counter_event_used_again_and_again(struct faulty_world *world)
{
    /* zeEventCounterBasedCreate: "Needs no reset: each append that signals it gives it a new value
     * to wait for." */
    ze_event_handle_t event = counter_event(world);
    ze_command_list_handle_t lists[2] = {faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER),
                                         faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER)};
    const uint8_t pattern = 1;
    void *memory = faulty_memory(world, BYTES);
    for (int i = 0; i < 5; i++) {
        MUST(zeCommandListAppendMemoryFill(lists[i % 2], memory, &pattern, 1, BYTES, event, 0,
                                           NULL));
        MUST(zeCommandListAppendMemoryFill(lists[1 - i % 2], memory, &pattern, 1, BYTES, event, 1,
                                           &event));
        MUST(zeEventHostSynchronize(event, UINT64_MAX));
    }
    MUST(zeMemFree(world->context, memory));
    MUST(zeEventDestroy(event));
    for (int i = 0; i < 2; i++) {
        MUST(zeCommandListHostSynchronize(lists[i], UINT64_MAX));
        MUST(zeCommandListDestroy(lists[i]));
    }
}

static void lists_ordered_by_an_event(struct faulty_world *world)
{
    /* SYN-5, SYN-6: one list signals, another one of the same submission waits; the reader resets
     * the event from the device, so that both run again. */
    struct signal signal = signal_begin(world, 0);
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t lists[2] = {faulty_list(world, 0),
                                         faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER)};
    const uint8_t pattern = 1;
    char *memory = faulty_memory(world, 2 * BYTES);
    MUST(
        zeCommandListAppendMemoryFill(lists[0], memory, &pattern, 1, BYTES, signal.event, 0, NULL));
    MUST(zeCommandListAppendWaitOnEvents(lists[1], 1, &signal.event));
    MUST(zeCommandListAppendEventReset(lists[1], signal.event));
    copy(lists[1], memory + BYTES, memory, BYTES);
    for (int i = 0; i < 2; i++)
        MUST(zeCommandListClose(lists[i]));
    for (int i = 0; i < 3; i++) {
        MUST(zeCommandQueueExecuteCommandLists(queue, 2, lists, NULL));
        MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    }
    for (int i = 0; i < 2; i++)
        MUST(zeCommandListDestroy(lists[i]));
    MUST(zeCommandQueueDestroy(queue));
    MUST(zeMemFree(world->context, memory));
    signal_end(&signal);
}

static void immediate_list_closed_and_reset(struct faulty_world *world)
{
    /* CMQ-21: immediate lists need no close or reset; zeCommandListCreateImmediate: "both
     * succeed". */
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    void *memory = faulty_memory(world, BYTES);
    for (int i = 0; i < 3; i++) {
        fill(list, memory, 1, BYTES);
        MUST(zeCommandListClose(list));
        MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
        MUST(zeCommandListReset(list));
    }
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
}

static void empty_lists_with_a_fence(struct faulty_world *world)
{
    /* CMQ-12: lists start open and are closed before execution; they need no command. */
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t lists[2] = {faulty_list(world, 0), faulty_list(world, 0)};
    ze_fence_handle_t fence = fence_create(queue, 0);
    for (int i = 0; i < 2; i++)
        MUST(zeCommandListClose(lists[i]));
    MUST(zeCommandQueueExecuteCommandLists(queue, 2, lists, fence));
    MUST(zeFenceHostSynchronize(fence, UINT64_MAX));
    for (int i = 0; i < 2; i++)
        MUST(zeCommandListDestroy(lists[i]));
    MUST(zeFenceDestroy(fence));
    MUST(zeCommandQueueDestroy(queue));
}

static void list_that_never_runs(struct faulty_world *world)
{
    /* GEN-15: the device never used what the list refers to, so all may go before it. */
    struct signal signals[2] = {signal_begin(world, 0), signal_begin(world, 0)};
    struct work work = work_begin(world, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendBarrier(list, signals[0].event, 1, &signals[1].event));
    fill(list, work.memory, 1, BYTES);
    MUST(zeCommandListClose(list));
    signal_end(&signals[0]);
    signal_end(&signals[1]);
    work_end(world, &work);
    MUST(zeCommandListReset(list));
    MUST(zeCommandListClose(list));
    MUST(run_list(world, list)); /* it is empty now */
    MUST(zeCommandListDestroy(list));
}

static void *signal_later(void *event)
{
    usleep(20000);
    MUST(zeEventHostSignal(event));
    return NULL;
}

static void gate_opened_by_another_thread(struct faulty_world *world)
{
    /* SYN-5: host to device, also after the submission; CTX-2. */
    pthread_t thread;
    struct gate gate = gate_begin(world);
    pthread_create(&thread, NULL, signal_later, gate.event);
    MUST(zeCommandListHostSynchronize(gate.list, UINT64_MAX));
    pthread_join(thread, NULL);
    MUST(zeCommandListDestroy(gate.list));
    MUST(zeEventDestroy(gate.event));
    MUST(zeEventPoolDestroy(gate.pool));
}

const struct faulty faulty_programs[] = {
    {"fence_destroyed_in_flight", fence_destroyed_in_flight, "destroyed-in-use", "zeFenceDestroy",
     NULL},
    {"event_destroyed_before_its_list_runs", event_destroyed_before_its_list_runs,
     "destroyed-handle", "zeCommandQueueExecuteCommandLists", NULL},
    /* Not told: the event refers to a counter of its list. */
    {"counter_event_destroyed_in_flight", counter_event_destroyed_in_flight, "", NULL, NULL},
    {"counter_event_left_behind", counter_event_left_behind, "leak", "zeEventCounterBasedCreate",
     NULL},
    {"pool_of_no_events", pool_of_no_events, "wrong-size", "count", NULL},
    {"list_reset_while_an_immediate_list_runs_it", list_reset_while_an_immediate_list_runs_it,
     "list-in-flight", "zeCommandListReset", NULL},
    {"done_by_a_fence", done_by_a_fence, "", NULL, NULL},
    {"done_by_polls_of_a_fence", done_by_polls_of_a_fence, "", NULL, NULL},
    {"done_by_a_synchronous_queue", done_by_a_synchronous_queue, "", NULL, NULL},
    {"done_by_a_synchronous_immediate_list", done_by_a_synchronous_immediate_list, "", NULL, NULL},
    {"done_by_polls_of_the_queue", done_by_polls_of_the_queue, "", NULL, NULL},
    {"done_by_polls_of_an_event", done_by_polls_of_an_event, "", NULL, NULL},
    {"done_by_the_device", done_by_the_device, "", NULL, NULL},
    {"done_by_an_event_of_the_last_command", done_by_an_event_of_the_last_command, "", NULL, NULL},
    {"counter_event_used_again_and_again", counter_event_used_again_and_again, "", NULL, NULL},
    {"lists_ordered_by_an_event", lists_ordered_by_an_event, "", NULL, NULL},
    {"immediate_list_closed_and_reset", immediate_list_closed_and_reset, "", NULL, NULL},
    {"empty_lists_with_a_fence", empty_lists_with_a_fence, "", NULL, NULL},
    {"list_that_never_runs", list_that_never_runs, "", NULL, NULL},
    {"gate_opened_by_another_thread", gate_opened_by_another_thread, "", NULL, NULL},
    {0}};
