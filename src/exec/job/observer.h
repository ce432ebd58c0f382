/* Observers of jobs: functions that are told when a job starts, when a thread has run some of its
 * units, and when the job has finished. The timeline is one.
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

/* A job as its observers see it. Valid until `finished` returns. Times are in ticks (machine.h). */
struct geo_exec_observed_job {
    const struct geo_exec_job_desc *desc;
    const struct geo_exec_job_observer *observers; /* those that were registered when it started */
    uint64_t begin;
    uint32_t number; /* counts the observed jobs of the process */
};

/* An observer. Functions may be NULL. It is static and never removed. */
struct geo_exec_job_observer {
    const struct geo_exec_job_observer *next; /* set by geo_exec_job_observer_add */
    /* (the owner's thread) Called before the first and after the last unit. */
    void (*started)(const struct geo_exec_observed_job *job);
    void (*finished)(const struct geo_exec_observed_job *job);
    /* (any participant's thread) Called after it has run these units, which it began at `begin`.
     * Not called if one of them faulted. */
    void (*ran)(const struct geo_exec_observed_job *job, uint64_t first, uint64_t count,
                uint64_t begin);
};

/* Implements geo_exec_job_run. */
typedef ze_result_t geo_exec_job_run_fn(struct geo_exec_job_board *board,
                                        const struct geo_exec_job_desc *desc,
                                        struct geo_exec_worker *worker);

/* The registered observers, the newest first. */
extern _Atomic(const struct geo_exec_job_observer *) geo_exec_job_observers;

/* (any thread) Registers an observer, once. It is told of jobs that start from now on. */
void geo_exec_job_observer_add(struct geo_exec_job_observer *observer);

/* Calls run(board, desc, worker) and tells the observers. */
ze_result_t geo_exec_job_observer_run(geo_exec_job_run_fn *run, struct geo_exec_job_board *board,
                                      const struct geo_exec_job_desc *desc,
                                      struct geo_exec_worker *worker);

#endif
