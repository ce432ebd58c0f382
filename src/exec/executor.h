/* Executors: what runs the work of one device. An executor is a crew (the workers of its cores),
 * the queues of ready tasks and the board of jobs; its device makes it and gives it to its streams.
 *
 * Executors may share cores: a core has one worker in the process, who serves them in turn (see
 * crew.h). They share nothing else, so what one has to do never waits in another's queue. */
#ifndef GEO_EXEC_EXECUTOR_H
#define GEO_EXEC_EXECUTOR_H

#include "exec/job.h"
#include "exec/task.h"
#include "exec/wake.h"

struct geo_executor {
    struct geo_crew crew; /* first */
    struct geo_task_queues tasks;
    struct geo_job_board jobs;
};

/* Starts no thread. NULL when memory ran out or a core has too many executors. */
struct geo_executor *geo_executor_create(const struct geo_crew_desc *desc);

/* All its streams are gone. Does not wait for workers; NULL is accepted. */
void geo_executor_destroy(struct geo_executor *executor);

static inline uint64_t geo_executor_spin_ns(const struct geo_executor *executor)
{
    return executor->crew.spin_ns;
}

/* Whether workers have a ready task to take that comes before those of this priority. */
static inline bool geo_executor_outranks(const struct geo_executor *executor, uint32_t priority)
{
    return geo_tasks_ready(&executor->tasks, priority) && geo_crew_manned(&executor->crew);
}

#endif
