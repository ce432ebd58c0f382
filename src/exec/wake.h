/* How a worker comes: nobody is woken while somebody spins, who will find the work; else one that
 * sleeps is, else a thread starts. A burst of submissions costs one system call.
 *
 * When every worker of a crew is stuck in long work, its own or another crew's, the reactor's ticks
 * add spare threads to it: work makes progress independently of other work. */
#ifndef GEO_EXEC_WAKE_H
#define GEO_EXEC_WAKE_H

#include "exec/crew.h"

/* There is something to do now: sees to it that a worker comes. False when there is none and none
 * can be started. */
bool geo_crew_notify(struct geo_crew *crew);

/* Up to `count` more workers look for work now. */
void geo_crew_wake(struct geo_crew *crew, uint32_t count);

/* Something lacks threads: a spare one comes when nothing moves for a while. */
void geo_crew_watch(struct geo_crew *crew);

#endif
