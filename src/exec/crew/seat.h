/* The thread of a worker. It looks for work of its crews in turn, spins while it finds none, then
 * sleeps.
 *
 *     working <-> spinning (spin_ns, as many as the crews allow) -> asleep, a bit in each crew
 *
 * It takes work by the crew's callbacks, which call geo_crew_seat_engage when they have taken
 * something. */
#ifndef GEO_EXEC_CREW_SEAT_H
#define GEO_EXEC_CREW_SEAT_H

#include "exec/crew/crew.h"

/* The thread's main function. `seat` is the struct geo_crew_seat for which geo_crew_start started
 * it. */
void *geo_crew_seat_main(void *seat);

/* Declares that the worker has taken work and is about to run it. If it was the last spinning
 * worker and more tasks are READY, another worker is woken. Jobs wake their helpers themselves. */
void geo_crew_seat_engage(struct geo_exec_worker *worker);

/* Returns true if a crew of the worker has READY work and no idle worker for it. The worker then
 * leaves work that others can continue. */
bool geo_crew_seat_pressed(const struct geo_exec_worker *worker);

#endif
