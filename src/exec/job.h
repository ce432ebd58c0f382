/* Jobs: one record's work cut into ranges of units (work-groups, blocks of bytes) that several
 * threads run together.
 *
 * The thread that owns the record calls for help at once when all of it is worth a hand-over by
 * what a unit took before, or by its few units of unknown cost; else it starts alone, measures, and
 * calls when what is left is. Then the rest is split into one range per participant (share.h).
 * Nobody waits for helpers that do not come, and helpers leave when other tasks need a worker: what
 * they leave behind is stolen, if need be by the owner, who hears of it while it waits. */
#ifndef GEO_EXEC_JOB_H
#define GEO_EXEC_JOB_H

#include "exec/crew.h"
#include "exec/fault.h"

#include <level_zero/ze_api.h>

struct geo_job_desc {
    /* A unit faulted, one of these; on the thread that ran it, before the job ends. NULL: nobody
     * wants to know. */
    void (*fault)(const struct geo_job_desc *desc, const struct geo_fault_scope *scope,
                  uint64_t first, uint64_t count);
    void (*run)(const void *data, struct geo_exec_worker *worker, uint64_t first, uint64_t count);
    const void *data;
    uint64_t units;
    uint64_t scratch_bytes; /* every participant has this much */
    const void *owner;      /* whose work it is; a waiting thread helps its own stream only */
    /* picoseconds per unit as learnt so far, 0 unknown; updated */
    _Atomic uint32_t *cost_ps;
    bool one_by_one; /* each unit is run by a call of its own, so that a fault tells which it was */
    uint32_t limit_ticks; /* units are stopped then (limit.h); 0: only those that wait for others */
    const _Atomic bool *stop; /* the job's own: a unit has faulted for which others may wait */
    bool together;    /* units may wait for each other: each needs a thread of its own at once */
    bool unbounded;   /* a unit may take any time: a few of unknown cost are shared unmeasured */
    uint32_t busy;    /* what its threads are busy with (busy.h) */
    const char *name; /* for messages; lives as long as the job */
};

#define GEO_JOB_SLOTS 64u

/* Where the jobs of an executor can be found by those who would help. A job that finds no free slot
 * runs on its own thread alone, or waits for one where units wait for each other. */
struct geo_job_board {
    struct geo_crew *crew;
    struct geo_job *slots;          /* [GEO_JOB_SLOTS], owned */
    _Atomic uint64_t wanting;       /* a bit per job that would take a participant */
    _Atomic uint32_t starving;      /* jobs of `together` units that lack threads */
    _Atomic uint32_t queued, freed; /* threads that wait for a slot; counts while there are any */
};

bool geo_job_board_init(struct geo_job_board *board, struct geo_crew *crew);
void geo_job_board_finish(struct geo_job_board *board);
/* In the child after fork: no jobs. */
void geo_job_board_reset(struct geo_job_board *board);

/* Runs all units; on return they are done. Nothing ran: OUT_OF_HOST_MEMORY when there is none for
 * scratch, NOT_AVAILABLE when units that wait for each other do not get their threads. DEVICE_LOST
 * when a unit faulted: units after it may not have run. */
ze_result_t geo_job_run(struct geo_job_board *board, const struct geo_job_desc *desc,
                        struct geo_exec_worker *worker);

/* Takes part in a job (of this owner, NULL: any) until nothing is left to take; false when there
 * was none to join. */
bool geo_job_help(struct geo_job_board *board, struct geo_exec_worker *worker, const void *owner);

/* Some job would take one more participant. */
static inline bool geo_job_wanting(const struct geo_job_board *board)
{
    return atomic_load_explicit(&board->wanting, memory_order_seq_cst) != 0;
}

/* A job whose units wait for each other still lacks threads. */
static inline bool geo_job_starving(const struct geo_job_board *board)
{
    return atomic_load_explicit(&board->starving, memory_order_relaxed) != 0;
}

#endif
