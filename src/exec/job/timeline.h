/* Records which thread ran which units of a job and when, to find out why work is shared badly. It
 * is on if GEOID_TIMELINE names a file, which is written when the process ends; scripts/timeline
 * reads it. If it is off, it costs one comparison per job. */
#ifndef GEO_EXEC_JOB_TIMELINE_H
#define GEO_EXEC_JOB_TIMELINE_H

#include "exec/job/job.h"

typedef ze_result_t (*geo_timeline_job)(struct geo_job_board *board,
                                        const struct geo_job_desc *desc,
                                        struct geo_exec_worker *worker);

/* set once, before the first job */
extern bool geo_timeline_on;
void geo_timeline_open(void);

/* Calls run(board, desc, worker) and records what happens. */
ze_result_t geo_timeline_run(geo_timeline_job run, struct geo_job_board *board,
                             const struct geo_job_desc *desc, struct geo_exec_worker *worker);

#endif
