/* Commands and the queues that run them. See schedule.h. */
#include "opencl/schedule.h"

#include <signal.h>
#include <stdlib.h>

/* An event that a command waits for. */
struct geo_ocl_dependency {
    struct geo_ocl_waiter waiter; /* first: the event gives it back */
    struct geo_ocl_command *command;
    cl_event event;     /* held */
    bool passes_errors; /* the command fails if the event did; it is in the wait list */
};

bool geo_ocl_schedule_is_queue(cl_command_queue queue)
{
    return geo_ocl_object_is(queue, GEO_OCL_QUEUE);
}

/* ---- running ---- */

static void command_free(struct geo_ocl_command *command)
{
    if (command->finish) {
        command->finish(command->work);
    }
    for (size_t i = 0; i < GEO_OCL_HELD_MAX; i++) {
        geo_ocl_object_drop(command->held[i]);
    }
    for (size_t i = 0; i < command->dependency_count; i++) {
        geo_ocl_object_drop(command->dependencies[i].event);
    }
    free(command->dependencies);
    geo_ocl_object_drop(command->event);
    free(command);
}

static void in_flight_remove(cl_command_queue queue, struct geo_ocl_command *command)
{
    pthread_mutex_lock(&queue->lock);
    if (command->newer) {
        command->newer->older = command->older;
    } else {
        queue->newest = command->older;
    }
    if (command->older) {
        command->older->newer = command->newer;
    }
    if (--queue->in_flight == 0) {
        pthread_cond_broadcast(&queue->idle);
    }
    pthread_mutex_unlock(&queue->lock);
}

/* Forgets the newest command's event when it has completed: the event holds the queue, so the queue
 * must not hold it for ever. */
static void last_forget(cl_command_queue queue, cl_event event)
{
    pthread_mutex_lock(&queue->order);
    bool is_last = queue->last == event;
    queue->last = is_last ? NULL : queue->last;
    pthread_mutex_unlock(&queue->order);
    if (is_last) {
        geo_ocl_object_drop(event);
    }
}

/* Runs a command to its end. The queue may be destroyed by this. */
static void command_run(struct geo_ocl_command *command)
{
    cl_command_queue queue = command->queue;
    cl_int status =
        atomic_load(&command->failure) ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE;
    geo_ocl_event_advance(command->event, CL_RUNNING);
    if (status == CL_COMPLETE && command->run) {
        status = command->run(command, command->work);
    }
    if (command->finish) { /* before the event completes: a waiter may release what it uses */
        command->finish(command->work);
        command->finish = NULL;
    }
    geo_ocl_event_advance(command->event, status);
    last_forget(queue, command->event);
    in_flight_remove(queue, command);
    command_free(command);
}

/* Runs the oldest ready command if there is one and no other thread runs one. The lock is held,
 * and released in between. */
static bool ready_run_locked(cl_command_queue queue)
{
    struct geo_ocl_command *command = queue->ready;
    if (!command || queue->is_running) {
        return false;
    }
    queue->ready = command->next;
    queue->is_running = true;
    pthread_mutex_unlock(&queue->lock);
    command_run(command);
    pthread_mutex_lock(&queue->lock);
    queue->is_running = false;
    return true;
}

static void queue_free(cl_command_queue queue)
{
    pthread_cond_destroy(&queue->work_added);
    pthread_cond_destroy(&queue->idle);
    pthread_mutex_destroy(&queue->lock);
    pthread_mutex_destroy(&queue->order);
}

static void *queue_serve(void *object)
{
    cl_command_queue queue = object;
    pthread_mutex_lock(&queue->lock);
    while (!queue->closes) {
        struct geo_ocl_command *first = queue->ready;
        cl_command_queue held = first ? geo_ocl_object_hold(queue) : NULL;
        if (!ready_run_locked(queue) && !queue->closes) {
            pthread_cond_wait(&queue->work_added, &queue->lock);
        }
        if (held) {
            /* The command may have had the last hold but this one. */
            pthread_mutex_unlock(&queue->lock);
            geo_ocl_object_drop(held);
            pthread_mutex_lock(&queue->lock);
        }
    }
    bool is_orphan = queue->is_orphan;
    pthread_mutex_unlock(&queue->lock);
    if (is_orphan) {
        queue->has_thread = false;
        queue->base.destroy(queue);
    }
    return NULL;
}

/* ---- waiting ---- */

