/* Which thread ran which units of a job when: for finding out why work is shared badly. On where
 * GEOID_TIMELINE names a file, which is written when the process ends; scripts/timeline reads it.
 * Off it costs a comparison for each job. */
#ifndef GEO_EXEC_TIMELINE_H
#define GEO_EXEC_TIMELINE_H

#include "exec/job.h"

typedef ze_result_t (*geo_timeline_job)(struct geo_job_board *board,
                                        const struct geo_job_desc *desc,
                                        struct geo_exec_worker *worker);

/* Set once, before the first job. */
extern bool geo_timeline_on;
void geo_timeline_open(void);

/* The same as run(board, desc, worker), noting what happens. */
ze_result_t geo_timeline_run(geo_timeline_job run, struct geo_job_board *board,
                             const struct geo_job_desc *desc, struct geo_exec_worker *worker);

#endif
