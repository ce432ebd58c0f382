/* Raises event slots, sleeps on them and parks streams on them.
 *
 * A thread sleeps in a futex on the low word of the slot. A stream that waits occupies no thread:
 * it leaves a node in the parking lot, a hash table by slot address. The thread that raises the
 * slot calls the node's `unpark`. The count `sleepers` in the slot says whether anything waits, so
 * a raise without waiters costs one exchange and one load.
 *
 * Slots in shared memory are also raised by other processes, which do not know our parking lot; the
 * reactor watches those. Other processes may write any value into a slot, also into `sleepers` and
 * `flags`. So wake-ups of shared slots are only hints: threads and the reactor look again after
 * GEO_LOOK_AGAIN_NS at the latest. External references have no `sleepers` (word.h); the reactor
 * polls them. */
#ifndef GEO_EXEC_WAIT_SLOT_H
#define GEO_EXEC_WAIT_SLOT_H

#include "backend/command.h"
#include "base/assert.h"

#include <level_zero/ze_api.h>

#define GEO_SLEEPER_THREAD 1u
#define GEO_SLEEPER_PARKED 0x10000u

/* A node in the parking lot: something that waits for a slot without a thread. Its owner embeds it.
 */
struct geo_park {
    struct geo_park *next;
    struct geo_event_ref ref;
    const _Atomic uint32_t *lost;          /* stops waiting when this is not 0 */
    void (*unpark)(struct geo_park *park); /* called on any thread, without a lock held */
};

/* Declares that other processes may have slots from now on: memory was shared or imported. */
void geo_slot_expect_peers(void);

/* Wakes all waiters of a slot that was raised. */
void geo_slot_wake(struct geo_event_slot *slot);

/* Raises the slot and wakes all waiters. */
static inline void geo_slot_raise(struct geo_event_ref ref)
{
    GEO_ASSERT(ref.slot && ref.value <= GEO_EVENT_VALUE_MAX);
    atomic_exchange_explicit(&ref.slot->value, ref.value, memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&ref.slot->sleepers, memory_order_seq_cst) != 0, 0)) {
        geo_slot_wake(ref.slot);
    }
}

/* Marks the slot of work that was lost, before it is raised. */
static inline void geo_slot_mark_lost(struct geo_event_ref ref)
{
    GEO_ASSERT(ref.slot && ref.value <= GEO_EVENT_VALUE_MAX);
    if (atomic_load_explicit(&ref.slot->lost_from, memory_order_relaxed) == 0) {
        atomic_store_explicit(&ref.slot->lost_from, ref.value, memory_order_relaxed);
    }
}

/* Signals an external reference. Returns false if its memory is not there. */
bool geo_slot_add(const struct geo_event_ref *ref);

/* Resets the slot to not signalled, and its timestamps. */
void geo_slot_clear(struct geo_event_slot *slot);

/* Parks until park->ref is complete or *park->lost is set; then unpark is called once. Returns
 * false if that is so already: the node is not parked and unpark is not called. */
bool geo_slot_park(struct geo_park *park);

/* Unparks all nodes that are lost, after *lost was set. */
void geo_slot_give_up(void);

/* Waits on the calling thread. Returns NOT_READY when the time has run out, and DEVICE_LOST if
 * *lost (may be NULL, polled) becomes not 0. spin_ns: how long it spins before it sleeps. */
ze_result_t geo_slot_wait(const struct geo_event_ref *ref, uint64_t timeout_ns, uint64_t spin_ns,
                          const _Atomic uint32_t *lost);

#define GEO_LOOK_AGAIN_NS 100000000u /* longest sleep of a wait between two looks */

/* Sleeps for part of a longer wait: to the deadline at most, and at most until the thread has to
 * look again. Returns true if the event is complete. */
bool geo_slot_nap(const struct geo_event_ref *ref, uint64_t deadline_ns);

/* Empties the parking lot in the child after fork. */
void geo_slot_after_fork(void);

#endif
