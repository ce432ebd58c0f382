/* Records which thread ran which units of a job and when, to find out why work is shared badly. It
 * is on if GEOID_TIMELINE names a file, which is written when the process ends; scripts/timeline
 * reads it. It is an observer of jobs (observer.h), and costs nothing when it is off. */
#ifndef GEO_EXEC_JOB_TIMELINE_H
#define GEO_EXEC_JOB_TIMELINE_H

/* Registers the observer if the option is set, before the first job. Further calls have no
 * effect. */
void geo_timeline_open(void);

#endif
