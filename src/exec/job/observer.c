/* Tells observers of jobs. See observer.h.
 *
 * An observed job runs with a callback around its own. The callback's data is on the owner's stack,
 * which is valid because a job ends after the last unit. */
#include "exec/job/observer.h"

#include "base/assert.h"

_Atomic(const struct geo_exec_job_observer *) geo_exec_job_observers;
static _Atomic uint32_t job_count;

void geo_exec_job_observer_add(struct geo_exec_job_observer *observer)
{
    const struct geo_exec_job_observer *head = atomic_load(&geo_exec_job_observers);
    GEO_ASSERT(!observer->next && observer != head);
    do {
        observer->next = head;
    } while (!atomic_compare_exchange_weak(&geo_exec_job_observers, &head, observer));
}

static void observed_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                         uint64_t count)
{
    const struct geo_exec_observed_job *job = data;
    uint64_t begin = geo_machine_ticks();
    job->desc->run(job->desc->data, worker, first, count);
    for (const struct geo_exec_job_observer *each = job->observers; each; each = each->next) {
        if (each->ran) {
            each->ran(job, first, count, begin);
        }
    }
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
    outer.data = &job;
    job.begin = geo_machine_ticks();
    for (const struct geo_exec_job_observer *each = job.observers; each; each = each->next) {
        if (each->started) {
            each->started(&job);
        }
    }
    ze_result_t result = run(board, &outer, worker);
    for (const struct geo_exec_job_observer *each = job.observers; each; each = each->next) {
        if (each->finished) {
            each->finished(&job);
        }
    }
    return result;
}
