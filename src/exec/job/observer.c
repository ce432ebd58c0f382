/* Tells observers of jobs. See observer.h.
 *
 * An observed job runs with a callback around its own. The callback's data is on the owner's stack,
 * which is valid because a job ends after the last unit. */
#include "exec/job/observer.h"

#include "base/assert.h"

_Atomic uint32_t geo_exec_job_observers;
static _Atomic uint32_t job_count;

/* Each observer that was ever registered keeps its place, so that jobs in flight can tell it. */
static _Atomic(const struct geo_exec_job_observer *) places[GEO_EXEC_JOB_OBSERVERS];

/* Returns the place of an observer, and gives it one if it has none. */
static uint32_t observer_place(const struct geo_exec_job_observer *observer)
{
    uint32_t at = 0;
    for (; at < GEO_EXEC_JOB_OBSERVERS; at++) {
        const struct geo_exec_job_observer *there = NULL;
        if (atomic_compare_exchange_strong(&places[at], &there, observer) || there == observer) {
            break;
        }
    }
    GEO_ASSERT(at < GEO_EXEC_JOB_OBSERVERS);
    return at;
}

void geo_exec_job_observer_add(const struct geo_exec_job_observer *observer)
{
    atomic_fetch_or(&geo_exec_job_observers, 1u << observer_place(observer));
}

void geo_exec_job_observer_remove(const struct geo_exec_job_observer *observer)
{
    atomic_fetch_and(&geo_exec_job_observers, ~(1u << observer_place(observer)));
}

/* Takes the next observer out of a set of bits. Returns NULL if it is empty. */
static const struct geo_exec_job_observer *observer_next(uint32_t *bits)
{
    if (*bits == 0) {
        return NULL;
    }
    uint32_t at = (uint32_t)__builtin_ctz(*bits);
    *bits &= *bits - 1;
    return atomic_load_explicit(&places[at], memory_order_relaxed);
}

static void observed_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                         uint64_t count)
{
    const struct geo_exec_observed_job *job = data;
    const struct geo_exec_job_observer *each;
    for (uint32_t bits = job->observers; (each = observer_next(&bits));) {
        if (each->runs) {
            each->runs(job, worker, first, count);
        }
    }
    uint64_t begin = geo_machine_ticks();
    job->desc->run(job->desc->data, worker, first, count);
    for (uint32_t bits = job->observers; (each = observer_next(&bits));) {
        if (each->ran) {
            each->ran(job, worker, first, count, begin);
        }
    }
}

static void observed_flush(const void *data, struct geo_exec_worker *worker)
{
    const struct geo_exec_observed_job *job = data;
    job->desc->flush(job->desc->data, worker);
}

static void observed_fault(const struct geo_exec_job_desc *desc,
                           const struct geo_fault_scope *scope, uint64_t first, uint64_t count)
{
    const struct geo_exec_observed_job *job = desc->data;
    job->desc->fault(job->desc, scope, first, count);
}

ze_result_t geo_exec_job_observer_run(geo_exec_job_run_fn *run, struct geo_exec_job_board *board,
                                      const struct geo_exec_job_desc *desc,
                                      struct geo_exec_worker *worker)
{
    struct geo_exec_observed_job job = {
        .desc = desc,
        .observers = atomic_load(&geo_exec_job_observers),
        .number = atomic_fetch_add(&job_count, 1),
    };
    struct geo_exec_job_desc outer = *desc;
    outer.run = observed_run;
    outer.fault = desc->fault ? observed_fault : NULL;
    outer.flush = desc->flush ? observed_flush : NULL;
    outer.data = &job;
    outer.steals = &job.steals;
    job.begin = geo_machine_ticks();
    const struct geo_exec_job_observer *each;
    for (uint32_t bits = job.observers; (each = observer_next(&bits));) {
        if (each->started) {
            each->started(&job);
        }
    }
    ze_result_t result = run(board, &outer, worker);
    for (uint32_t bits = job.observers; (each = observer_next(&bits));) {
        if (each->finished) {
            each->finished(&job);
        }
    }
    return result;
}
