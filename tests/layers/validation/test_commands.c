/* Faults of lists: closed or not, in flight, dependent commands without order. A list is held in
 * flight by a wait for an event that the program signals at its end. */
#include "faulty.h"

static void append_to_a_closed_list(struct faulty_world *world)
{
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListClose(list));
    zeCommandListAppendBarrier(list, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
}

static void execute_an_open_list(struct faulty_world *world)
{
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandQueueDestroy(queue));
}

static void execute_an_immediate_list(struct faulty_world *world)
{
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = faulty_immediate(world, 0);
    zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandQueueDestroy(queue));
}

/* --- in flight --- */

struct flight {
    ze_event_pool_handle_t pool;
    ze_event_handle_t gate, done;
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
};

static struct flight flight_begin(struct faulty_world *world)
{
    struct flight flight = {.pool = faulty_pool(world, 2)};
    flight.gate = faulty_event(flight.pool, 0);
    flight.done = faulty_event(flight.pool, 1);
    flight.queue = faulty_queue(world);
    flight.list = faulty_list(world, 0);
    MUST(zeCommandListAppendWaitOnEvents(flight.list, 1, &flight.gate));
    MUST(zeCommandListAppendSignalEvent(flight.list, flight.done));
    MUST(zeCommandListClose(flight.list));
    MUST(zeCommandQueueExecuteCommandLists(flight.queue, 1, &flight.list, NULL));
    return flight;
}

static void flight_end(struct flight *flight)
{
    MUST(zeEventHostSignal(flight->gate));
    MUST(zeCommandQueueSynchronize(flight->queue, UINT64_MAX));
    if (flight->list)
        MUST(zeCommandListDestroy(flight->list));
    MUST(zeCommandQueueDestroy(flight->queue));
    MUST(zeEventDestroy(flight->gate));
    MUST(zeEventDestroy(flight->done));
    MUST(zeEventPoolDestroy(flight->pool));
}

static void reset_in_flight(struct faulty_world *world)
{
    struct flight flight = flight_begin(world);
    zeCommandListReset(flight.list);
    flight_end(&flight);
}

/* VAL-6 */
static void list_destroyed_in_flight(struct faulty_world *world)
{
    struct flight flight = flight_begin(world);
    zeCommandListDestroy(flight.list);
    flight_end(&flight);
}

static void queue_destroyed_in_flight(struct faulty_world *world)
{
    struct flight flight = flight_begin(world);
    zeCommandQueueDestroy(flight.queue);
    flight_end(&flight);
}

/* VAL-6 */
static void event_destroyed_in_flight(struct faulty_world *world)
{
    struct flight flight = flight_begin(world);
    zeEventDestroy(flight.done);
    flight_end(&flight);
}

static void list_on_two_queues(struct faulty_world *world)
{
    struct flight flight = flight_begin(world);
    ze_command_queue_handle_t other = faulty_queue(world);
    zeCommandQueueExecuteCommandLists(other, 1, &flight.list, NULL);
    MUST(zeEventHostSignal(flight.gate));
    MUST(zeCommandQueueSynchronize(other, UINT64_MAX));
    MUST(zeCommandQueueDestroy(other));
    MUST(zeEventHostReset(flight.gate));
    flight_end(&flight);
}

/* Fills memory behind a gate in an immediate list. */
static void memory_freed_in_flight(struct faulty_world *world)
{
    const uint32_t pattern = 0;
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t gate = faulty_event(pool, 0);
    ze_command_list_handle_t list = faulty_immediate(world, 0);
    void *memory = faulty_memory(world, 256);
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 4, 256, NULL, 1, &gate));
    zeMemFree(world->context, memory);
    MUST(zeEventHostSignal(gate));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(gate));
    MUST(zeEventPoolDestroy(pool));
}

static void immediate_list_destroyed_in_flight(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t gate = faulty_event(pool, 0);
    ze_command_list_handle_t list = faulty_immediate(world, 0);
    MUST(zeCommandListAppendWaitOnEvents(list, 1, &gate));
    zeCommandListDestroy(list);
    MUST(zeEventHostSignal(gate));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(gate));
    MUST(zeEventPoolDestroy(pool));
}

/* --- order: what is told when the list runs --- */

static void execute(struct faulty_world *world, ze_command_list_handle_t list)
{
    ze_command_queue_handle_t queue = faulty_queue(world);
    MUST(zeCommandListClose(list));
    MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    MUST(zeCommandQueueDestroy(queue));
}

static void copy_of_what_is_being_filled(struct faulty_world *world)
{
    const uint32_t pattern = 0;
    char *one = faulty_memory(world, 256), *other = faulty_memory(world, 256);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendMemoryFill(list, one, &pattern, 4, 256, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryCopy(list, other, one + 64, 64, NULL, 0, NULL));
    execute(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, one));
    MUST(zeMemFree(world->context, other));
}

