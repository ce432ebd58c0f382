/* Executes one record. See execute.h. */
#include "exec/record/execute.h"

#include "base/assert.h"
#include "base/cancel.h"
#include "base/log.h"
#include "exec/record/hint.h"
#include "exec/record/semaphore.h"
#include "exec/record/transfer.h"
#include "exec/thread/fault.h"
#include "exec/thread/sync.h"
#include "exec/wait/slot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void timestamps_query(const struct geo_command_query_timestamps *query)
{
    const struct geo_timestamps *const *times =
        (const struct geo_timestamps *const *)((const uint8_t *)query + query->times_offset);
    for (uint32_t i = 0; i < query->times_count; i++) {
        ze_kernel_timestamp_result_t result = geo_command_timestamps_read(times[i]);
        uint64_t offset = query->offsets ? query->offsets[i] : i * sizeof(result);
        memcpy((uint8_t *)query->destination + offset, &result, sizeof(result));
    }
}

static void timestamps_fault(const struct geo_command *command, const struct geo_fault_scope *scope,
                             const struct geo_runner *runner)
{
    bool query = command->operation == GEO_COMMAND_QUERY_TIMESTAMPS;
    struct geo_fault fault = {
        .operation = command->operation,
        .destination = query ? ((const struct geo_command_query_timestamps *)command)->destination
                             : (void *)((const struct geo_command_timestamp *)command)->destination,
    };
    geo_log("cpu", GEO_LOG_ERROR, "timestamp: %s at address 0x%llx", geo_fault_name(scope->signal),
            (unsigned long long)scope->address);
    geo_runner_fault_caught(runner, &fault, scope);
}

/* Writes timestamps to memory of the application, which may be unmapped. */
static ze_result_t timestamps_write(const struct geo_command *command,
                                    const struct geo_runner *runner)
{
    struct geo_fault_scope scope;
    bool done = GEO_FAULT_TRY(&scope);
    if (done && command->operation == GEO_COMMAND_QUERY_TIMESTAMPS) {
        timestamps_query((const struct geo_command_query_timestamps *)command);
    } else if (done) {
        uint64_t now = geo_ticks_now();
        memcpy(((const struct geo_command_timestamp *)command)->destination, &now, sizeof(now));
    }
    geo_fault_leave(&scope);
    if (!done) {
        timestamps_fault(command, &scope, runner);
    }
    return done ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
}

/* ---- one function for each `run` of command.def ---- */

#define RUN(name, payload)                                                                         \
    static inline ze_result_t name##_run(const struct payload *command,                            \
                                         const struct geo_runner *runner,                          \
                                         struct geo_exec_worker *worker)

RUN(nothing, geo_command)
{
    (void)command, (void)runner, (void)worker;
    return ZE_RESULT_SUCCESS;
}

RUN(launch, geo_command_launch)
{
    return runner->ops->launch(command, runner, worker);
}

RUN(copy, geo_command_copy)
{
    return runner->ops->transfers ? geo_transfer_copy(command, runner, worker) : ZE_RESULT_SUCCESS;
}

RUN(region, geo_command_copy_region)
{
    return runner->ops->transfers ? geo_transfer_region(command, runner, worker)
                                  : ZE_RESULT_SUCCESS;
}

RUN(fill, geo_command_fill)
{
    return runner->ops->transfers ? geo_transfer_fill(command, runner, worker) : ZE_RESULT_SUCCESS;
}

RUN(reset, geo_command_event)
{
    (void)runner, (void)worker;
    geo_slot_clear(command->event.slot);
    return ZE_RESULT_SUCCESS;
}

RUN(signal, geo_command_event)
{
    (void)runner, (void)worker;
    geo_slot_raise(command->event);
    return ZE_RESULT_SUCCESS;
}

RUN(timestamp, geo_command_timestamp)
{
    (void)worker;
    return timestamps_write(&command->header, runner);
}

RUN(query, geo_command_query_timestamps)
{
    (void)worker;
    return timestamps_write(&command->header, runner);
}

/* Ends the process, because a host function ends its thread. The record and the stream belong to
 * this thread, and perhaps locks of a call of the program. Nobody else could finish them, so all
 * waits for the list would last for ever. */
static __attribute__((cold)) void host_exits(void *function)
{
    geo_log("cpu", GEO_LOG_ERROR,
            "zeCommandListAppendHostFunction: the host function at %p called pthread_exit: host "
            "functions must return, because the command list waits for them. The process ends",
            function);
    abort();
}

static void host_call(const struct geo_command_host_function *command)
{
    pthread_cleanup_push(host_exits, (void *)(uintptr_t)command->function);
    command->function(command->user_data);
    pthread_cleanup_pop(0);
}

RUN(host, geo_command_host_function)
{
    const uint32_t depth = geo_here.depth;
    (void)runner;
    geo_worker_fp(worker);
    geo_busy_with(&worker->busy, GEO_BUSY_NOT);
    geo_here.depth = 0;                   /* the function may wait for work that it submits */
    const int cancel = geo_cancel_hold(); /* the thread may be one of the program that waits */
    host_call(command);
    geo_cancel_restore(cancel);
    geo_busy_renew(&worker->busy);
    geo_here.depth = depth;
    return ZE_RESULT_SUCCESS;
}

RUN(hint, geo_command_range)
{
    return geo_hint(command, runner, worker);
}

RUN(semaphores_signal, geo_command_semaphores)
{
    (void)worker;
    return geo_semaphores_signal(command, runner);
}

/* The stream waits, because it may have to park. */
RUN(semaphores_wait, geo_command_semaphores)
{
    (void)command, (void)runner, (void)worker;
    return ZE_RESULT_NOT_READY;
}

RUN(metric, geo_command_metric)
{
    return runner->ops->metric ? runner->ops->metric(command, runner, worker) : ZE_RESULT_SUCCESS;
}

static ze_result_t command_run(const struct geo_command *command, const struct geo_runner *runner,
                               struct geo_exec_worker *worker)
{
    switch ((enum geo_command_operation)command->operation) {
#define GEO_COMMAND(operation, payload, name, run, dump, fault, capture)                           \
    case GEO_COMMAND_##operation:                                                                  \
        return run##_run((const struct payload *)command, runner, worker);
#include "backend/command.def"
#undef GEO_COMMAND
    case GEO_COMMAND_OPERATION_COUNT:
        break;
    }
    return ZE_RESULT_SUCCESS;
}

/* Runs a record, and writes when it ran or counts it. */
static __attribute__((noinline)) ze_result_t command_measure(const struct geo_command *command,
                                                             const struct geo_runner *runner,
                                                             struct geo_exec_worker *worker)
{
    uint64_t start = geo_ticks_now();
    ze_result_t result = command_run(command, runner, worker);
    uint64_t end = geo_ticks_now();
    if (command->flags & GEO_COMMAND_PROFILE) {
        GEO_ASSERT(command->profile);
        geo_command_timestamps_write(command->profile, start, end);
    }
    if (geo_meter_on() && result == ZE_RESULT_SUCCESS) {
        geo_meter_command(command, runner, worker, start, end);
    }
    return result;
}

ze_result_t geo_execute(const struct geo_command *command, const struct geo_runner *runner,
                        struct geo_exec_worker *worker)
{
    GEO_ASSERT(command->operation < GEO_COMMAND_OPERATION_COUNT);
    const uint32_t users = atomic_load_explicit(&geo_meter_users, memory_order_relaxed);
    if (__builtin_expect(((command->flags & GEO_COMMAND_PROFILE) | users) == 0, 1)) {
        return command_run(command, runner, worker);
    }
    return command_measure(command, runner, worker);
}
