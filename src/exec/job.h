/* Jobs: one record's work cut into ranges of units (work-groups, blocks of bytes) that several
 * threads run together.
 *
 * The thread that owns the record starts alone, measures, and calls for help only when what is left
 * is worth a hand-over. Then the rest is split into one range per participant; each takes chunks
 * from the front of its own range and steals half of somebody else's from the back when it is
 * empty. A range is one 64-bit word {begin, end}: taking and stealing are one compare-and-swap on
 * the owner's cache line. Nobody waits for helpers that do not come, and helpers leave when other
 * tasks need a worker: what they leave behind is stolen. */
#ifndef GEO_EXEC_JOB_H
#define GEO_EXEC_JOB_H

#include "exec/worker.h"

#include <level_zero/ze_api.h>

struct geo_job_desc {
    void (*run)(const void *data, struct geo_host_worker *worker, uint64_t first, uint64_t count);
    const void *data;
    uint64_t units;
    uint64_t scratch_bytes; /* every participant has this much */
    uint32_t fp_control;
    const void *owner; /* whose work it is; a waiting thread helps its own stream only */
    /* picoseconds per unit as learnt so far, 0 unknown; updated */
    _Atomic uint32_t *cost_ps;
    bool together;    /* units may wait for each other: each needs a thread of its own at once */
    const char *name; /* for messages; lives as long as the job */
};

/* Runs all units; on return they are done. OUT_OF_HOST_MEMORY when there is none for scratch:
 * nothing ran. DEVICE_LOST when a unit faulted: units after it may not have run. */
ze_result_t geo_job_run(const struct geo_job_desc *desc, struct geo_host_worker *worker);

/* Some job would take one more participant. */
bool geo_job_wanting(void);

/* Takes part in a job (of this owner, NULL: any) until nothing is left to take; false when there
 * was none to join. */
bool geo_job_help(struct geo_host_worker *worker, const void *owner);

/* A job whose units wait for each other still lacks threads. */
bool geo_job_starving(void);

void geo_job_after_fork(void);

#endif
