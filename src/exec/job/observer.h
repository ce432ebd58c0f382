/* Observers of jobs: functions that are told when a job starts, before and after a thread runs some
 * of its units, and when the job has finished. The timeline and the meter (record/meter.h) are two.
 *
 * Jobs know observers only by this list, so a new one changes no other file of the runtime.
 * Without observers geo_exec_job_run compares one pointer. With observers it runs the job with
 * callbacks around the job's own, so nothing else on the way of a unit has to ask.
 *
 * Busy cells (busy.h) and the learnt cost of a unit (cost.h) are called directly instead, because
 * the runtime always needs them. A cell is visible to other processes at any time and costs one
 * store. The learnt cost decides how a job continues. */
#ifndef GEO_EXEC_JOB_OBSERVER_H
#define GEO_EXEC_JOB_OBSERVER_H

#include "exec/job/job.h"

#define GEO_EXEC_JOB_OBSERVERS 8u /* of a process */

/* A job as its observers see it. Valid until `finished` returns. Times are in ticks (machine.h). */
struct geo_exec_observed_job {
    const struct geo_exec_job_desc *desc;
    uint64_t begin;
    uint32_t observers; /* bits of those that were registered when it started */
    uint32_t number;    /* counts the observed jobs of the process */
    uint32_t steals;    /* when `finished` is called: how often a participant took others' blocks */
};

/* An observer. Functions may be NULL. It is static. */
struct geo_exec_job_observer {
    /* (the owner's thread) Called before the first and after the last unit. */
    void (*started)(const struct geo_exec_observed_job *job);
    void (*finished)(const struct geo_exec_observed_job *job);
    /* (any participant's thread) Called before it runs these units. */
    void (*runs)(const struct geo_exec_observed_job *job, struct geo_exec_worker *worker,
                 uint64_t first, uint64_t count);
    /* (any participant's thread) Called after it has run these units, which it began at `begin`.
     * Not called if one of them faulted. */
    void (*ran)(const struct geo_exec_observed_job *job, struct geo_exec_worker *worker,
                uint64_t first, uint64_t count, uint64_t begin);
};

/* Implements geo_exec_job_run. */
typedef ze_result_t geo_exec_job_run_fn(struct geo_exec_job_board *board,
                                        const struct geo_exec_job_desc *desc,
                                        struct geo_exec_worker *worker);

/* One bit for each registered observer. */
extern _Atomic uint32_t geo_exec_job_observers;

/* (any thread) Registers an observer. It is told of jobs that start from now on. Calls for the same
 * observer are serialised by the caller. */
void geo_exec_job_observer_add(const struct geo_exec_job_observer *observer);
/* (any thread) Removes an observer. It is still told of jobs that have started. */
void geo_exec_job_observer_remove(const struct geo_exec_job_observer *observer);

/* Calls run(board, desc, worker) and tells the observers. */
ze_result_t geo_exec_job_observer_run(geo_exec_job_run_fn *run, struct geo_exec_job_board *board,
                                      const struct geo_exec_job_desc *desc,
                                      struct geo_exec_worker *worker);

#endif
