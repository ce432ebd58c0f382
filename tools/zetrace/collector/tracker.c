/* Objects of the program, from the calls that make and end them. See tracker.h. */
#include "tracker.h"

#include "collect.h"
#include "map.h"
#include "spool.h"
#include "watch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map contexts, devices, lists, queues, kernels;
static uint32_t streams, names;
static __thread bool locked_here;

void tracker_lock(void)
{
    pthread_mutex_lock(&lock);
    locked_here = true;
}

void tracker_unlock(void)
{
    locked_here = false;
    pthread_mutex_unlock(&lock);
}

bool tracker_locked_here(void)
{
    return locked_here;
}

void tracker_forked(void)
{
    struct map *const maps[] = {&contexts, &devices, &lists, &queues, &kernels};
    pthread_mutex_init(&lock, NULL);
    locked_here = false;
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        map_clear(maps[i]);
    }
    measure_forked();
    watch_forked();
}

struct list *tracker_list(ze_command_list_handle_t list)
{
    return map_get(&lists, list);
}

struct queue *tracker_queue(ze_command_queue_handle_t queue)
{
    return map_get(&queues, queue);
}

static struct timers *context_of(ze_context_handle_t handle)
{
    struct timers *timers = map_get(&contexts, handle);
    if (!timers) {
        timers = calloc(1, sizeof(*timers));
        if (timers && !map_put(&contexts, handle, timers)) {
            free(timers);
            return NULL;
        }
        if (timers) {
            timers->context = handle;
        }
    }
    return timers;
}

static struct device *device_of(ze_device_handle_t handle)
{
    struct device *device = map_get(&devices, handle);
    if (!device) {
        device = calloc(1, sizeof(*device));
        if (device && !map_put(&devices, handle, device)) {
            free(device);
            return NULL;
        }
        if (device) {
            device_init(device, handle, (uint32_t)devices.count);
        }
    }
    return device;
}

/* --- lists --- */

static struct recording *recording_create(void)
{
    struct recording *recording = calloc(1, sizeof(*recording));
    if (recording) {
        recording->refs = 1;
    }
    return recording;
}

void recording_unref(struct recording *recording)
{
    if (!recording || --recording->refs > 0) {
        return;
    }
    run_destroy_spare(recording);
    watch_queries_end(recording);
    for (size_t i = 0; i < recording->count; i++) {
        if (recording->commands[i].timer) {
            timer_put(recording->commands[i].timer);
        }
        if (recording->commands[i].query) {
            measure_release(recording->commands[i].query);
        }
    }
    free(recording->commands);
    free(recording);
}

static void list_forget(ze_command_list_handle_t handle)
{
    struct list *list = map_remove(&lists, handle);
    if (list) {
        recording_unref(list->recording);
        free(list);
    }
}

static void list_add(ze_command_list_handle_t handle, const struct list *values)
{
    struct list *list = malloc(sizeof(*list));
    list_forget(handle);
    if (!list) {
        return;
    }
    *list = *values;
    list->stream = ++streams;
    if (!list->timers || !list->device || (!list->immediate && !list->recording) ||
        !map_put(&lists, handle, list)) {
        recording_unref(list->recording);
        free(list);
    }
}

static bool is_mutable(const void *chain)
{
    for (const ze_base_desc_t *next = chain; next; next = next->pNext) {
        if (next->stype == ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC) {
            return true;
        }
    }
    return false;
}

static void list_created(const struct call *call)
{
    const ze_context_handle_t context = ARGUMENT(call, ze_context_handle_t, 0);
    const ze_device_handle_t device = ARGUMENT(call, ze_device_handle_t, 1);
    const ze_command_list_desc_t *desc = ARGUMENT(call, const ze_command_list_desc_t *, 2);
    const ze_command_list_handle_t *out = ARGUMENT(call, ze_command_list_handle_t *, 3);
    if (call->result != ZE_RESULT_SUCCESS) {
        return;
    }
    tracker_lock();
    list_add(*out, &(struct list){.context = context,
                                  .timers = context_of(context),
                                  .device = device_of(device),
                                  .in_order = desc->flags & ZE_COMMAND_LIST_FLAG_IN_ORDER,
                                  .silent = is_mutable(desc->pNext),
                                  .recording = recording_create()});
    measure_begin(context, device_of(device));
    tracker_unlock();
}

