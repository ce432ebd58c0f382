/* The reactor: one thread, started when first needed, for what nobody else is there to do.
 *
 * It watches event slots in shared memory on which streams of this process are parked (another
 * process that raises one can only wake a futex), and it keeps time for the pool: when all workers
 * are stuck in long work and a stream has been ready for a while, it asks for a spare worker. */
#ifndef GEO_EXEC_REACTOR_H
#define GEO_EXEC_REACTOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stream has parked on a shared slot: look at the lot again. */
void geo_reactor_watch(void);

/* Calls geo_pool_rescue every few milliseconds until that returns false. */
void geo_reactor_tick(void);

/* Part of the parking lot, for the reactor alone: unparks what is complete, and tells what to sleep
 * on for the rest. */
struct geo_slot_watch {
    _Atomic uint32_t *futex;
    uint32_t seen;
};
size_t geo_slot_watched(struct geo_slot_watch *watches, size_t limit);

void geo_reactor_after_fork(void);

#endif
