/* Executes one record. See execute.h. */
#include "exec/execute.h"

#include "base/cancel.h"
#include "base/log.h"
#include "exec/fault.h"
#include "exec/hint.h"
#include "exec/semaphore.h"
#include "exec/slot.h"
#include "exec/sync.h"
#include "exec/transfer.h"

#include <string.h>

static void timestamps_query(const struct geo_command_query_timestamps *query)
{
    const struct geo_timestamps *const *times =
        (const struct geo_timestamps *const *)((const uint8_t *)query + query->times_offset);
    for (uint32_t i = 0; i < query->times_count; i++) {
        ze_kernel_timestamp_result_t result = geo_timestamps_read(times[i]);
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
        uint64_t now = geo_device_ticks();
        memcpy(((const struct geo_command_timestamp *)command)->destination, &now, sizeof(now));
    }
    geo_fault_leave(&scope);
    if (!done) {
        timestamps_fault(command, &scope, runner);
    }
    return done ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
}

static ze_result_t command_run(const struct geo_command *command, const struct geo_runner *runner,
                               struct geo_exec_worker *worker)
{
    switch ((enum geo_command_operation)command->operation) {
    case GEO_COMMAND_LAUNCH:
    case GEO_COMMAND_LAUNCH_INDIRECT:
        return runner->ops->launch((const struct geo_command_launch *)command, runner, worker);
    case GEO_COMMAND_COPY:
        return runner->ops->transfers
                   ? geo_transfer_copy((const struct geo_command_copy *)command, runner, worker)
                   : ZE_RESULT_SUCCESS;
    case GEO_COMMAND_COPY_REGION:
        return runner->ops->transfers
                   ? geo_transfer_region((const struct geo_command_copy_region *)command, runner,
                                         worker)
                   : ZE_RESULT_SUCCESS;
    case GEO_COMMAND_FILL:
        return runner->ops->transfers
                   ? geo_transfer_fill((const struct geo_command_fill *)command, runner, worker)
                   : ZE_RESULT_SUCCESS;
    case GEO_COMMAND_EVENT_RESET:
        geo_slot_clear(((const struct geo_command_event *)command)->event.slot);
        break;
    case GEO_COMMAND_EVENT_SIGNAL:
        geo_slot_raise(((const struct geo_command_event *)command)->event);
        break;
    case GEO_COMMAND_TIMESTAMP:
    case GEO_COMMAND_QUERY_TIMESTAMPS:
        return timestamps_write(command, runner);
    case GEO_COMMAND_HOST_FUNCTION: {
        const struct geo_command_host_function *host =
            (const struct geo_command_host_function *)command;
        const uint32_t depth = geo_here.depth;
        geo_worker_fp(worker);
        geo_busy_with(&worker->busy, GEO_BUSY_NOT);
        geo_here.depth = 0;                   /* the function may wait for work that it submits */
        const int cancel = geo_cancel_hold(); /* the thread may be one of the program that waits */
        host->function(host->user_data);
        geo_cancel_restore(cancel);
        geo_busy_renew(&worker->busy);
        geo_here.depth = depth;
        break;
    }
    case GEO_COMMAND_PREFETCH:
    case GEO_COMMAND_ADVISE:
        return geo_hint((const struct geo_command_range *)command, runner, worker);
    case GEO_COMMAND_SIGNAL_SEMAPHORES:
        return geo_semaphores_signal((const struct geo_command_semaphores *)command, runner);
    case GEO_COMMAND_WAIT_SEMAPHORES:
        return ZE_RESULT_NOT_READY; /* the stream waits: it may have to park */
    case GEO_COMMAND_NOP:
    case GEO_COMMAND_BARRIER:     /* earlier records of the stream are complete */
    case GEO_COMMAND_WAIT_EVENTS: /* the waits of the header are over */
    case GEO_COMMAND_OPERATION_COUNT:
        break;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_execute(const struct geo_command *command, const struct geo_runner *runner,
                        struct geo_exec_worker *worker)
{
    if (__builtin_expect(!(command->flags & GEO_COMMAND_PROFILE), 1)) {
        return command_run(command, runner, worker);
    }
    uint64_t start = geo_device_ticks();
    ze_result_t result = command_run(command, runner, worker);
    geo_timestamps_write(command->profile, start, geo_device_ticks());
    return result;
}