static void immediate_created(const struct call *call)
{
    const ze_context_handle_t context = ARGUMENT(call, ze_context_handle_t, 0);
    const ze_device_handle_t device = ARGUMENT(call, ze_device_handle_t, 1);
    const ze_command_queue_desc_t *desc = ARGUMENT(call, const ze_command_queue_desc_t *, 2);
    const ze_command_list_handle_t *out = ARGUMENT(call, ze_command_list_handle_t *, 3);
    if (call->result != ZE_RESULT_SUCCESS) {
        return;
    }
    tracker_lock();
    list_add(*out, &(struct list){.context = context,
                                  .timers = context_of(context),
                                  .device = device_of(device),
                                  .immediate = true,
                                  .in_order = desc->flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER});
    measure_begin(context, device_of(device));
    tracker_unlock();
}

/* A clone has the same commands, and the same events of ours in them. */
static void list_cloned(const struct call *call)
{
    const ze_command_list_handle_t source = ARGUMENT(call, ze_command_list_handle_t, 0);
    const ze_command_list_handle_t *out = ARGUMENT(call, ze_command_list_handle_t *, 1);
    if (call->result != ZE_RESULT_SUCCESS) {
        return;
    }
    tracker_lock();
    const struct list *list = tracker_list(source);
    if (list && list->recording) {
        list->recording->refs++;
        list_add(*out, list);
    }
    tracker_unlock();
}

static void list_ending(const struct call *call)
{
    (void)call;
    tracker_lock();
    watch_harvest(true);
    tracker_unlock();
}

static void list_destroyed(const struct call *call)
{
    if (call->result == ZE_RESULT_SUCCESS) {
        tracker_lock();
        list_forget(ARGUMENT(call, ze_command_list_handle_t, 0));
        tracker_unlock();
    }
}

static void list_reset(const struct call *call)
{
    tracker_lock();
    struct list *list = tracker_list(ARGUMENT(call, ze_command_list_handle_t, 0));
    struct recording *fresh = recording_create();
    if (list && list->recording && fresh && call->result == ZE_RESULT_SUCCESS) {
        recording_unref(list->recording);
        list->recording = fresh;
    } else {
        free(fresh);
    }
    tracker_unlock();
}

static void capture_begins(const struct call *call)
{
    tracker_lock();
    struct list *list = tracker_list(ARGUMENT(call, ze_command_list_handle_t, 0));
    if (list) {
        list->silent = true;
    }
    tracker_unlock();
}

static void capture_ended(const struct call *call)
{
    tracker_lock();
    struct list *list = tracker_list(ARGUMENT(call, ze_command_list_handle_t, 0));
    if (list && call->result == ZE_RESULT_SUCCESS) {
        list->silent = false;
    }
    tracker_unlock();
}

/* --- queues, contexts, kernels --- */

static void queue_created(const struct call *call)
{
    const ze_command_queue_desc_t *desc = ARGUMENT(call, const ze_command_queue_desc_t *, 2);
    const ze_command_queue_handle_t *out = ARGUMENT(call, ze_command_queue_handle_t *, 3);
    if (call->result != ZE_RESULT_SUCCESS) {
        return;
    }
    tracker_lock();
    struct queue *queue = calloc(1, sizeof(*queue));
    if (queue) {
        queue->timers = context_of(ARGUMENT(call, ze_context_handle_t, 0));
        queue->device = device_of(ARGUMENT(call, ze_device_handle_t, 1));
        queue->ordinal = desc->ordinal;
        queue->stream = ++streams;
        measure_begin(ARGUMENT(call, ze_context_handle_t, 0), queue->device);
    }
    if (!queue || !queue->timers || !queue->device || !map_put(&queues, *out, queue)) {
        free(queue);
    }
    tracker_unlock();
}

static void queue_destroyed(const struct call *call)
{
    if (call->result == ZE_RESULT_SUCCESS) {
        tracker_lock();
        free(map_remove(&queues, ARGUMENT(call, ze_command_queue_handle_t, 0)));
        tracker_unlock();
    }
}