static void two_fills_of_one_place(struct faulty_world *world)
{
    const uint32_t pattern = 0;
    char *memory = faulty_memory(world, 256);
    ze_command_list_handle_t list = faulty_immediate(world, 0);
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 4, 256, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 4, 4, NULL, 0, NULL));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void event_of_another_command(struct faulty_world *world)
{
    const uint32_t pattern = 0;
    char *one = faulty_memory(world, 256), *other = faulty_memory(world, 256);
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t event = faulty_event(pool, 0);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendMemoryFill(list, one, &pattern, 4, 256, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryFill(list, other, &pattern, 4, 128, event, 0, NULL));
    MUST(zeCommandListAppendMemoryCopy(list, other + 128, one, 64, NULL, 1, &event));
    execute(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(event));
    MUST(zeEventPoolDestroy(pool));
    MUST(zeMemFree(world->context, one));
    MUST(zeMemFree(world->context, other));
}

/* --- kernels --- */

struct launch {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    void *memory;
};

static struct launch launch_begin(struct faulty_world *world)
{
    struct launch launch = {.module = faulty_module(world),
                            .list = faulty_list(world, 0),
                            .memory = faulty_memory(world, 4096)};
    launch.kernel = faulty_kernel(launch.module, "ids");
    return launch;
}

static void launch_end(struct faulty_world *world, struct launch *launch)
{
    MUST(zeCommandListDestroy(launch->list));
    MUST(zeKernelDestroy(launch->kernel));
    MUST(zeModuleDestroy(launch->module));
    MUST(zeMemFree(world->context, launch->memory));
}

static void argument_never_set(struct faulty_world *world)
{
    const ze_group_count_t groups = {1, 1, 1};
    struct launch launch = launch_begin(world);
    zeCommandListAppendLaunchKernel(launch.list, launch.kernel, &groups, NULL, 0, NULL);
    launch_end(world, &launch);
}

static void copy_beside_a_kernel(struct faulty_world *world)
{
    const ze_group_count_t groups = {1, 1, 1};
    struct launch launch = launch_begin(world);
    void *host = faulty_memory(world, 4096);
    MUST(zeKernelSetArgumentValue(launch.kernel, 0, sizeof(void *), &launch.memory));
    MUST(zeCommandListAppendLaunchKernel(launch.list, launch.kernel, &groups, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryCopy(launch.list, host, launch.memory, 64, NULL, 0, NULL));
    execute(world, launch.list);
    launch_end(world, &launch);
    MUST(zeMemFree(world->context, host));
}

/* VAL-6 */
static void kernel_destroyed_in_flight(struct faulty_world *world)
{
    const ze_group_count_t groups = {1, 1, 1};
    struct launch launch = launch_begin(world);
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t gate = faulty_event(pool, 0);
    ze_command_list_handle_t list = faulty_immediate(world, 0);
    MUST(zeKernelSetArgumentValue(launch.kernel, 0, sizeof(void *), &launch.memory));
    MUST(zeCommandListAppendLaunchKernel(list, launch.kernel, &groups, NULL, 1, &gate));
    zeKernelDestroy(launch.kernel);
    MUST(zeEventHostSignal(gate));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(gate));
    MUST(zeEventPoolDestroy(pool));
    launch_end(world, &launch);
}

/* No fault: order by barriers, events, the list itself, the host; lists used again when they are
 * done. */
static void legal_commands(struct faulty_world *world)
{
    const uint32_t pattern = 0;
    char *one = faulty_memory(world, 256), *other = faulty_memory(world, 256);
    ze_event_pool_handle_t pool = faulty_pool(world, 3);
    ze_event_handle_t events[3] = {faulty_event(pool, 0), faulty_event(pool, 1),
                                   faulty_event(pool, 2)};
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = faulty_list(world, 0),
                             ordered = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER),
                             immediate = faulty_immediate(world, 0);
    MUST(zeCommandListAppendMemoryFill(list, one, &pattern, 4, 256, events[0], 0, NULL));
    MUST(zeCommandListAppendMemoryFill(list, other, &pattern, 4, 128, events[1], 1, &events[0]));
    MUST(zeCommandListAppendMemoryCopy(list, other, one, 64, events[2], 1, &events[1]));
    MUST(zeCommandListAppendBarrier(list, NULL, 1, &events[2]));
    MUST(zeCommandListAppendMemoryCopy(list, one, other, 64, NULL, 0, NULL));
    MUST(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryFill(list, one, &pattern, 4, 256, NULL, 0, NULL));
    MUST(zeCommandListClose(list));
    MUST(zeCommandListAppendMemoryFill(ordered, one, &pattern, 4, 256, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryCopy(ordered, other, one, 256, NULL, 0, NULL));
    MUST(zeCommandListClose(ordered));
    for (int i = 0; i < 3; i++) {
        MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        MUST(zeCommandQueueExecuteCommandLists(queue, 1, &ordered, NULL));
        MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
        for (int k = 0; k < 3; k++)
            MUST(zeEventHostReset(events[k]));
        MUST(zeCommandListAppendMemoryFill(immediate, one, &pattern, 4, 256, events[0], 0, NULL));
        MUST(zeEventHostSynchronize(events[0], UINT64_MAX));
        MUST(zeEventHostReset(events[0]));
        MUST(zeCommandListAppendMemoryCopy(immediate, other, one, 256, NULL, 0, NULL));
        MUST(zeCommandListHostSynchronize(immediate, UINT64_MAX));
    }
    MUST(zeCommandListReset(list));
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandListDestroy(ordered));
    MUST(zeCommandListDestroy(immediate));
    MUST(zeCommandQueueDestroy(queue));
    for (int k = 0; k < 3; k++)
        MUST(zeEventDestroy(events[k]));
    MUST(zeEventPoolDestroy(pool));
    MUST(zeMemFree(world->context, one));
    MUST(zeMemFree(world->context, other));
}

