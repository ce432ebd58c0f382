/* How a worker comes: nobody is woken while somebody spins, who will find the work; else one that
 * sleeps is, else a thread starts. A burst of submissions costs one system call. One of another
 * core than the waker's is taken where there is one: on the same core the two would take turns,
 * until the system moves the waker away, which takes it milliseconds.
 *
 * When every worker of a crew is stuck in long work, its own or another crew's, the reactor's ticks
 * add spare threads to it: work makes progress independently of other work.
 *
 * Where a thread is needed and the system gives none, the crew is forsaken: the reactor's thread
 * runs what is READY. Where there is not even that one, the thread does that needed another: who
 * submits, or signals what work waits for, before it returns; in the middle of other work, behind
 * that. */
#ifndef GEO_EXEC_WAKE_H
#define GEO_EXEC_WAKE_H

#include "exec/crew.h"

/* (no lock held) There is something to do now: sees to it that it is done. */
void geo_crew_notify(struct geo_crew *crew);

/* Up to `count` more workers look for work now, but not this member (GEO_CREW_NOBODY: anyone). */
void geo_crew_wake(struct geo_crew *crew, uint32_t count, uint32_t but);

/* Something lacks threads: a spare one comes when nothing moves for a while. False: nobody is there
 * to see to that. */
bool geo_crew_watch(struct geo_crew *crew);

/* Runs what is READY in crews that are forsaken; inside of other work remembers it for later. */
void geo_crews_serve(void);

/* Behind work that a thread of the application has run: what came up meanwhile. */
static inline void geo_crews_settle(void)
{
    if (__builtin_expect(geo_here.owes && geo_here.depth == 0, 0)) {
        geo_crews_serve();
    }
}

/* Units that wait for each other are about to start: makes sure of `count` threads beside those
 * that others have gathered. False when the system does not give them. */
bool geo_crew_gather(struct geo_crew *crew, uint32_t count);
void geo_crew_disperse(struct geo_crew *crew, uint32_t count);

#endif
