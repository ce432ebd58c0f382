/* A worker's thread: it looks for work of its crews in turn, spins when there is none, then sleeps.
 *
 *     working <-> spinning (spin_ns, as many as the crews allow) -> asleep, a bit in each crew
 *
 * What it finds it takes by the crew's callbacks, which say here when they have taken something. */
#ifndef GEO_EXEC_SEAT_H
#define GEO_EXEC_SEAT_H

#include "exec/crew.h"

/* The thread; seat: struct geo_seat, started by geo_crew_start. */
void *geo_seat_main(void *seat);

/* The worker has taken something and is about to run it. The last one that stops looking because it
 * found work lets the next one look for more that is READY; jobs call for themselves. */
void geo_seat_engage(struct geo_exec_worker *worker);

/* True when one of the worker's crews has something READY and no worker free for it: work that
 * others can go on with yields. */
bool geo_seat_pressed(const struct geo_exec_worker *worker);

#endif
