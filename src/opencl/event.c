/* Events: the state of a command or of a user event, those who wait for it, and its callbacks.
 *
 * Callbacks of applications run on a thread of their own, because they may take locks that the
 * thread that completes a command holds. */
#include "opencl/event.h"

#include "opencl/info.h"

#include "base/fork.h"

#include <signal.h>
#include <stdlib.h>

struct geo_ocl_callback {
    struct geo_ocl_callback *next;
    cl_event event; /* held */
    cl_int trigger, status;
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
};

/* Callbacks that are due, oldest first. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t added;
    struct geo_ocl_callback *first, **end;
    bool has_thread;
} due = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, false};

static void due_lock(void)
{
    pthread_mutex_lock(&due.lock);
}

static void due_unlock(void)
{
    pthread_mutex_unlock(&due.lock);
}

/* The thread that calls callbacks is the parent's. */
static void due_child(void)
{
    due.has_thread = false;
    due.first = NULL;
    pthread_cond_init(&due.added, NULL);
    pthread_mutex_init(&due.lock, NULL);
}

static struct geo_fork_handler due_fork = {
    .order = GEO_FORK_OPENCL, .prepare = due_lock, .parent = due_unlock, .child = due_child};
GEO_FORK_AT_LOAD(due_fork)

static void callback_call(struct geo_ocl_callback *callback)
{
    callback->function(callback->event, callback->status, callback->data);
    geo_ocl_object_drop(callback->event);
    free(callback);
}

static void *callbacks_run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&due.lock);
    for (;;) {
        while (!due.first) {
            pthread_cond_wait(&due.added, &due.lock);
        }
        struct geo_ocl_callback *callback = due.first;
        due.first = callback->next;
        pthread_mutex_unlock(&due.lock);
        callback_call(callback);
        pthread_mutex_lock(&due.lock);
    }
    return NULL;
}

/* Starts a detached thread without signals. */
static bool thread_start(void *(*function)(void *))
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, function, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) {
        pthread_detach(thread);
    }
    return started;
}

/* Hands callbacks to the thread that calls them. Without a thread they are called here. */
static void callbacks_post(struct geo_ocl_callback *list)
{
    pthread_mutex_lock(&due.lock);
    due.has_thread = due.has_thread || thread_start(callbacks_run);
    bool posted = due.has_thread;
    if (posted) {
        struct geo_ocl_callback **end = due.first ? due.end : &due.first;
        *end = list;
        while (*end) {
            end = &(*end)->next;
        }
        due.end = end;
        pthread_cond_signal(&due.added);
    }
    pthread_mutex_unlock(&due.lock);
    while (!posted && list) {
        struct geo_ocl_callback *callback = list;
        list = callback->next;
        callback_call(callback);
    }
}

bool geo_ocl_event_is(cl_event event)
{
    return geo_ocl_object_is(event, GEO_OCL_EVENT);
}

bool geo_ocl_event_is_complete(const struct _cl_event *event)
{
    return atomic_load_explicit(&event->status, memory_order_acquire) <= CL_COMPLETE;
}

static void event_destroy(void *object)
{
    cl_event event = object;
    geo_ocl_object_drop(event->queue);
    geo_ocl_object_drop(event->context);
    pthread_cond_destroy(&event->completed);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

cl_event geo_ocl_event_create(cl_context context, cl_command_queue queue, cl_command_type type,
                              cl_int status)
{
    cl_event event = calloc(1, sizeof(*event));
    if (!event) {
        return NULL;
    }
    geo_ocl_object_init(event, GEO_OCL_EVENT, event_destroy);
    event->context = geo_ocl_object_hold(context);
    event->queue = geo_ocl_object_hold(queue);
    event->type = type;
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->completed, NULL);
    atomic_init(&event->status, status);
    event->times[CL_QUEUED] = geo_ocl_device_now();
    return event;
}

/* Takes the callbacks that are due at a status out of the event's list. */
static struct geo_ocl_callback *callbacks_take_locked(cl_event event, cl_int status)
{
    struct geo_ocl_callback *taken = NULL, **at = &event->callbacks;
    while (*at) {
        struct geo_ocl_callback *callback = *at;
        if (status <= callback->trigger) {
            *at = callback->next;
            callback->next = taken;
            callback->status = status < 0 ? status : callback->trigger;
            taken = callback;
        } else {
            at = &callback->next;
        }
    }
    return taken;
}

