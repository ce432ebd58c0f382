/* The worker pool: one per process, a thread per core, started when first needed.
 *
 * Workers take ready tasks (streams that have records to run) and help with jobs (one record cut
 * into ranges, see job.h). There is no global lock: ready tasks lie in 64 shards, each with its own
 * lock, and one word per priority tells which shards have any. A task belongs to one shard for
 * life, and the shard's lock also guards the task's owner state, so a submission takes exactly one
 * lock that nobody else wants.
 *
 *   idle worker:  spinning  -> (GEOID_SPIN_US) -> sleeping on `tokens`
 *   waking:       nobody is woken while somebody spins; the last spinner that finds work wakes the
 *                 next one if there is more. A burst of submissions costs one system call.
 *
 * When every worker is stuck in long work, the reactor adds a spare thread, so that streams make
 * progress independently of each other. Lock order: shard -> nothing. */
#ifndef GEO_EXEC_POOL_H
#define GEO_EXEC_POOL_H

#include "exec/sync.h"
#include "exec/worker.h"

#define GEO_POOL_SHARDS     64u
#define GEO_POOL_PRIORITIES 3u /* 0 is served first */

enum geo_task_state {
    GEO_TASK_IDLE,
    GEO_TASK_READY,   /* in its shard's list */
    GEO_TASK_RUNNING, /* a thread owns it */
    GEO_TASK_PARKED,  /* waits for an event slot */
};

struct geo_shard;

struct geo_task {
    struct geo_task *next, *previous; /* in the shard's list while READY */
    struct geo_shard *shard;
    uint32_t priority;
    _Atomic uint32_t state; /* enum geo_task_state; written under the shard's lock */
    /* A worker runs the task, which is RUNNING; on return it is the worker's no longer. */
    void (*run)(struct geo_task *task, struct geo_host_worker *worker);
};

struct geo_shard {
    _Alignas(GEO_CACHE_LINE) struct geo_lock lock;
    uint32_t index;
    struct geo_task *head[GEO_POOL_PRIORITIES], *tail[GEO_POOL_PRIORITIES];
};

struct geo_pool_config {
    uint32_t workers;
    const int32_t *cpus; /* one per worker, to pin it; NULL: not pinned */
    uint64_t spin_ns;
};

/* Sets the pool up at the first call; starts no thread. False when memory ran out. */
bool geo_pool_open(const struct geo_pool_config *config);

uint32_t geo_pool_workers(void);
uint64_t geo_pool_spin_ns(void);

void geo_task_init(struct geo_task *task, uint32_t priority,
                   void (*run)(struct geo_task *, struct geo_host_worker *));

/* With the shard's lock held: makes the task READY; takes a READY task out, it is then RUNNING. */
void geo_task_ready_locked(struct geo_task *task);
void geo_task_claim_locked(struct geo_task *task);

/* After geo_task_ready_locked, without the lock: sees to it that a worker comes. False when there
 * is none and none can be started. */
bool geo_pool_notify(void);

/* True when tasks are ready and no worker is free: work that can be continued by others yields. */
bool geo_pool_pressed(void);

/* True when workers have a ready task to take that comes before those of this priority. */
bool geo_pool_outranked(uint32_t priority);

/* Up to `count` more workers look for work now. */
void geo_pool_wake(uint32_t count);
/* True when a worker spins: handing work over is cheap. */
bool geo_pool_spinning(void);

/* A detached thread that takes no signals. */
bool geo_pool_thread(void *(*main)(void *), void *argument);

/* The reactor's: adds a spare worker when no task was taken since the last call although some are
 * ready. False when nothing is waiting. */
bool geo_pool_rescue(void);

/* In the child after fork: no workers, empty lists; every task must be initialised again. */
void geo_pool_after_fork(void);

#endif
