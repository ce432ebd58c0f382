/* Wakes and starts workers. While a worker spins, none is woken: the spinning one will find the
 * work. Otherwise a sleeping worker is woken, or else a thread is started. So a burst of
 * submissions costs one system call. A worker on another core than the waker's is preferred: on the
 * same core the two would take turns until the system moves one, which takes milliseconds.
 *
 * If every worker of a crew is stuck in long work, of its own or another crew, the reactor's timer
 * adds spare threads. So work makes progress independently of other work.
 *
 * If the system gives no thread that is needed, the crew is marked as forsaken, and the reactor's
 * thread runs the READY tasks. If the reactor has no thread either, the thread that needed another
 * does it: the one that submits, or that signals what a task waits for, before it returns. Inside
 * other work it does so after that work. */
#ifndef GEO_EXEC_CREW_WAKE_H
#define GEO_EXEC_CREW_WAKE_H

#include "exec/crew/crew.h"

/* (no lock held) Makes sure that some thread runs the work that was just added. */
void geo_crew_notify(struct geo_crew *crew);

/* Makes up to `count` more workers look for work now, except this member (GEO_CREW_NOBODY: no
 * exception). */
void geo_crew_wake(struct geo_crew *crew, uint32_t count, uint32_t but);

/* Starts the timer that adds a spare thread when work makes no progress for a while. Returns false
 * if the reactor has no thread to do so. */
bool geo_crew_watch(struct geo_crew *crew);

/* Runs READY tasks of crews that are forsaken. Inside other work it only notes that this has to be
 * done. */
void geo_crews_serve(void);

/* Called by a thread of the application after it ran work as a guest. Runs the READY tasks of
 * forsaken crews if that work made some ready and no other thread could be woken or started for
 * them. */
static inline void geo_crews_settle(void)
{
    if (__builtin_expect(geo_here.owes && geo_here.depth == 0, 0)) {
        geo_crews_serve();
    }
}

/* Makes sure of `count` threads, besides those gathered by others, for units that wait for each
 * other. Returns false if the system does not give them. geo_crew_disperse undoes it. */
bool geo_crew_gather(struct geo_crew *crew, uint32_t count);
void geo_crew_disperse(struct geo_crew *crew, uint32_t count);

#endif
