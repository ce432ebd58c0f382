/* Event slots at work: raising them, sleeping on them, parking streams on them.
 *
 * A thread sleeps in a futex on the slot's low word. A stream that waits owns no thread: it leaves
 * a park node in the parking lot, a hash table by slot address, and whoever raises the slot calls
 * the node's `unpark`. The raiser learns from the slot's `sleepers` whether anybody is there, so a
 * raise that nobody waits for is one exchange and one load. Slots in shared memory are also raised
 * by other processes, which know nothing of our parking lot: the reactor watches those. Such
 * processes may also write anything into a slot, `sleepers` and `flags` too. So wake-ups are hints
 * there: a thread and the reactor look again after GEO_LOOK_AGAIN_NS at the latest. External
 * references have no sleepers to count (word.h): the reactor looks at their words now and then. */
#ifndef GEO_EXEC_SLOT_H
#define GEO_EXEC_SLOT_H

#include "backend/command.h"

#include <level_zero/ze_api.h>

#define GEO_SLEEPER_THREAD 1u
#define GEO_SLEEPER_PARKED 0x10000u

struct geo_park {
    struct geo_park *next;
    struct geo_event_ref ref;
    const _Atomic uint32_t *lost;          /* not 0: it waits no longer */
    void (*unpark)(struct geo_park *park); /* any thread, no lock held */
};

/* Other processes may have slots from now on: memory was made for sharing, or imported. */
void geo_slot_expect_peers(void);

void geo_slot_wake(struct geo_event_slot *slot);

/* Raises the slot and wakes whoever waits. */
static inline void geo_slot_raise(struct geo_event_ref ref)
{
    atomic_exchange_explicit(&ref.slot->value, ref.value, memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&ref.slot->sleepers, memory_order_seq_cst) != 0, 0)) {
        geo_slot_wake(ref.slot);
    }
}

/* Of work that was lost, before the slot is raised. */
static inline void geo_slot_mark_lost(struct geo_event_ref ref)
{
    if (atomic_load_explicit(&ref.slot->lost_from, memory_order_relaxed) == 0) {
        atomic_store_explicit(&ref.slot->lost_from, ref.value, memory_order_relaxed);
    }
}

/* The signal of an external reference. False: there is no such memory. */
bool geo_slot_add(const struct geo_event_ref *ref);

/* Back to not signalled, timestamps forgotten. */
void geo_slot_clear(struct geo_event_slot *slot);

/* Parks until park->ref is complete or *park->lost, then unpark is called once. False when it is so
 * already: the node is not in the lot and unpark is not called. */
bool geo_slot_park(struct geo_park *park);

/* Unparks whoever is lost: after *lost was set. */
void geo_slot_give_up(void);

/* The thread waits; NOT_READY when the time ran out. spin_ns: how long it spins before it sleeps.
 * lost (NULL: none): looked at now and then, not 0 is DEVICE_LOST. */
ze_result_t geo_slot_wait(const struct geo_event_ref *ref, uint64_t timeout_ns, uint64_t spin_ns,
                          const _Atomic uint32_t *lost);

#define GEO_LOOK_AGAIN_NS 100000000u /* how long a wait sleeps at most before it looks around */

/* Sleeps for a part of a longer wait, at most until the deadline and as long as nobody has to look
 * around; true when it is complete. */
bool geo_slot_nap(const struct geo_event_ref *ref, uint64_t deadline_ns);

/* In the child after fork: the lot is empty. */
void geo_slot_after_fork(void);

#endif