/* Starts the queue's thread, without signals. The lock is held. */
static void thread_start_locked(cl_command_queue queue)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    queue->has_thread = pthread_create(&queue->thread, NULL, queue_serve, queue) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Lets the queue's thread continue if commands are ready that no other thread runs. */
static void work_leave_locked(cl_command_queue queue)
{
    if (queue->ready && !queue->is_running) {
        if (!queue->has_thread) {
            thread_start_locked(queue);
        }
        pthread_cond_signal(&queue->work_added);
    }
}

cl_int geo_ocl_schedule_wait(cl_event event)
{
    cl_command_queue queue = event->queue;
    if (queue && !geo_ocl_event_is_complete(event)) {
        pthread_mutex_lock(&queue->lock);
        while (!geo_ocl_event_is_complete(event) && ready_run_locked(queue)) {
        }
        work_leave_locked(queue);
        pthread_mutex_unlock(&queue->lock);
    }
    geo_ocl_event_sleep(event);
    return atomic_load(&event->status);
}

void geo_ocl_schedule_wait_all(cl_command_queue queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->in_flight) {
        if (!ready_run_locked(queue) && queue->in_flight) {
            pthread_cond_wait(&queue->idle, &queue->lock);
        }
    }
    work_leave_locked(queue);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- queues ---- */

void geo_ocl_schedule_init(cl_command_queue queue)
{
    pthread_mutex_init(&queue->order, NULL);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->work_added, NULL);
    pthread_cond_init(&queue->idle, NULL);
}

bool geo_ocl_schedule_finish(cl_command_queue queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closes = true;
    queue->is_orphan = queue->has_thread && pthread_equal(queue->thread, pthread_self());
    pthread_cond_signal(&queue->work_added);
    bool is_orphan = queue->is_orphan;
    pthread_mutex_unlock(&queue->lock);
    if (is_orphan) {
        pthread_detach(queue->thread);
        return false;
    }
    if (queue->has_thread) {
        pthread_join(queue->thread, NULL);
    }
    queue_free(queue);
    return true;
}

/* Appends a command whose dependencies have completed. `wakes`: the queue's thread shall run it. */
static void ready_add(struct geo_ocl_command *command, bool wakes)
{
    cl_command_queue queue = command->queue;
    command->next = NULL;
    pthread_mutex_lock(&queue->lock);
    struct geo_ocl_command **end = queue->ready ? queue->ready_end : &queue->ready;
    *end = command;
    queue->ready_end = &command->next;
    if (wakes) {
        if (!queue->has_thread) {
            thread_start_locked(queue);
        }
        pthread_cond_signal(&queue->work_added);
    }
    pthread_mutex_unlock(&queue->lock);
}

/* ---- dependencies ---- */

/* Counts a dependency that has completed, or the end of the submission. The last one makes the
 * command ready. */
static void wait_end(struct geo_ocl_command *command, bool wakes)
{
    if (atomic_fetch_sub_explicit(&command->waits, 1, memory_order_acq_rel) == 1) {
        ready_add(command, wakes);
    }
}

static void dependency_done(struct geo_ocl_waiter *waiter, cl_int status)
{
    struct geo_ocl_dependency *dependency = (struct geo_ocl_dependency *)waiter;
    if (status < 0 && dependency->passes_errors) {
        atomic_store(&dependency->command->failure, status);
    }
    wait_end(dependency->command, true);
}

static void dependency_add(struct geo_ocl_command *command, cl_event event, bool passes_errors)
{
    struct geo_ocl_dependency *dependency = &command->dependencies[command->dependency_count++];
    cl_int status;
    *dependency = (struct geo_ocl_dependency){.waiter.done = dependency_done,
                                              .command = command,
                                              .event = geo_ocl_object_hold(event),
                                              .passes_errors = passes_errors};
    atomic_fetch_add_explicit(&command->waits, 1, memory_order_relaxed);
    if (!geo_ocl_event_watch(event, &dependency->waiter, &status)) {
        if (status < 0 && passes_errors) {
            atomic_store(&command->failure, status);
        }
        atomic_fetch_sub_explicit(&command->waits, 1, memory_order_relaxed);
    }
}

