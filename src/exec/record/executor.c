/* Connects a crew to its work: ready tasks first, then jobs that want helpers. See executor.h. */
#include "exec/record/executor.h"

#include "base/assert.h"
#include "exec/crew/seat.h"
#include "exec/job/timeline.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(struct geo_executor, crew) == 0, "executor_of casts");

static struct geo_executor *executor_of(struct geo_crew *crew)
{
    return (struct geo_executor *)crew;
}

static bool executor_has_work(const struct geo_crew *crew, uint32_t kinds)
{
    const struct geo_executor *executor = (const struct geo_executor *)crew;
    return (kinds & GEO_CREW_READY && geo_tasks_ready(&executor->tasks, GEO_TASK_PRIORITIES)) ||
           (kinds & GEO_CREW_HELP && geo_exec_job_wanting(&executor->jobs)) ||
           (kinds & GEO_CREW_STARVING && geo_exec_job_starving(&executor->jobs));
}

static bool executor_left(const struct geo_crew *crew, struct geo_task_snapshot *snapshot)
{
    return geo_tasks_left(&((const struct geo_executor *)crew)->tasks, snapshot);
}

static bool executor_run(struct geo_crew *crew, struct geo_exec_worker *worker)
{
    struct geo_executor *executor = executor_of(crew);
    struct geo_task *task = geo_task_take(&executor->tasks, worker);
    if (task) {
        GEO_ASSERT(atomic_load(&task->state) == GEO_TASK_RUNNING);
        atomic_fetch_add_explicit(&crew->taken, 1, memory_order_relaxed);
        geo_crew_seat_engage(worker);
        task->run(task, worker);
        geo_busy_with(&worker->busy, GEO_BUSY_NOT);
        return true;
    }
    bool helped =
        geo_exec_job_wanting(&executor->jobs) && geo_exec_job_help(&executor->jobs, worker, NULL);
    geo_busy_with(&worker->busy, GEO_BUSY_NOT);
    return helped;
}

static void executor_free(struct geo_crew *crew)
{
    struct geo_executor *executor = executor_of(crew);
    geo_exec_job_board_finish(&executor->jobs);
    geo_crew_finish(crew);
    free(executor);
}

static void executor_forget(struct geo_crew *crew)
{
    struct geo_executor *executor = executor_of(crew);
    geo_task_queues_init(&executor->tasks);
    geo_exec_job_board_reset(&executor->jobs);
}

static const struct geo_crew_work executor_work = {
    .thread = geo_crew_seat_main,
    .has_work = executor_has_work,
    .left = executor_left,
    .run = executor_run,
    .free = executor_free,
    .forget = executor_forget,
};

struct geo_executor *geo_executor_create(const struct geo_crew_desc *desc)
{
    struct geo_executor *executor = aligned_alloc(GEO_CACHE_LINE, sizeof(*executor));
    if (!executor) {
        return NULL;
    }
    memset(executor->meters, 0, sizeof(executor->meters));
    atomic_store(&executor->tasks.next_shard, 0);
    geo_task_queues_init(&executor->tasks);
    if (!geo_exec_job_board_init(&executor->jobs, &executor->crew)) {
        free(executor);
        return NULL;
    }
    geo_reactor_serve_by(geo_crews_serve);
    geo_timeline_open();
    if (!geo_crew_init(&executor->crew, &executor_work, desc)) {
        geo_exec_job_board_finish(&executor->jobs);
        free(executor);
        return NULL;
    }
    return executor;
}

void geo_executor_destroy(struct geo_executor *executor)
{
    if (executor) {
        geo_crew_leave(&executor->crew);
    }
}
