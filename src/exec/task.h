/* Ready tasks: what waits for any worker of an executor. A task is a stream that has records to run
 * (or, in tests, anything else).
 *
 * There is no common lock and no common count: tasks lie in 64 shards, each with a lock and a word
 * that tells what is ready there. A task belongs to one shard for life, and the shard's lock also
 * guards the task's owner state, so a submission takes exactly one lock that nobody else wants, and
 * writes nothing that threads with other streams look at.
 *
 * A thread that submits often waits at once, and then runs its task itself, which is faster than a
 * hand-over to a worker: it gets a moment to do so. A worker takes what is left: what it saw ready
 * a moment ago, and is there still. */
#ifndef GEO_EXEC_TASK_H
#define GEO_EXEC_TASK_H

#include "exec/sync.h"
#include "exec/worker.h"

#define GEO_TASK_SHARDS     64u
#define GEO_TASK_PRIORITIES 3u /* 0 is served first */

/* Of the word of a shard: the priorities that something is ready of, a bit each; those of which a
 * worker is to take it at once; and how often something was taken. */
#define GEO_SHARD_READY(priority) (1u << (priority))
#define GEO_SHARD_NOW(priority)   (1u << (GEO_TASK_PRIORITIES + (priority)))
#define GEO_SHARD_TAKEN           (1u << (2 * GEO_TASK_PRIORITIES))
#define GEO_SHARD_ANY             ((1u << GEO_TASK_PRIORITIES) - 1)

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
    _Atomic uint32_t word; /* GEO_SHARD_*; written under the lock */
    uint32_t index;
    struct geo_task_queues *queues;
    struct geo_task *head[GEO_TASK_PRIORITIES], *tail[GEO_TASK_PRIORITIES];
};

struct geo_task_queues {
    /* which shards ever had ready tasks, by priority: where to look */
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t used[GEO_TASK_PRIORITIES];
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t next_shard;
    struct geo_shard shards[GEO_TASK_SHARDS];
};

/* Empty queues; in the child after fork once more, then every task must be initialised again. */
void geo_task_queues_init(struct geo_task_queues *queues);

void geo_task_init(struct geo_task *task, struct geo_task_queues *queues, uint32_t priority,
                   void (*run)(struct geo_task *, struct geo_exec_worker *));

/* With the shard's lock held: makes the task READY (now: no thread is about to run it itself);
 * takes a READY task out, it is then RUNNING. */
void geo_task_ready_locked(struct geo_task *task, bool now);
void geo_task_claim_locked(struct geo_task *task);

/* Whether any of the priorities 0 to `below` - 1 has a ready task. */
bool geo_tasks_ready(const struct geo_task_queues *queues, uint32_t below);

/* Looks at most once in a moment: whether tasks are left for workers. */
bool geo_tasks_left(const struct geo_task_queues *queues, struct geo_glance *glance);

/* The next ready task that is left (worker->glance is NULL: the next ready task), which is RUNNING
 * then; NULL when there is none. */
struct geo_task *geo_task_take(struct geo_task_queues *queues, struct geo_exec_worker *worker);

#endif
