/* Jobs: the work of one record, cut into ranges of units (work-groups, blocks of bytes) that
 * several threads run together.
 *
 * The thread that runs the record owns the job. It asks for helpers at once if the whole job is
 * worth a hand-over, by the cost of earlier units or by having few units of unknown cost. Otherwise
 * it starts alone, measures, and asks for helpers once the rest is worth it. The rest is then split
 * into one range per participant (partition.h). The owner does not wait for helpers that never
 * come, and helpers leave when other tasks need a worker, or when there are more participants than
 * pay (contention.h). The blocks that they leave are stolen by others or by the owner, which is
 * woken if it waits. */
#ifndef GEO_EXEC_JOB_JOB_H
#define GEO_EXEC_JOB_JOB_H

#include "exec/crew/crew.h"
#include "exec/thread/fault.h"

#include <level_zero/ze_api.h>

struct geo_contention;

/* The work of a job and how it is run. Belongs to the caller of geo_exec_job_run. */
struct geo_exec_job_desc {
    /* Called when a unit in this range has faulted, on the thread that ran it, before the job ends.
     * May be NULL. */
    void (*fault)(const struct geo_exec_job_desc *desc, const struct geo_fault_scope *scope,
                  uint64_t first, uint64_t count);
    void (*run)(const void *data, struct geo_exec_worker *worker, uint64_t first, uint64_t count);
    /* Ends what units have left in the worker: called after the last unit of each participant, and
     * about every millisecond before. Not called by a worker whose unit or flush has faulted: it
     * then gets `drop`, and the fault is reported for all units. NULL: units leave nothing. Not
     * for `together` or `one_by_one`. */
    void (*flush)(const void *data, struct geo_exec_worker *worker);
    void (*drop)(struct geo_exec_worker *worker); /* forgets it; required with `flush` */
    const void *data;
    uint64_t units;
    uint64_t scratch_bytes; /* scratch memory of each participant */
    /* whose work it is; a waiting thread helps only with jobs of its own stream */
    const void *owner;
    /* learnt cost in picoseconds per unit, 0: unknown; updated by the job */
    _Atomic uint32_t *cost_ps;
    /* Units may change the same memory by atomics: what is known of it (contention.h). The job may
       then run with few participants, even one. NULL: no limit; ignored for `together` */
    struct geo_contention *contention;
    bool one_by_one; /* run each unit by a call of its own, so that a fault tells the unit */
    /* timer ticks that a unit may run before it is stopped (limit.h); 0: no limit. Even then units
     * that may wait for each other (`together`) are stopped once one of them has faulted. */
    uint32_t limit_ticks;
    /* set by the job itself: a unit has faulted, and units that may wait for it are to stop */
    const _Atomic bool *stop;
    bool together;  /* units may wait for each other, so each needs a thread of its own at once */
    bool unbounded; /* a unit may take any time: a few of unknown cost are shared unmeasured */
    uint32_t
        *steals;   /* counts ranges taken from other participants, at the end; NULL: nobody asks */
    uint32_t busy; /* what its threads count as busy with (busy.h) */
    const char *name; /* for messages; must live as long as the job */
    /* what the units are parts of, for observers that know the kind of work; NULL: nothing */
    const void *whole;
};

#define GEO_EXEC_JOB_SLOTS 64u

/* The jobs of an executor that look for helpers. If no slot is free, a job runs on its owner's
 * thread alone, or waits for a slot if its units wait for each other. */
struct geo_exec_job_board {
    struct geo_crew *crew;
    struct geo_exec_job *slots; /* [GEO_EXEC_JOB_SLOTS], owned */
    _Atomic uint64_t wanting;   /* one bit per job that wants another participant */
    _Atomic uint32_t starving;  /* jobs of `together` units that lack threads */
    /* queued: threads that wait for a slot; freed: counts released slots while there are such
     * threads */
    _Atomic uint32_t queued, freed;
};

/* Initialises a board without jobs. Returns false if memory is short. */
bool geo_exec_job_board_init(struct geo_exec_job_board *board, struct geo_crew *crew);
void geo_exec_job_board_finish(struct geo_exec_job_board *board);
/* Removes all jobs in the child after fork. */
void geo_exec_job_board_reset(struct geo_exec_job_board *board);

/* Runs all units and returns when they are done. Returns OUT_OF_HOST_MEMORY without running any if
 * scratch memory is short. Returns NOT_AVAILABLE if units that wait for each other cannot get their
 * threads. Returns DEVICE_LOST if a unit faulted; later units may not have run then. */
ze_result_t geo_exec_job_run(struct geo_exec_job_board *board, const struct geo_exec_job_desc *desc,
                             struct geo_exec_worker *worker);

/* Helps with a job (of this owner; NULL: any) until no blocks are left to take. Returns false if it
 * found no job to help with. */
bool geo_exec_job_help(struct geo_exec_job_board *board, struct geo_exec_worker *worker,
                       const void *owner);

/* Returns whether some job wants another participant. */
static inline bool geo_exec_job_wanting(const struct geo_exec_job_board *board)
{
    return atomic_load_explicit(&board->wanting, memory_order_seq_cst) != 0;
}

/* Returns whether a job whose units wait for each other lacks threads. */
static inline bool geo_exec_job_starving(const struct geo_exec_job_board *board)
{
    return atomic_load_explicit(&board->starving, memory_order_relaxed) != 0;
}

#endif
