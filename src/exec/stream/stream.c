/* In-order streams. See stream.h.
 *
 * The shard's lock protects queue and state. Only the thread that made the stream RUNNING touches
 * the position. A ticket is the number of a submission, and `completed` is an event slot that
 * counts finished ones. So waiting for a submission is waiting for an event.
 *
 * `completed` is raised after the last access to a batch and its fence, in the same locked section
 * that makes the stream IDLE. A thread that sees its ticket done may free both, and destroy the
 * stream. */
#include "exec/stream/stream.h"

#include "base/assert.h"
#include "base/log.h"
#include "exec/crew/seat.h"
#include "exec/record/execute.h"
#include "exec/record/semaphore.h"
#include "exec/thread/fault.h"
#include "exec/wait/slot.h"

#include <pthread.h>
#include <stdlib.h>

#define ALL_TICKETS UINT64_MAX

/* A stream; owned by its driver object. */
struct geo_backend_stream {
    struct geo_event_slot completed;
    struct geo_task task;
    /* protected by the shard's lock */
    struct geo_batch *head, *tail;
    _Atomic uint64_t submitted;
    /* Owned by the thread that runs the stream. Written only when a record waits, so that
     * submitting and running threads can share this cache line. */
    _Alignas(GEO_CACHE_LINE) struct geo_runner runner;
    const struct geo_command *position; /* next record of head; NULL: its first */
    uint32_t wait_index;                /* waits of that record that are over */
    uint32_t point_index;               /* semaphore points of that record that are over */
    struct geo_park park;
    _Atomic uint32_t error; /* ze_result_t of the first failure that loses no work */
    _Atomic uint32_t lost;  /* set by faults if the runner has no sink of its own */
    struct geo_meter meter;
    /* list of all streams, protected by streams_lock */
    struct geo_backend_stream *next, *previous;
};

/* The goal of a thread that runs a stream: an event, for which it runs submissions up to a
 * ticket. */
struct goal {
    struct geo_event_ref event;
    uint64_t ticket;
};

static struct geo_lock streams_lock;
static struct geo_backend_stream *streams;

/* Returns whether state, queue and tickets agree. The shard's lock is held. */
static bool stream_is_valid_locked(const struct geo_backend_stream *stream)
{
    const bool idle = atomic_load(&stream->task.state) == GEO_TASK_IDLE;
    return geo_lock_held(&stream->task.shard->lock) && idle == (stream->head == NULL) &&
           idle == (stream->tail == NULL) && (idle || !stream->tail->link.next) &&
           atomic_load(&stream->completed.value) <= atomic_load(&stream->submitted);
}

/* Returns whether a stream's neighbours in the list of all streams refer to it. */
static bool stream_is_listed(const struct geo_backend_stream *stream)
{
    return geo_lock_held(&streams_lock) &&
           (stream->previous ? stream->previous->next : streams) == stream &&
           (!stream->next || stream->next->previous == stream);
}

static bool stream_is_running(const struct geo_backend_stream *stream)
{
    return atomic_load(&stream->task.state) == GEO_TASK_RUNNING;
}

static void stream_fail(struct geo_backend_stream *stream, ze_result_t result)
{
    uint32_t none = ZE_RESULT_SUCCESS;
    if (result != ZE_RESULT_ERROR_DEVICE_LOST) { /* a lost device was reported already */
        atomic_compare_exchange_strong(&stream->error, &none, (uint32_t)result);
    }
}

static bool stream_lost(const struct geo_backend_stream *stream)
{
    return __builtin_expect(geo_runner_lost(&stream->runner), 0);
}

