/* Runners: on whose behalf records run. A runner has what every stream has and what the execution
 * of a record needs. */
#ifndef GEO_EXEC_RECORD_RUNNER_H
#define GEO_EXEC_RECORD_RUNNER_H

#include "backend/command.h"
#include "backend/fault.h"
#include "exec/record/executor.h"

struct geo_fault_scope;
struct geo_runner;

/* Operations that differ between backends: those on records that touch data. */
struct geo_record_ops {
    /* Runs a launch on this thread, helped by the executor's workers. Returns DEVICE_LOST or
     * OUT_OF_HOST_MEMORY on failure. */
    ze_result_t (*launch)(const struct geo_command_launch *launch, const struct geo_runner *runner,
                          struct geo_exec_worker *worker);
    bool transfers; /* copies and fills are performed; the backend `null` skips them */
    /* Places memory as a hint says, as far as possible. */
    void (*place)(const struct geo_command_range *range);
    /* Returns whether memory has room to make the range resident. */
    bool (*room)(const struct geo_command_range *range);
    /* Begins or ends a query of metrics, or marks a stream (backend/metric.h). NULL: the backend
     * has no metrics. */
    ze_result_t (*metric)(const struct geo_command_metric *command, const struct geo_runner *runner,
                          struct geo_exec_worker *worker);
};

/* The address of a runner identifies the owner of the jobs that it starts. */
struct geo_runner {
    const struct geo_record_ops *ops;
    struct geo_executor *executor;
    uint32_t device; /* index of the device whose limit applies (limit.h) */
    struct geo_fault_sink faults;
    struct geo_meter *meter; /* of the stream; counts once a query has begun; may be NULL */
};

/* Returns whether work was lost. Then no more records run for this runner. */
static inline bool geo_runner_lost(const struct geo_runner *runner)
{
    return atomic_load_explicit(runner->faults.lost, memory_order_acquire) != 0;
}

/* Reports a fault, on the thread that had it and before any signal is raised. Parked streams that
 * are lost now continue. */
void geo_runner_fault(const struct geo_runner *runner, const struct geo_fault *fault);
/* Reports a fault after filling in what the scope caught. */
void geo_runner_fault_caught(const struct geo_runner *runner, struct geo_fault *fault,
                             const struct geo_fault_scope *scope);

static inline ze_result_t geo_runner_job(const struct geo_runner *runner,
                                         const struct geo_exec_job_desc *desc,
                                         struct geo_exec_worker *worker)
{
    return geo_exec_job_run(&runner->executor->jobs, desc, worker);
}

#endif
