/* Each command has an event with timestamps: the program's, which tracker.c gave them, or one of
 * ours where it has none. Nothing waits for ours, and the program's stay with their commands, so
 * the order of what devices do is what it was. See watch.h for reading them. */
#include "collect.h"
#include "spool.h"
#include "watch.h"

#include <stdlib.h>

/* The command that this thread is about to append. */
static __thread struct {
    struct command command;
    struct timer *timer; /* given to it; NULL: it has an event of the program */
    struct query *query; /* begun before it, or NULL */
} appending;

/* --- what commands are --- */

static uint8_t memory_of(ze_context_handle_t context, const void *pointer)
{
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    if (zeMemGetAllocProperties(context, pointer, &properties, NULL) != ZE_RESULT_SUCCESS) {
        return ZETRACE_SYSTEM;
    }
    switch (properties.type) {
    case ZE_MEMORY_TYPE_HOST:
        return ZETRACE_HOST;
    case ZE_MEMORY_TYPE_DEVICE:
        return ZETRACE_DEVICE_MEMORY;
    case ZE_MEMORY_TYPE_SHARED:
        return ZETRACE_SHARED;
    default:
        return ZETRACE_SYSTEM;
    }
}

static struct command launch(const struct call *call)
{
    return (struct command){.what = ZETRACE_LAUNCH,
                            .name = tracker_kernel(ARGUMENT(call, ze_kernel_handle_t, 1))};
}

static struct command copy(const struct list *list, const void *to, const void *from, size_t bytes)
{
    return (struct command){.what = ZETRACE_COPY,
                            .bytes = bytes,
                            .from = memory_of(list->context, from),
                            .to = memory_of(list->context, to)};
}

static struct command fill(const struct list *list, const void *to, size_t bytes)
{
    return (struct command){
        .what = ZETRACE_FILL, .bytes = bytes, .to = memory_of(list->context, to)};
}

static size_t region_bytes(const ze_copy_region_t *region)
{
    const size_t depth = region && region->depth ? region->depth : 1;
    return region ? (size_t)region->width * region->height * depth : 0;
}

/* --- one command --- */

/* The signal event of a function stands at `place`, before the count and the array of events that
 * the command waits for. */
static void append_begin(const struct call *call, const struct list *list, size_t place,
                         struct command command)
{
    ze_event_handle_t *event = call->params[place];
    appending.command = command;
    appending.query = NULL;
    if (list->silent) {
        return;
    }
    if (command.what == ZETRACE_LAUNCH) {
        appending.query = measure_kernel_begin(list->context, list->device,
                                               ARGUMENT(call, ze_command_list_handle_t, 0));
    }
    if (*event) {
        if (list->immediate) {
            watch_settle(*event);
        }
        return;
    }
    appending.timer = timer_take(list->timers);
    if (appending.timer) {
        *event = appending.timer->event;
    }
}

static void recording_add(struct recording *recording, const struct recorded *recorded)
{
    if (recording->count == recording->room) {
        const size_t room = recording->room ? 2 * recording->room : 16;
        struct recorded *larger = realloc(recording->commands, room * sizeof(*larger));
        if (!larger) { /* the event stays in the list and is never used again */
            return;
        }
        recording->commands = larger;
        recording->room = room;
    }
    recording->commands[recording->count++] = *recorded;
    recording->timers += recorded->timer != NULL;
    recording->queries += recorded->query != NULL;
}

static void append_end(const struct call *call, struct list *list, size_t place)
{
    const ze_event_handle_t event = ARGUMENT(call, ze_event_handle_t, place);
    struct timer *timer = appending.timer;
    struct query *query = appending.query;
    appending.timer = NULL;
    appending.query = NULL;
    if (query) {
        query = measure_kernel_end(query, ARGUMENT(call, ze_command_list_handle_t, 0),
                                   call->result == ZE_RESULT_SUCCESS && event);
    }
    if (call->result != ZE_RESULT_SUCCESS) {
        if (timer) {
            timer_put(timer);
        }
        return;
    }
    if (!event || list->silent) {
        watch_untimed(1);
    } else if (list->immediate) {
        const struct submission submission = {list->device, list->timers, list->stream,
                                              spool_thread(), call->begin};
        watch_add(&submission, &appending.command, event, timer, query);
        watch_harvest(false);
    } else {
        recording_add(list->recording, &(struct recorded){appending.command, event, timer, query});
    }
}