static ze_result_t stream_result(struct geo_backend_stream *stream)
{
    if (stream_lost(stream)) {
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    if (__builtin_expect(
            atomic_load_explicit(&stream->error, memory_order_relaxed) == ZE_RESULT_SUCCESS, 1)) {
        return ZE_RESULT_SUCCESS;
    }
    return (ze_result_t)atomic_exchange(&stream->error, ZE_RESULT_SUCCESS); /* reported once */
}

static void own_fault(void *owner, const struct geo_fault *fault)
{
    struct geo_backend_stream *stream = owner;
    (void)fault;
    atomic_store(&stream->lost, 1);
}

/* ---- running ---- */

static void stream_unpark(struct geo_park *park)
{
    struct geo_backend_stream *stream =
        (struct geo_backend_stream *)((uint8_t *)park - offsetof(struct geo_backend_stream, park));
    GEO_ASSERT(atomic_load(&stream->task.state) == GEO_TASK_PARKED);
    struct geo_lock *lock = &stream->task.shard->lock;
    struct geo_crew *crew = &stream->runner.executor->crew;
    geo_lock_acquire(lock);
    geo_task_ready_locked(&stream->task, true);
    geo_crew_ref(crew); /* from here on the stream may run and be destroyed, with its device */
    geo_lock_release(lock);
    geo_crew_notify(crew);
    geo_crew_unref(crew);
}

static void stream_set_state(struct geo_backend_stream *stream, enum geo_task_state state)
{
    struct geo_lock *lock = &stream->task.shard->lock;
    geo_lock_acquire(lock);
    geo_task_set_state_locked(&stream->task, state);
    GEO_ASSERT(stream_is_valid_locked(stream));
    geo_lock_release(lock);
}

/* Reports that the event that a record waited for belongs to lost work. */
static void stream_inherit_loss(const struct geo_backend_stream *stream)
{
    const struct geo_fault fault = {
        .operation = GEO_COMMAND_WAIT_EVENTS,
        .reason = "it waited for work that was lost in another context or process",
    };
    geo_runner_fault(&stream->runner, &fault);
}

/* Parks the stream at a record until the event. Returns false if it is parked, and not ours any
 * more. */
static bool stream_park(struct geo_backend_stream *stream, const struct geo_command *command,
                        uint32_t wait_index, struct geo_event_ref event)
{
    GEO_ASSERT(stream_is_running(stream) && wait_index <= command->wait_count);
    stream->position = command;
    stream->wait_index = wait_index;
    stream->park.ref = event;
    stream_set_state(stream, GEO_TASK_PARKED);
    if (geo_slot_park(&stream->park)) {
        return false;
    }
    stream_set_state(stream, GEO_TASK_RUNNING);
    return true;
}

/* Passes the waits of a record. Returns false if the stream was parked, and is not ours any
 * more. */
static bool stream_pass_waits(struct geo_backend_stream *stream, const struct geo_batch *batch,
                              const struct geo_command *command)
{
    const struct geo_event_ref *waits = geo_command_waits(command);
    for (uint32_t i = stream->wait_index; i < command->wait_count && !stream_lost(stream); i++) {
        struct geo_event_ref wait = geo_command_event_resolve(waits[i], batch->bases);
        if (geo_command_event_reached(&wait)) {
            if (geo_command_event_lost(&wait)) {
                stream_inherit_loss(stream);
            }
            continue;
        }
        if (!stream_park(stream, command, i, wait)) {
            return false;
        }
        i--; /* look at it again: it is complete or lost */
    }
    stream->wait_index = 0;
    return true;
}

static void semaphore_gone(const struct geo_backend_stream *stream)
{
    const struct geo_fault fault = {
        .operation = GEO_COMMAND_WAIT_SEMAPHORES,
        .reason = "the descriptor of an external semaphore was closed",
    };
    geo_runner_fault(&stream->runner, &fault);
}

/* Passes the semaphore waits of a record, with the same result. Points taken before the stream is
 * parked stay taken. */
static bool stream_pass_semaphores(struct geo_backend_stream *stream,
                                   const struct geo_command_semaphores *command)
{
    const struct geo_semaphore_point *points = geo_command_points(command);
    uint32_t i = stream->point_index;
    while (i < command->point_count && !stream_lost(stream)) {
        struct geo_event_ref missing;
        enum geo_semaphore_state state = geo_semaphore_take(&points[i], &missing);
        if (state == GEO_SEMAPHORE_PASSED) {
            i++;
        } else if (state == GEO_SEMAPHORE_GONE) {
            semaphore_gone(stream);
        } else {
            stream->point_index = i;
            if (!stream_park(stream, &command->header, command->header.wait_count, missing)) {
                return false;
            }
        }
    }
    stream->point_index = 0;
    return true;
}

/* Adds to a counter of the application. A counter cannot say that work was lost; its context
 * does. */
static void signal_add(const struct geo_backend_stream *stream, const struct geo_event_ref *signal)
{
    if (!geo_slot_add(signal)) {
        const struct geo_fault fault = {
            .operation = GEO_COMMAND_EVENT_SIGNAL,
            .address = (uintptr_t)signal->slot,
            .reason = "the counter of an event is in memory that was freed",
        };
        geo_runner_fault(&stream->runner, &fault);
    }
}

/* Raises the record's signal, the last step whether it ran or was skipped. */
static void signal_raise(const struct geo_backend_stream *stream, struct geo_event_ref signal)
{
    if (__builtin_expect(signal.value & GEO_EVENT_EXTERNAL, 0)) {
        signal_add(stream, &signal);
        return;
    }
    if (stream_lost(stream)) {
        geo_slot_mark_lost(signal);
    }
    geo_slot_raise(signal);
}

static void command_skip(const struct geo_backend_stream *stream, const struct geo_command *command)
{
    if (command->operation == GEO_COMMAND_EVENT_SIGNAL) {
        signal_raise(stream, ((const struct geo_command_event *)command)->event);
    } else if (command->operation == GEO_COMMAND_SIGNAL_SEMAPHORES) {
        (void)geo_semaphores_signal((const struct geo_command_semaphores *)command,
                                    &stream->runner);
    }
}

/* Handles a record that did not simply succeed. Returns false if the stream was parked. */
static bool command_settle(struct geo_backend_stream *stream, const struct geo_command *command,
                           ze_result_t result)
{
    if (result == ZE_RESULT_NOT_READY) {
        return stream_pass_semaphores(stream, (const struct geo_command_semaphores *)command);
    }
    stream_fail(stream, result);
    return true;
}

/* Returns whether a batch has a record at this address, or ends there. */
static bool batch_has(const struct geo_batch *batch, const struct geo_command *command)
{
    const uint8_t *first = (const uint8_t *)batch->first, *at = (const uint8_t *)command;
    return at >= first && at <= first + batch->bytes;
}

/* Counts a batch whose first record is about to run. Its time of submission is known if it was
 * submitted while meters had users. */
static void batch_count(const struct geo_backend_stream *stream, const struct geo_batch *batch,
                        const struct geo_exec_worker *worker)
{
    const uint64_t submitted = (uint64_t)(uintptr_t)batch->link.opaque[2];
    if ((uint64_t)(uintptr_t)batch->link.opaque[3] != batch->link.ticket) {
        return;
    }
    geo_meter_turn();
    geo_meter_add(&stream->runner, worker, GEO_COUNT_SUBMISSIONS, 1);
    geo_meter_add(&stream->runner, worker, GEO_COUNT_WAIT_NS,
                  geo_ticks_to_ns(geo_machine_ticks() - submitted));
}

/* Runs the head batch from `position` on. Returns false if the stream was parked. */
static bool batch_run(struct geo_backend_stream *stream, const struct geo_batch *batch,
                      struct geo_exec_worker *worker)
{
    const struct geo_command *command = stream->position ? stream->position : batch->first;
    GEO_ASSERT(batch_has(batch, command));
    if (geo_meter_on() && !stream->position) {
        batch_count(stream, batch, worker);
    }
    const uint8_t *end = (const uint8_t *)batch->first + batch->bytes;
    for (; (const uint8_t *)command < end; command = geo_command_next(command)) {
        if (command->wait_count != 0 && !stream_pass_waits(stream, batch, command)) {
            return false;
        }
        if (stream_lost(stream)) {
            command_skip(stream, command);
        } else {
            ze_result_t result = geo_execute(command, &stream->runner, worker);
            if (__builtin_expect(result != ZE_RESULT_SUCCESS, 0) &&
                !command_settle(stream, command, result)) {
                return false;
            }
        }
        if (command->signal.slot) {
            /* loaded in two halves: both were just stored, and one wide load would stall on the two
             * stores */
            struct geo_event_ref signal = {command->signal.slot, command->signal.value};
            if (__builtin_expect(signal.value & GEO_EVENT_RELATIVE, 0)) {
                signal = geo_command_event_resolve(signal, batch->bases);
            }
            signal_raise(stream, signal);
        }
    }
    if (stream->position) {
        stream->position = NULL;
    }
    return true;
}

/* Removes the finished head and decides the stream's next state. Returns true if we go on with the
 * next batch. The thread's busy time is added before anyone sees the batch finished. */
static bool batch_finish(struct geo_backend_stream *stream, struct geo_batch *batch,
                         struct geo_exec_worker *worker, const struct goal *goal)
{
    struct geo_event_ref done = {.slot = batch->link.opaque[0],
                                 .value = (uint64_t)(uintptr_t)batch->link.opaque[1]};
    geo_busy_with(&worker->busy, GEO_BUSY_NOT);
    if (done.slot) {
        geo_slot_raise(done);
    }
    struct geo_lock *lock = &stream->task.shard->lock;
    _Atomic uint32_t *futex = (_Atomic uint32_t *)(void *)&stream->completed.value;
    uint64_t ticket = batch->link.ticket;
    struct geo_crew *crew = &stream->runner.executor->crew;
    bool go_on = false, hand_over = false;
    bool enough = goal && (ticket >= goal->ticket || geo_command_event_complete(&goal->event));
    geo_lock_acquire(lock);
    GEO_ASSERT(stream_is_running(stream) && stream->head == batch);
    stream->head = batch->link.next;
    if (!stream->head) {
        stream->tail = NULL;
        geo_task_set_state_locked(&stream->task, GEO_TASK_IDLE);
    } else if (enough || (!worker->guest && geo_crew_seat_pressed(worker))) {
        geo_task_ready_locked(&stream->task, true);
        hand_over = true;
    } else {
        go_on = true;
    }
    uint64_t before =
        atomic_exchange_explicit(&stream->completed.value, ticket, memory_order_seq_cst);
    GEO_ASSERT(before + 1 == ticket && stream_is_valid_locked(stream));
    bool wake = atomic_load_explicit(&stream->completed.sleepers, memory_order_seq_cst) != 0;
    geo_lock_release(lock);
    if (wake) {
        geo_futex_wake(futex, INT_MAX, false); /* by address: the stream may be destroyed already */
    }
    if (hand_over) {
        geo_crew_notify(crew);
    }
    return go_on;
}

/* Runs the stream, which is RUNNING and ours, until it is empty, parked, or the goal (may be NULL)
 * is reached. It is not ours any more on return. */
static void stream_run(struct geo_backend_stream *stream, struct geo_exec_worker *worker,
                       const struct goal *goal)
{
    struct geo_batch *batch;
    do {
        GEO_ASSERT(stream_is_running(stream) && stream->head);
        batch = stream->head;
        if (!batch_run(stream, batch, worker)) {
            return;
        }
    } while (batch_finish(stream, batch, worker, goal));
}

static void stream_task_run(struct geo_task *task, struct geo_exec_worker *worker)
{
    struct geo_backend_stream *stream =
        (struct geo_backend_stream *)((uint8_t *)task - offsetof(struct geo_backend_stream, task));
    stream_run(stream, worker, NULL);
}

/* ---- operations ---- */

static void stream_reset(struct geo_backend_stream *stream, uint32_t priority)
{
    geo_task_init(&stream->task, &stream->runner.executor->tasks, priority, stream_task_run);
    stream->head = stream->tail = NULL;
    stream->position = NULL;
    stream->wait_index = 0;
    stream->point_index = 0;
    atomic_store(&stream->meter.queried, false);
    stream->park.unpark = stream_unpark;
    stream->park.lost = stream->runner.faults.lost;
    atomic_store(&stream->completed.value, atomic_load(&stream->submitted));
    atomic_store(&stream->completed.sleepers, 0);
}

ze_result_t geo_exec_stream_create(const struct geo_runner *runner, uint32_t priority,
                                   struct geo_backend_stream **out)
{
    size_t bytes = (sizeof(struct geo_backend_stream) + 63) & ~(size_t)63;
    geo_fault_open();
    struct geo_backend_stream *stream = aligned_alloc(64, bytes);
    if (!stream) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *stream = (struct geo_backend_stream){.runner = *runner};
    stream->runner.meter = &stream->meter;
    if (!stream->runner.faults.lost) {
        stream->runner.faults = (struct geo_fault_sink){&stream->lost, own_fault, stream};
    }
    stream_reset(stream, priority);
    geo_lock_acquire(&streams_lock);
    stream->next = streams;
    if (streams) {
        streams->previous = stream;
    }
    streams = stream;
    GEO_ASSERT(stream_is_listed(stream));
    geo_lock_release(&streams_lock);
    *out = stream;
    return ZE_RESULT_SUCCESS;
}

/* (shard's lock held) Appends a batch and returns its ticket. */
static uint64_t batch_append_locked(struct geo_backend_stream *stream, struct geo_batch *batch,
                                    struct geo_event_ref done)
{
    GEO_ASSERT(stream_is_valid_locked(stream));
    uint64_t ticket = atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1;
    atomic_store_explicit(&stream->submitted, ticket, memory_order_relaxed);
    batch->link.next = NULL;
    batch->link.ticket = ticket;
    batch->link.opaque[0] = done.slot;
    batch->link.opaque[1] = (void *)(uintptr_t)done.value;
    if (geo_meter_on()) {
        batch->link.opaque[2] = (void *)(uintptr_t)geo_machine_ticks();
        batch->link.opaque[3] = (void *)(uintptr_t)ticket;
    }
    if (stream->tail) {
        stream->tail->link.next = batch;
    } else {
        stream->head = batch;
    }
    stream->tail = batch;
    return ticket;
}

static bool stream_idle_locked(const struct geo_backend_stream *stream)
{
    return atomic_load_explicit(&stream->task.state, memory_order_relaxed) == GEO_TASK_IDLE;
}

ze_result_t geo_exec_stream_submit(struct geo_backend_stream *stream, struct geo_batch *batch,
                                   struct geo_event_ref done, uint64_t *ticket)
{
    struct geo_lock *lock = &stream->task.shard->lock;
    struct geo_crew *crew = &stream->runner.executor->crew;
    bool was_idle;
    geo_lock_acquire(lock);
    uint64_t number = batch_append_locked(stream, batch, done);
    was_idle = stream_idle_locked(stream);
    if (was_idle) {
        geo_task_ready_locked(&stream->task, false);
    }
    geo_lock_release(lock);
    if (ticket) {
        *ticket = number;
    }
    if (was_idle) {
        geo_crew_notify(crew);
    }
    if (geo_reactor_missing()) {
        geo_reactor_stand_in();
    }
    return ZE_RESULT_SUCCESS;
}

static uint64_t stream_submitted(const struct geo_backend_stream *stream)
{
    return atomic_load_explicit(&stream->submitted, memory_order_relaxed);
}

static bool stream_done(const struct geo_backend_stream *stream, uint64_t ticket)
{
    return atomic_load_explicit(&stream->completed.value, memory_order_acquire) >= ticket;
}

/* Makes a READY stream RUNNING for this thread. */
static bool stream_claim(struct geo_backend_stream *stream)
{
    struct geo_lock *lock = &stream->task.shard->lock;
    if (atomic_load_explicit(&stream->task.state, memory_order_relaxed) != GEO_TASK_READY) {
        return false;
    }
    geo_lock_acquire(lock);
    bool ready = atomic_load_explicit(&stream->task.state, memory_order_relaxed) == GEO_TASK_READY;
    if (ready) {
        geo_task_claim_locked(&stream->task);
    }
    geo_lock_release(lock);
    return ready;
}

/* Runs the stream, or helps the thread that runs it, until the goal is reached or there was nothing
 * to do for the spin time. If tasks of higher priority are ready, the stream is left to the
 * workers, which keep the order. */
static void stream_help(struct geo_backend_stream *stream, const struct goal *goal)
{
    struct geo_executor *executor = stream->runner.executor;
    struct geo_exec_worker *guest = geo_guest_acquire();
    if (!guest) {
        return;
    }
    uint64_t start = geo_machine_ticks();
    while (!geo_command_event_complete(&goal->event)) {
        bool more = !stream_done(stream, goal->ticket);
        if (more && !geo_executor_outranks(executor, stream->task.priority) &&
            stream_claim(stream)) {
            stream_run(stream, guest, goal);
            start = geo_machine_ticks();
        } else if (more && geo_exec_job_wanting(&executor->jobs) &&
                   geo_exec_job_help(&executor->jobs, guest, &stream->runner)) {
            start = geo_machine_ticks();
        } else {
            geo_busy_with(&guest->busy, GEO_BUSY_NOT);
            if (geo_ticks_to_ns(geo_machine_ticks() - start) > geo_executor_spin_ns(executor)) {
                break;
            }
        }
        geo_machine_pause();
    }
    geo_guest_release(guest);
    geo_crews_settle();
}

/* Waits without a time limit, or until *lost is set, and runs the stream whenever no other thread
 * does. It looks again regularly, so that work proceeds even in a process that can start no thread.
 * Lost work gets one such period to raise its signals. */
static void goal_wait(struct geo_backend_stream *stream, const struct goal *goal,
                      const _Atomic uint32_t *lost)
{
    do {
        stream_help(stream, goal);
    } while (!geo_command_event_complete(&goal->event) &&
             !geo_slot_nap(&goal->event, GEO_WAIT_FOREVER) &&
             !(lost && atomic_load_explicit(lost, memory_order_acquire)));
}

ze_result_t geo_exec_stream_wait_event(struct geo_backend_stream *stream, uint64_t ticket,
                                       const struct geo_event_ref *event,
                                       const _Atomic uint32_t *lost)
{
    const struct goal goal = {.event = *event, .ticket = ticket};
    goal_wait(stream, &goal, lost);
    if (!geo_command_event_complete(event)) {
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    /* a loss of this stream is not a loss of the event, which reports its own */
    return stream_lost(stream) ? ZE_RESULT_SUCCESS : stream_result(stream);
}

ze_result_t geo_exec_stream_wait(struct geo_backend_stream *stream, uint64_t ticket,
                                 uint64_t timeout_ns)
{
    if (ticket == ALL_TICKETS) {
        ticket = stream_submitted(stream);
    }
    if (stream_done(stream, ticket)) {
        return stream_result(stream);
    }
    const struct goal goal = {{.slot = &stream->completed, .value = ticket}, ticket};
    if (timeout_ns == GEO_WAIT_FOREVER) {
        goal_wait(stream, &goal, stream->runner.faults.lost);
        return stream_result(stream);
    }
    ze_result_t result =
        geo_slot_wait(&goal.event, timeout_ns, geo_executor_spin_ns(stream->runner.executor),
                      stream->runner.faults.lost);
    return result == ZE_RESULT_SUCCESS ? stream_result(stream) : result;
}

ze_result_t geo_exec_stream_execute(struct geo_backend_stream *stream, struct geo_batch *batch,
                                    struct geo_event_ref done)
{
    struct geo_lock *lock = &stream->task.shard->lock;
    struct geo_exec_worker *guest = geo_guest_acquire();
    if (!guest) {
        uint64_t ticket;
        ze_result_t result = geo_exec_stream_submit(stream, batch, done, &ticket);
        return result == ZE_RESULT_SUCCESS ? geo_exec_stream_wait(stream, ticket, GEO_WAIT_FOREVER)
                                           : result;
    }
    geo_lock_acquire(lock);
    uint64_t ticket = batch_append_locked(stream, batch, done);
    bool ours = stream_idle_locked(stream);
    if (ours) {
        geo_task_set_state_locked(&stream->task, GEO_TASK_RUNNING);
    }
    GEO_ASSERT(stream_is_valid_locked(stream));
    geo_lock_release(lock);
    if (ours) {
        const struct goal goal = {{.slot = &stream->completed, .value = ticket}, ticket};
        stream_run(stream, guest, &goal);
    }
    geo_guest_release(guest);
    geo_crews_settle();
    return geo_exec_stream_wait(stream, ticket, GEO_WAIT_FOREVER);
}

void geo_exec_stream_destroy(struct geo_backend_stream *stream)
{
    if (!stream) {
        return;
    }
    uint64_t last = stream_submitted(stream);
    const struct goal goal = {{.slot = &stream->completed, .value = last}, last};
    goal_wait(stream, &goal, NULL);
    struct geo_lock *lock = &stream->task.shard->lock;
    geo_lock_acquire(lock); /* the thread that raised the last ticket has left the stream */
    GEO_ASSERT(stream_is_valid_locked(stream) && !stream->head);
    geo_lock_release(lock);
    geo_lock_acquire(&streams_lock);
    GEO_ASSERT(stream_is_listed(stream));
    if (stream->previous) {
        stream->previous->next = stream->next;
    } else {
        streams = stream->next;
    }
    if (stream->next) {
        stream->next->previous = stream->previous;
    }
    geo_lock_release(&streams_lock);
    free(stream);
}

bool geo_exec_stream_finished(const struct geo_backend_stream *stream, uint64_t ticket)
{
    return stream_done(stream, ticket == ALL_TICKETS ? stream_submitted(stream) : ticket);
}

void geo_exec_streams_before_fork(void)
{
    geo_lock_acquire(&streams_lock);
}

void geo_exec_streams_after_fork_parent(void)
{
    geo_lock_release(&streams_lock);
}

void geo_exec_streams_after_fork_child(void)
{
    geo_lock_reset(&streams_lock);
    for (struct geo_backend_stream *stream = streams; stream; stream = stream->next) {
        stream_reset(stream, stream->task.priority);
    }
}