void geo_ocl_event_advance(cl_event event, cl_int status)
{
    struct geo_ocl_waiter *waiters = NULL;
    pthread_mutex_lock(&event->lock);
    event->times[status > 0 ? status : CL_COMPLETE] = geo_ocl_device_now();
    atomic_store_explicit(&event->status, status, memory_order_release);
    struct geo_ocl_callback *callbacks = callbacks_take_locked(event, status);
    if (status <= CL_COMPLETE) {
        waiters = event->waiters;
        event->waiters = NULL;
        pthread_cond_broadcast(&event->completed);
    }
    pthread_mutex_unlock(&event->lock);
    while (waiters) {
        struct geo_ocl_waiter *waiter = waiters;
        waiters = waiter->next;
        waiter->done(waiter, status);
    }
    if (callbacks) {
        callbacks_post(callbacks);
    }
}

bool geo_ocl_event_watch(cl_event event, struct geo_ocl_waiter *waiter, cl_int *status)
{
    pthread_mutex_lock(&event->lock);
    *status = atomic_load_explicit(&event->status, memory_order_relaxed);
    bool waits = *status > CL_COMPLETE;
    if (waits) {
        waiter->next = event->waiters;
        event->waiters = waiter;
    }
    pthread_mutex_unlock(&event->lock);
    return waits;
}

void geo_ocl_event_sleep(cl_event event)
{
    pthread_mutex_lock(&event->lock);
    while (!geo_ocl_event_is_complete(event)) {
        pthread_cond_wait(&event->completed, &event->lock);
    }
    pthread_mutex_unlock(&event->lock);
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *error)
{
    if (!geo_ocl_context_is(context)) {
        geo_ocl_object_error(error, CL_INVALID_CONTEXT);
        return NULL;
    }
    cl_event event = geo_ocl_event_create(context, NULL, CL_COMMAND_USER, CL_SUBMITTED);
    geo_ocl_object_error(error, event ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return event;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status)
{
    if (!geo_ocl_event_is(event) || event->queue) {
        return CL_INVALID_EVENT;
    }
    if (status > CL_COMPLETE) {
        return CL_INVALID_VALUE;
    }
    pthread_mutex_lock(&event->lock);
    bool was_set = event->is_set;
    event->is_set = true;
    pthread_mutex_unlock(&event->lock);
    if (was_set) {
        return CL_INVALID_OPERATION;
    }
    geo_ocl_object_hold(event); /* a callback may release it */
    geo_ocl_event_advance(event, status);
    geo_ocl_object_drop(event);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainEvent(cl_event event)
{
    return geo_ocl_object_retain(event, GEO_OCL_EVENT, CL_INVALID_EVENT);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
    return geo_ocl_object_release(event, GEO_OCL_EVENT, CL_INVALID_EVENT);
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size,
                                               void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_event_is(event)) {
        return CL_INVALID_EVENT;
    }
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
        return geo_ocl_info_value(&info, cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT:
        return geo_ocl_info_value(&info, cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE:
        return geo_ocl_info_value(&info, cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return geo_ocl_info_value(&info, cl_int, atomic_load(&event->status));
    case CL_EVENT_REFERENCE_COUNT:
        return geo_ocl_info_value(&info, cl_uint, geo_ocl_object_references(event));
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int trigger,
                                                   void(CL_CALLBACK *function)(cl_event, cl_int,
                                                                               void *),
                                                   void *data)
{
    if (!geo_ocl_event_is(event)) {
        return CL_INVALID_EVENT;
    }
    if (!function || (trigger != CL_SUBMITTED && trigger != CL_RUNNING && trigger != CL_COMPLETE)) {
        return CL_INVALID_VALUE;
    }
    struct geo_ocl_callback *callback = calloc(1, sizeof(*callback));
    if (!callback) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    *callback = (struct geo_ocl_callback){.event = geo_ocl_object_hold(event),
                                          .trigger = trigger,
                                          .function = function,
                                          .data = data};
    pthread_mutex_lock(&event->lock);
    callback->next = event->callbacks;
    event->callbacks = callback;
    struct geo_ocl_callback *ready = callbacks_take_locked(event, atomic_load(&event->status));
    pthread_mutex_unlock(&event->lock);
    if (ready) {
        callbacks_post(ready);
    }
    return CL_SUCCESS;
}
