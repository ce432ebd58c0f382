/* Ready tasks: what waits for any worker of an executor. A task is a stream that has records to run
 * (or, in tests, anything else).
 *
 * There is no common lock: tasks lie in 64 shards, each with its own, and one word per priority
 * tells which shards have any. A task belongs to one shard for life, and the shard's lock also
 * guards the task's owner state, so a submission takes exactly one lock that nobody else wants. */
#ifndef GEO_EXEC_TASK_H
#define GEO_EXEC_TASK_H

#include "exec/sync.h"
#include "exec/worker.h"

#define GEO_TASK_SHARDS     64u
#define GEO_TASK_PRIORITIES 3u /* 0 is served first */

enum geo_task_state {
    GEO_TASK_IDLE,
    GEO_TASK_READY,   /* in its shard's list */
    GEO_TASK_RUNNING, /* a thread owns it */
    GEO_TASK_PARKED,  /* waits for an event slot */
};

struct geo_task_queues;

struct geo_task {
    struct geo_task *next, *previous; /* in the shard's list while READY */
    struct geo_shard *shard;
    uint32_t priority;
    _Atomic uint32_t state; /* enum geo_task_state; written under the shard's lock */
    /* A worker runs the task, which is RUNNING; on return it is the worker's no longer. */
    void (*run)(struct geo_task *task, struct geo_exec_worker *worker);
};

struct geo_shard {
    _Alignas(GEO_CACHE_LINE) struct geo_lock lock;
    uint32_t index;
    struct geo_task_queues *queues;
    struct geo_task *head[GEO_TASK_PRIORITIES], *tail[GEO_TASK_PRIORITIES];
};

struct geo_task_queues {
    /* which shards have ready tasks, by priority */
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t ready[GEO_TASK_PRIORITIES];
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t next_shard;
    struct geo_shard shards[GEO_TASK_SHARDS];
};

/* Empty queues; in the child after fork once more, then every task must be initialised again. */
void geo_task_queues_init(struct geo_task_queues *queues);

void geo_task_init(struct geo_task *task, struct geo_task_queues *queues, uint32_t priority,
                   void (*run)(struct geo_task *, struct geo_exec_worker *));

/* With the shard's lock held: makes the task READY; takes a READY task out, it is then RUNNING. */
void geo_task_ready_locked(struct geo_task *task);
void geo_task_claim_locked(struct geo_task *task);

/* The next ready task, which is RUNNING then; NULL when there is none. */
struct geo_task *geo_task_take(struct geo_task_queues *queues, struct geo_exec_worker *worker);

static inline bool geo_tasks_ready(const struct geo_task_queues *queues)
{
    for (uint32_t p = 0; p < GEO_TASK_PRIORITIES; p++) {
        if (atomic_load_explicit(&queues->ready[p], memory_order_seq_cst) != 0) {
            return true;
        }
    }
    return false;
}

/* Whether a task is ready that comes before those of this priority. */
static inline bool geo_tasks_outrank(const struct geo_task_queues *queues, uint32_t priority)
{
    for (uint32_t p = 0; p < priority; p++) {
        if (atomic_load_explicit(&queues->ready[p], memory_order_relaxed) != 0) {
            return true;
        }
    }
    return false;
}

#endif
