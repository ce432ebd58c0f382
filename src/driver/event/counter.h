/* Counters: the slots behind counter-based events. An in-order list has one once it signals such an
 * event.
 *
 * The values of a list only rise. An immediate list uses a new value for each append. In a regular
 * list each record has a number from 1, and each submission has a base above all earlier values:
 *
 *     signals recorded       1    2    3
 *     first execution        1    2    3        base 0
 *     second                 4    5    6        base 3
 *
 * A list has one counter for events of this process and one, in shared memory, for events with the
 * flag IPC. The memory of counters is never returned to the system. A free counter is reused and
 * continues from its last value. So a reference {slot, value} in a recorded command may outlive
 * everything else, and is then complete. The last value in use is stored outside of shared memory
 * (next_base), where peers cannot write. Otherwise a peer could store a value with the flag bits of
 * a reference (backend/command.h). */
#ifndef GEO_DRIVER_EVENT_COUNTER_H
#define GEO_DRIVER_EVENT_COUNTER_H

#include "base/assert.h"
#include "driver/core/driver.h"

/* The memory of shared counters: a page of its own, so that its descriptor exposes nothing else. */
struct geo_counter_page {
    struct geo_allocation allocation;
    uint32_t generation; /* number of forks before it was made */
};
#define GEO_COUNTER_PAGE_BYTES 4096u

/* A counter. It is reference counted by lists, events and tables of bases; a free counter is kept
 * for reuse. */
struct geo_counter {
    struct geo_event_slot own;
    struct geo_event_slot *slot;   /* `own`, or a slot in the page */
    struct geo_counter_page *page; /* NULL if it is not shared */
    _Atomic uint32_t references;
    /* regular lists: base of the latest submission; before the first submission, the base that it
     * will have */
    _Atomic uint64_t base;
    /* regular lists: base of the next submission (several threads may submit a list); immediate
     * lists: the last value used */
    _Atomic uint64_t next_base;
    struct geo_counter *next; /* while it is free */
};

/* Returns a counter with one reference, or NULL if memory is short. The driver allocates shared
 * ones. */
struct geo_counter *geo_counter_acquire(struct geo_driver *driver, bool shared);

static inline void geo_counter_ref(struct geo_counter *counter)
{
    GEO_ASSERT(atomic_load_explicit(&counter->references, memory_order_relaxed) != 0);
    atomic_fetch_add_explicit(&counter->references, 1, memory_order_relaxed);
}

/* Releases a reference; accepts NULL. */
void geo_counter_unref(struct geo_counter *counter);

/* Returns the base of a submission that signals `count` times and makes it the latest. */
static inline uint64_t geo_counter_advance(struct geo_counter *counter, uint64_t count)
{
    uint64_t base = atomic_fetch_add_explicit(&counter->next_base, count, memory_order_relaxed);
    uint64_t latest = atomic_load_explicit(&counter->base, memory_order_relaxed);
    while (latest < base &&
           !atomic_compare_exchange_weak_explicit(&counter->base, &latest, base,
                                                  memory_order_release, memory_order_relaxed)) {
    }
    return base;
}

/* Records the value that an immediate list uses now. */
static inline void geo_counter_given(struct geo_counter *counter, uint64_t value)
{
    GEO_ASSERT(value > atomic_load_explicit(&counter->next_base, memory_order_relaxed) &&
               value <= GEO_EVENT_VALUE_MAX);
    atomic_store_explicit(&counter->next_base, value, memory_order_relaxed);
}

/* Returns the base of the latest submission. */
static inline uint64_t geo_counter_base(const struct geo_counter *counter)
{
    return atomic_load_explicit(&counter->base, memory_order_acquire);
}

/* Returns the value of the signal with this number in the latest submission; 0, which is always
 * complete, before the first submission. */
static inline uint64_t geo_counter_latest(const struct geo_counter *counter, uint64_t number)
{
    uint64_t base = geo_counter_base(counter);
    uint64_t next = atomic_load_explicit(&counter->next_base, memory_order_relaxed);
    return next == base ? 0 : base + number;
}

#endif
