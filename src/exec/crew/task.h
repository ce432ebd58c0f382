/* Queues of tasks that are ready for any worker of an executor. A task is a stream that has records
 * to run; tests use others.
 *
 * Tasks are distributed over 64 shards, each with a lock and a word that says what is ready there;
 * nothing is global. A task belongs to one shard for its whole life, and the shard's lock also
 * protects the state of the task's owner. So a submission takes one lock, usually uncontended, and
 * writes nothing that threads with other streams read.
 *
 * A thread that submits often waits at once and then runs its task itself, which is faster than a
 * hand-over to a worker. So workers give it a moment: they take only tasks that were ready at their
 * previous look and still are. */
#ifndef GEO_EXEC_CREW_TASK_H
#define GEO_EXEC_CREW_TASK_H

#include "base/assert.h"
#include "exec/thread/sync.h"
#include "exec/thread/worker.h"

#define GEO_TASK_SHARDS     64u
#define GEO_TASK_PRIORITIES 3u /* 0 is served first */

/* Parts of the word of a shard. The word also counts the tasks that were taken, in its upper bits.
 *
 *   READY    a task of this priority is ready
 *   NOW      no thread is about to run the ready tasks of this priority itself, so a worker takes
 *            them at its first look, without giving their submitters a moment */
#define GEO_SHARD_READY(priority) (1u << (priority))
#define GEO_SHARD_NOW(priority)   (1u << (GEO_TASK_PRIORITIES + (priority)))
#define GEO_SHARD_TAKEN           (1u << (2 * GEO_TASK_PRIORITIES))
#define GEO_SHARD_ANY             ((1u << GEO_TASK_PRIORITIES) - 1)

/* The state of a task. */
enum geo_task_state {
    GEO_TASK_IDLE,
    GEO_TASK_READY,   /* in its shard's list */
    GEO_TASK_RUNNING, /* a thread owns it */
    GEO_TASK_PARKED,  /* waits for an event slot */
};

struct geo_task_queues;

/* A task; its owner, such as a stream, embeds it. */
struct geo_task {
    struct geo_task *next, *previous; /* in the shard's list while READY */
    struct geo_shard *shard;
    uint32_t priority;
    _Atomic uint32_t state; /* enum geo_task_state; written under the shard's lock */
    /* Runs the task, which is RUNNING, on a worker. The worker does not own it any more on return.
     */
    void (*run)(struct geo_task *task, struct geo_exec_worker *worker);
};

/* A shard of the queues, for a part of the tasks. */
struct geo_shard {
    _Alignas(GEO_CACHE_LINE) struct geo_lock lock;
    _Atomic uint32_t word; /* GEO_SHARD_*; written under the lock */
    uint32_t index;
    struct geo_task_queues *queues;
    struct geo_task *head[GEO_TASK_PRIORITIES], *tail[GEO_TASK_PRIORITIES];
};

/* The queues of ready tasks of an executor. */
struct geo_task_queues {
    /* shards that ever had ready tasks, by priority: the only ones to look at */
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t used[GEO_TASK_PRIORITIES];
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t next_shard;
    struct geo_shard shards[GEO_TASK_SHARDS];
};

/* Empties the queues. Used again in the child after fork; every task must be initialised again
 * then. */
void geo_task_queues_init(struct geo_task_queues *queues);

/* Initialises a task, IDLE, and assigns it to a shard. */
void geo_task_init(struct geo_task *task, struct geo_task_queues *queues, uint32_t priority,
                   void (*run)(struct geo_task *, struct geo_exec_worker *));

/* Returns whether a task may go from one state to the other. */
static inline bool geo_task_may_become(uint32_t from, enum geo_task_state to)
{
    switch (to) {
    case GEO_TASK_READY:
        return from != GEO_TASK_READY;
    case GEO_TASK_RUNNING: /* again if what a task is to park for has happened already */
        return from != GEO_TASK_RUNNING;
    case GEO_TASK_IDLE:
    case GEO_TASK_PARKED:
        return from == GEO_TASK_RUNNING;
    }
    return false;
}

/* (shard's lock held) Changes the state of a task that is in no list, before and after. */
static inline void geo_task_set_state_locked(struct geo_task *task, enum geo_task_state state)
{
    GEO_ASSERT(geo_lock_held(&task->shard->lock) && !task->next && !task->previous);
    GEO_ASSERT(geo_task_may_become(atomic_load(&task->state), state));
    atomic_store_explicit(&task->state, state, memory_order_relaxed);
}

/* (shard's lock held) geo_task_ready_locked makes the task READY; `now`: no thread is about to run
 * it itself. geo_task_claim_locked takes a READY task out of its queue and makes it RUNNING. */
void geo_task_ready_locked(struct geo_task *task, bool now);
void geo_task_claim_locked(struct geo_task *task);

/* Returns whether any of the priorities 0 to `below` - 1 has a ready task. */
bool geo_tasks_ready(const struct geo_task_queues *queues, uint32_t below);

/* Returns whether tasks are left for workers. It looks again only after a moment. */
bool geo_tasks_left(const struct geo_task_queues *queues, struct geo_task_snapshot *snapshot);

/* Takes the next task that is left for workers and makes it RUNNING, or returns NULL. With
 * worker->snapshot NULL it takes any ready task. */
struct geo_task *geo_task_take(struct geo_task_queues *queues, struct geo_exec_worker *worker);

#endif
