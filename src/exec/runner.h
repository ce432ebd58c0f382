/* On whose behalf records run: what every stream has, and what a record's work is given. */
#ifndef GEO_EXEC_RUNNER_H
#define GEO_EXEC_RUNNER_H

#include "backend/command.h"
#include "backend/fault.h"
#include "exec/executor.h"

struct geo_fault_scope;
struct geo_runner;

/* Where backends differ: what happens to the records that touch data. */
struct geo_record_ops {
    /* Runs a launch, on this thread and with the executor's help. DEVICE_LOST, OUT_OF_HOST_MEMORY.
     */
    ze_result_t (*launch)(const struct geo_command_launch *launch, const struct geo_runner *runner,
                          struct geo_exec_worker *worker);
    bool transfers; /* copies and fills really happen */
    /* Does about placement what a hint says, as far as it can. */
    void (*place)(const struct geo_command_range *range);
    /* Whether there is room for a range that is to be made present. */
    bool (*room)(const struct geo_command_range *range);
};

/* Its address is the owner of the jobs that it starts. */
struct geo_runner {
    const struct geo_record_ops *ops;
    struct geo_executor *executor;
    uint32_t device; /* whose limit holds (limit.h) */
    struct geo_fault_sink faults;
};

/* Work was lost: nothing runs any more on the runner's behalf. */
static inline bool geo_runner_lost(const struct geo_runner *runner)
{
    return atomic_load_explicit(runner->faults.lost, memory_order_acquire) != 0;
}

/* Tells of a fault, on the thread that had it and before anything is raised; streams that are
 * parked and now lost go on. */
void geo_runner_fault(const struct geo_runner *runner, const struct geo_fault *fault);
/* The same with what the scope caught filled in. */
void geo_runner_fault_caught(const struct geo_runner *runner, struct geo_fault *fault,
                             const struct geo_fault_scope *scope);

static inline ze_result_t geo_runner_job(const struct geo_runner *runner,
                                         const struct geo_job_desc *desc,
                                         struct geo_exec_worker *worker)
{
    return geo_job_run(&runner->executor->jobs, desc, worker);
}

#endif