/* Collects what the command waits for, and adds it to those in flight. The order lock is held. */
static bool place_take(struct geo_ocl_command *command, cl_uint count, const cl_event *events)
{
    cl_command_queue queue = command->queue;
    pthread_mutex_lock(&queue->lock);
    size_t most = count + 1 + (command->waits_for_all ? queue->in_flight : 0);
    command->dependencies = calloc(most, sizeof(*command->dependencies));
    if (!command->dependencies) {
        pthread_mutex_unlock(&queue->lock);
        return false;
    }
    for (struct geo_ocl_command *other = command->waits_for_all ? queue->newest : NULL; other;
         other = other->older) {
        dependency_add(command, other->event, false);
    }
    command->older = queue->newest;
    if (queue->newest) {
        queue->newest->newer = command;
    }
    queue->newest = command;
    queue->in_flight++;
    pthread_mutex_unlock(&queue->lock);
    if (queue->last) {
        dependency_add(command, queue->last, false);
    }
    for (cl_uint i = 0; i < count; i++) {
        dependency_add(command, events[i], true);
    }
    if (command->is_barrier || !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        geo_ocl_object_drop(queue->last);
        queue->last = geo_ocl_object_hold(command->event);
    }
    return true;
}

/* ---- commands ---- */

cl_int geo_ocl_schedule_check(cl_command_queue queue, cl_uint count, const cl_event *events)
{
    if (!geo_ocl_schedule_is_queue(queue)) {
        return CL_INVALID_COMMAND_QUEUE;
    }
    if ((count == 0) != (events == NULL)) {
        return CL_INVALID_EVENT_WAIT_LIST;
    }
    for (cl_uint i = 0; i < count; i++) {
        if (!geo_ocl_event_is(events[i])) {
            return CL_INVALID_EVENT_WAIT_LIST;
        }
        if (events[i]->context != queue->context) {
            return CL_INVALID_CONTEXT;
        }
    }
    return CL_SUCCESS;
}

struct geo_ocl_command *geo_ocl_schedule_command(cl_command_queue queue, cl_command_type type,
                                                 size_t work_bytes)
{
    struct geo_ocl_command *command = calloc(1, sizeof(*command) + work_bytes);
    if (!command) {
        return NULL;
    }
    command->event = geo_ocl_event_create(queue->context, queue, type, CL_QUEUED);
    if (!command->event) {
        free(command);
        return NULL;
    }
    geo_ocl_object_hold(command->event); /* beside the reference, which the application gets */
    command->queue = queue;              /* the event holds it */
    return command;
}

void geo_ocl_schedule_drop(struct geo_ocl_command *command)
{
    if (command) {
        clReleaseEvent(command->event);
        command_free(command);
    }
}

/* Appends a command of a recorder to its list. Frees the command if that fails. */
static cl_int command_record(struct geo_ocl_command *command)
{
    cl_command_queue queue = command->queue;
    cl_int result = command->run ? command->run(command, command->work) : CL_SUCCESS;
    if (result != CL_SUCCESS) {
        geo_ocl_schedule_drop(command);
        return result;
    }
    command->next = queue->recorded;
    queue->recorded = command;
    return CL_SUCCESS;
}

void geo_ocl_schedule_forget(cl_command_queue recorder)
{
    while (recorder->recorded) {
        struct geo_ocl_command *command = recorder->recorded;
        recorder->recorded = command->next;
        geo_ocl_schedule_drop(command);
    }
}

cl_int geo_ocl_schedule_submit(struct geo_ocl_command *command, cl_uint count,
                               const cl_event *events, cl_event *event, bool blocking)
{
    cl_command_queue queue = command->queue;
    if (queue->records) {
        return command_record(command);
    }
    cl_event own = geo_ocl_object_hold(command->event);
    cl_int result = CL_SUCCESS;
    atomic_init(&command->waits, 1);
    pthread_mutex_lock(&queue->order);
    bool placed = place_take(command, count, events);
    pthread_mutex_unlock(&queue->order);
    if (!placed) {
        geo_ocl_schedule_drop(command);
        geo_ocl_object_drop(own);
        return CL_OUT_OF_HOST_MEMORY;
    }
    geo_ocl_event_advance(own, CL_SUBMITTED);
    wait_end(command, !blocking);
    if (blocking) {
        cl_int status = geo_ocl_schedule_wait(own);
        result = status < 0 ? status : CL_SUCCESS;
    }
    if (event && result == CL_SUCCESS) {
        *event = own; /* the reference of its creation is the application's */
    } else {
        clReleaseEvent(own);
    }
    geo_ocl_object_drop(own);
    return result;
}
