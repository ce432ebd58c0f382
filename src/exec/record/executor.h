/* Executors: run the work of one device. An executor consists of a crew (the workers of its cores),
 * queues of ready tasks and a board of jobs. A device creates it and gives it to its streams.
 *
 * Executors may share cores. A core has one worker in the process, which serves them in turn
 * (crew.h). They share nothing else, so the work of one never waits in the queue of another. */
#ifndef GEO_EXEC_RECORD_EXECUTOR_H
#define GEO_EXEC_RECORD_EXECUTOR_H

#include "exec/crew/task.h"
#include "exec/crew/wake.h"
#include "exec/job/job.h"
#include "exec/record/meter.h"

/* An executor. Its crew counts the references; workers may keep it alive after its destruction. */
struct geo_executor {
    struct geo_crew crew; /* must be first */
    struct geo_task_queues tasks;
    struct geo_exec_job_board jobs;
    struct geo_meter meters[GEO_METER_CELLS]; /* a thread adds to the one of its number */
};

/* Creates an executor without starting a thread. Returns NULL if memory is short or a core has too
 * many executors. */
struct geo_executor *geo_executor_create(const struct geo_crew_desc *desc);

/* Destroys an executor whose streams are all destroyed, without waiting for workers. Accepts NULL.
 */
void geo_executor_destroy(struct geo_executor *executor);

static inline uint64_t geo_executor_spin_ns(const struct geo_executor *executor)
{
    return executor->crew.spin_ns;
}

/* Returns whether workers have a ready task of higher priority than this to take. */
static inline bool geo_executor_outranks(const struct geo_executor *executor, uint32_t priority)
{
    return geo_tasks_ready(&executor->tasks, priority) && geo_crew_manned(&executor->crew);
}

#endif