/* Before, for the events and lists of ours in it. */
static void context_ending(const struct call *call)
{
    tracker_lock();
    const ze_context_handle_t handle = ARGUMENT(call, ze_context_handle_t, 0);
    struct timers *timers = map_remove(&contexts, handle);
    if (timers) {
        watch_context_end(timers);
        for (size_t i = 0; i < lists.room; i++) { /* of lists that the program left there */
            struct list *list = lists.entries[i].value;
            if (list && list->timers == timers) {
                recording_unref(list->recording);
                list->recording = NULL;
                list->silent = true;
            }
        }
        timers_finish(timers);
        free(timers);
    }
    measure_context_end(handle);
    tracker_unlock();
}

uint32_t tracker_kernel(ze_kernel_handle_t kernel)
{
    char name[1024] = "?";
    size_t size = sizeof(name);
    uintptr_t number = (uintptr_t)map_get(&kernels, kernel);
    if (!number) {
        number = ++names;
        if (zeKernelGetName(kernel, &size, name) != ZE_RESULT_SUCCESS) {
            strcpy(name, "?");
        }
        spool_name(ZETRACE_KERNEL, (uint32_t)number, name);
        map_put(&kernels, kernel, (void *)number);
    }
    return (uint32_t)number;
}

static void kernel_destroyed(const struct call *call)
{
    tracker_lock();
    map_remove(&kernels, ARGUMENT(call, ze_kernel_handle_t, 0));
    tracker_unlock();
}

/* --- events: read before it is too late --- */

static void event_ending(const struct call *call)
{
    tracker_lock();
    watch_settle(ARGUMENT(call, ze_event_handle_t, 0));
    tracker_unlock();
    flags_forget(ARGUMENT(call, ze_event_handle_t, 0));
}

static void event_resetting(const struct call *call)
{
    tracker_lock();
    watch_settle(ARGUMENT(call, ze_event_handle_t, 0));
    tracker_unlock();
}

/* By an immediate list; in a regular one nothing happens yet. */
static void event_reset_appending(const struct call *call)
{
    tracker_lock();
    const struct list *list = tracker_list(ARGUMENT(call, ze_command_list_handle_t, 0));
    if (list && list->immediate) {
        watch_settle(ARGUMENT(call, ze_event_handle_t, 1));
    }
    tracker_unlock();
}

static void pool_ending(const struct call *call)
{
    (void)call;
    tracker_lock();
    watch_harvest(true);
    tracker_unlock();
}

static void waited(const struct call *call)
{
    (void)call;
    tracker_lock();
    watch_harvest(true);
    tracker_unlock();
}

static void looked(const struct call *call)
{
    (void)call;
    tracker_lock();
    watch_harvest(false);
    tracker_unlock();
}

const struct handler tracker_handlers[] = {
    {"zeCommandListCreate", NULL, list_created},
    {"zeCommandListCreateImmediate", NULL, immediate_created},
    {"zeCommandListCreateCloneExp", NULL, list_cloned},
    {"zeCommandListDestroy", list_ending, list_destroyed},
    {"zeCommandListReset", list_ending, list_reset},
    {"zeCommandListBeginGraphCaptureExt", capture_begins, NULL},
    {"zeCommandListBeginCaptureIntoGraphExt", capture_begins, NULL},
    {"zeCommandListEndGraphCaptureExt", NULL, capture_ended},
    {"zeCommandQueueCreate", NULL, queue_created},
    {"zeCommandQueueDestroy", list_ending, queue_destroyed},
    {"zeContextDestroy", context_ending, NULL},
    {"zeKernelDestroy", NULL, kernel_destroyed},
    {"zeEventPoolDestroy", pool_ending, NULL},
    {"zeEventDestroy", event_ending, NULL},
    {"zeEventHostReset", event_resetting, NULL},
    {"zeCommandListAppendEventReset", event_reset_appending, NULL},
    {"zeCommandListHostSynchronize", NULL, waited},
    {"zeCommandQueueSynchronize", NULL, waited},
    {"zeFenceHostSynchronize", NULL, waited},
    {"zeEventHostSynchronize", NULL, waited},
    {"zeEventQueryStatus", NULL, looked},
    {"zeFenceQueryStatus", NULL, looked},
    {NULL, NULL, NULL},
};