/* No fault: the barrier that orders two fills is in another list. */
static void barrier_of_a_list_within(struct faulty_world *world)
{
    const uint32_t pattern = 0;
    char *memory = faulty_memory(world, 256);
    ze_command_list_handle_t inner = faulty_list(world, 0), list = faulty_immediate(world, 0);
    MUST(zeCommandListAppendBarrier(inner, NULL, 0, NULL));
    MUST(zeCommandListClose(inner));
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 4, 256, NULL, 0, NULL));
    MUST(zeCommandListImmediateAppendCommandListsExp(list, 1, &inner, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 4, 256, NULL, 0, NULL));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandListDestroy(inner));
    MUST(zeMemFree(world->context, memory));
}

/* No fault: a clone at the address of an immediate list that is gone. */
static void clone_in_the_place_of_an_immediate_list(struct faulty_world *world)
{
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE), clone;
    MUST(zeCommandListClose(list));
    for (int i = 0; i < 8; i++) {
        MUST(zeCommandListDestroy(faulty_immediate(world, 0)));
        MUST(zeCommandListCreateCloneExp(list, &clone));
        MUST(zeCommandListClose(clone));
        MUST(zeCommandQueueExecuteCommandLists(queue, 1, &clone, NULL));
        MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
        MUST(zeCommandListDestroy(clone));
    }
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandQueueDestroy(queue));
}

const struct faulty faulty_programs[] = {
    {"append_to_a_closed_list", append_to_a_closed_list, "closed-list",
     "zeCommandListAppendBarrier: hCommandList", NULL},
    {"execute_an_open_list", execute_an_open_list, "open-list", "has not been closed", NULL},
    {"execute_an_immediate_list", execute_an_immediate_list, "immediate-list", "phCommandLists",
     NULL},
    {"reset_in_flight", reset_in_flight, "list-in-flight", "zeCommandListReset", NULL},
    {"list_destroyed_in_flight", list_destroyed_in_flight, "destroyed-in-use",
     "zeCommandListDestroy", NULL},
    {"queue_destroyed_in_flight", queue_destroyed_in_flight, "destroyed-in-use",
     "zeCommandQueueDestroy", NULL},
    {"event_destroyed_in_flight", event_destroyed_in_flight, "destroyed-in-use",
     "is in use by command 1", NULL},
    {"list_on_two_queues", list_on_two_queues, "list-in-flight", "on another queue",
     "GEOID_VALIDATION_HIDE=signalled-twice"},
    {"memory_freed_in_flight", memory_freed_in_flight, "destroyed-in-use", "zeMemFree: ptr", NULL},
    {"immediate_list_destroyed_in_flight", immediate_list_destroyed_in_flight, "destroyed-in-use",
     "has not finished", NULL},
    {"copy_of_what_is_being_filled", copy_of_what_is_being_filled, "missing-dependency",
     "command 0, zeCommandListAppendMemoryFill, and command 1", NULL},
    {"two_fills_of_one_place", two_fills_of_one_place, "missing-dependency", "4 bytes", NULL},
    {"event_of_another_command", event_of_another_command, "missing-dependency", "command 0", NULL},
    {"argument_never_set", argument_never_set, "argument-not-set", "argument 0 of", NULL},
    {"copy_beside_a_kernel", copy_beside_a_kernel, "maybe-missing-dependency",
     "zeCommandListAppendLaunchKernel", NULL},
    {"kernel_destroyed_in_flight", kernel_destroyed_in_flight, "destroyed-in-use",
     "zeKernelDestroy", NULL},
    {"barrier_of_a_list_within", barrier_of_a_list_within, "", NULL, NULL},
    {"clone_in_the_place_of_an_immediate_list", clone_in_the_place_of_an_immediate_list, "", NULL,
     NULL},
    {"legal_commands", legal_commands, "", NULL, NULL},
    {0}};