/* A pair of handlers for a function whose signal event is at `place`; `what` makes its command. */
#define COMMAND(name, place, what)                                                                 \
    static void name##_before(const struct call *call)                                             \
    {                                                                                              \
        tracker_lock();                                                                            \
        const struct list *list = tracker_list(ARGUMENT(call, ze_command_list_handle_t, 0));       \
        if (list) {                                                                                \
            append_begin(call, list, place, what);                                                 \
        }                                                                                          \
        tracker_unlock();                                                                          \
    }                                                                                              \
    static void name##_after(const struct call *call)                                              \
    {                                                                                              \
        tracker_lock();                                                                            \
        struct list *list = tracker_list(ARGUMENT(call, ze_command_list_handle_t, 0));             \
        if (list) {                                                                                \
            append_end(call, list, place);                                                         \
        }                                                                                          \
        tracker_unlock();                                                                          \
    }

#define POINTER(place) ARGUMENT(call, const void *, place)
#define SIZE(place)    ARGUMENT(call, size_t, place)
#define REGION(place)  region_bytes(ARGUMENT(call, const ze_copy_region_t *, place))
#define OTHER(kind)    ((struct command){.what = kind, .name = call->index})

COMMAND(launch_plain, 3, launch(call))
COMMAND(launch_parameters, 4, launch(call))
COMMAND(launch_arguments, 6, launch(call))
COMMAND(launch_several, 5, OTHER(ZETRACE_OTHER))
COMMAND(copy_plain, 4, copy(list, POINTER(1), POINTER(2), SIZE(3)))
COMMAND(copy_parameters, 5, copy(list, POINTER(1), POINTER(2), SIZE(3)))
COMMAND(copy_context, 5, copy(list, POINTER(1), POINTER(3), SIZE(4)))
COMMAND(copy_region, 9, copy(list, POINTER(1), POINTER(5), REGION(2)))
COMMAND(fill_plain, 5, fill(list, POINTER(1), SIZE(4)))
COMMAND(fill_parameters, 6, fill(list, POINTER(1), SIZE(4)))
COMMAND(image_copy, 3, OTHER(ZETRACE_IMAGE))
COMMAND(image_region, 5, OTHER(ZETRACE_IMAGE))
COMMAND(image_memory, 4, OTHER(ZETRACE_IMAGE))
COMMAND(image_pitched, 6, OTHER(ZETRACE_IMAGE))
COMMAND(graph, 3, OTHER(ZETRACE_OTHER))
COMMAND(host_function, 4, OTHER(ZETRACE_OTHER))

/* --- executions --- */

static void lists_prepare(uint32_t count, const ze_command_list_handle_t *handles)
{
    tracker_lock();
    for (uint32_t i = 0; handles && i < count; i++) {
        const struct list *list = tracker_list(handles[i]);
        if (list && list->recording) {
            run_prepare(list->recording);
        }
    }
    tracker_unlock();
}

static void execute_before(const struct call *call)
{
    lists_prepare(ARGUMENT(call, uint32_t, 1), ARGUMENT(call, const ze_command_list_handle_t *, 2));
}

