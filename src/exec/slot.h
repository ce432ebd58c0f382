/* Event slots at work: raising them, sleeping on them, parking streams on them.
 *
 * A thread sleeps in a futex on the slot's low word. A stream that waits owns no thread: it leaves
 * a park node in the parking lot, a hash table by slot address, and whoever raises the slot calls
 * the node's `unpark`. The raiser learns from the slot's `sleepers` whether anybody is there, so a
 * raise that nobody waits for is one exchange and one load. Slots in shared memory are also raised
 * by other processes, which know nothing of our parking lot: the reactor watches those. */
#ifndef GEO_EXEC_SLOT_H
#define GEO_EXEC_SLOT_H

#include "backend/command.h"

#include <level_zero/ze_api.h>

#define GEO_SLEEPER_THREAD 1u
#define GEO_SLEEPER_PARKED 0x10000u

struct geo_park {
    struct geo_park *next;
    struct geo_event_ref ref;
    void (*unpark)(struct geo_park *park); /* any thread, no lock held */
};

void geo_slot_wake(struct geo_event_slot *slot);

/* Raises the slot and wakes whoever waits. */
static inline void geo_slot_raise(struct geo_event_ref ref)
{
    atomic_exchange_explicit(&ref.slot->value, ref.value, memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&ref.slot->sleepers, memory_order_seq_cst) != 0, 0)) {
        geo_slot_wake(ref.slot);
    }
}

/* Back to not signalled, timestamps forgotten. */
void geo_slot_clear(struct geo_event_slot *slot);

/* Parks until park->ref is complete, then unpark is called once. False when it is complete already:
 * the node is not in the lot and unpark is not called. */
bool geo_slot_park(struct geo_park *park);

/* The thread waits; NOT_READY when the time ran out. spin_ns: how long it spins before it sleeps.
 */
ze_result_t geo_slot_wait(const struct geo_event_ref *ref, uint64_t timeout_ns, uint64_t spin_ns);

/* The same with a deadline, without spinning: the sleep of a longer wait. */
bool geo_slot_sleep(const struct geo_event_ref *ref, uint64_t deadline_ns);

/* In the child after fork: the lot is empty. */
void geo_slot_after_fork(void);

#endif