static void execute_after(const struct call *call)
{
    const ze_command_queue_handle_t handle = ARGUMENT(call, ze_command_queue_handle_t, 0);
    const uint32_t count = ARGUMENT(call, uint32_t, 1);
    const ze_command_list_handle_t *lists = ARGUMENT(call, const ze_command_list_handle_t *, 2);
    tracker_lock();
    const struct queue *queue = tracker_queue(handle);
    for (uint32_t i = 0; queue && call->result == ZE_RESULT_SUCCESS && i < count; i++) {
        const struct list *list = tracker_list(lists[i]);
        if (list && list->recording) {
            const struct submission submission = {queue->device, queue->timers, queue->stream,
                                                  spool_thread(), call->begin};
            run_add_queue(&submission, list->recording, handle, queue->ordinal);
        }
    }
    watch_harvest(true);
    tracker_unlock();
}

static void execute_immediate_before(const struct call *call)
{
    execute_before(call);
}

/* On a list that is not in order a copy of the times could come before them. */
static void execute_immediate_after(const struct call *call)
{
    const ze_command_list_handle_t handle = ARGUMENT(call, ze_command_list_handle_t, 0);
    const uint32_t count = ARGUMENT(call, uint32_t, 1);
    const ze_command_list_handle_t *lists = ARGUMENT(call, const ze_command_list_handle_t *, 2);
    tracker_lock();
    const struct list *immediate = tracker_list(handle);
    for (uint32_t i = 0; immediate && call->result == ZE_RESULT_SUCCESS && i < count; i++) {
        const struct list *list = tracker_list(lists[i]);
        if (!list || !list->recording) {
            continue;
        }
        const struct submission submission = {immediate->device, immediate->timers,
                                              immediate->stream, spool_thread(), call->begin};
        if (immediate->in_order && !immediate->silent) {
            run_add_list(&submission, list->recording, handle);
        } else {
            watch_untimed((uint32_t)list->recording->count);
        }
    }
    watch_harvest(true);
    tracker_unlock();
}

#define BOTH(name) name##_before, name##_after

const struct handler append_handlers[] = {
    {"zeCommandListAppendLaunchKernel", BOTH(launch_plain)},
    {"zeCommandListAppendLaunchCooperativeKernel", BOTH(launch_plain)},
    {"zeCommandListAppendLaunchKernelIndirect", BOTH(launch_plain)},
    {"zeCommandListAppendLaunchKernelWithParameters", BOTH(launch_parameters)},
    {"zeCommandListAppendLaunchKernelWithArguments", BOTH(launch_arguments)},
    {"zeCommandListAppendLaunchMultipleKernelsIndirect", BOTH(launch_several)},
    {"zeCommandListAppendMemoryCopy", BOTH(copy_plain)},
    {"zeCommandListAppendMemoryCopyWithParameters", BOTH(copy_parameters)},
    {"zeCommandListAppendMemoryCopyFromContext", BOTH(copy_context)},
    {"zeCommandListAppendMemoryCopyRegion", BOTH(copy_region)},
    {"zeCommandListAppendMemoryFill", BOTH(fill_plain)},
    {"zeCommandListAppendMemoryFillWithParameters", BOTH(fill_parameters)},
    {"zeCommandListAppendImageCopy", BOTH(image_copy)},
    {"zeCommandListAppendImageCopyRegion", BOTH(image_region)},
    {"zeCommandListAppendImageCopyToMemory", BOTH(image_memory)},
    {"zeCommandListAppendImageCopyFromMemory", BOTH(image_memory)},
    {"zeCommandListAppendImageCopyToMemoryExt", BOTH(image_pitched)},
    {"zeCommandListAppendImageCopyFromMemoryExt", BOTH(image_pitched)},
    {"zeRTASBuilderCommandListAppendCopyExt", BOTH(copy_plain)},
    {"zeCommandListAppendGraphExt", BOTH(graph)},
    {"zeCommandListAppendHostFunction", BOTH(host_function)},
    {"zeCommandQueueExecuteCommandLists", BOTH(execute)},
    {"zeCommandListImmediateAppendCommandListsExp", BOTH(execute_immediate)},
    {"zeCommandListImmediateAppendCommandListsWithParameters", BOTH(execute_immediate)},
    {NULL, NULL, NULL},
};
