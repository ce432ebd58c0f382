/* Counters: the slots behind counter-based events, one per in-order list that signals any.
 *
 * A list gives out values that only rise. An immediate list gives out one with each append. In a
 * regular list a record has a number from 1, and each submission a base above all that came before:
 *
 *     signals recorded       1    2    3
 *     first execution        1    2    3        base 0
 *     second                 4    5    6        base 3
 *
 * A list has one for the events of this process and one for events with the flag IPC, in shared
 * memory. Their memory is never given back to the system, a counter that nobody refers to is
 * used again and goes on counting from where it was. So a reference {slot, value} in a recorded
 * command may outlive everything else: it is complete then. What was given out is kept outside of
 * shared memory (next_base), because peers may write there: a value with the marks of a reference
 * (backend/command.h) would be taken for one. */
#ifndef GEO_DRIVER_CMD_COUNTER_H
#define GEO_DRIVER_CMD_COUNTER_H

#include "driver/core/driver.h"

/* What shared counters lie in: one page, so that a descriptor shows nothing else. */
struct geo_counter_page {
    struct geo_allocation allocation;
    uint32_t generation; /* how many forks lie before it */
};
#define GEO_COUNTER_PAGE_BYTES 4096u

struct geo_counter {
    struct geo_event_slot own;
    struct geo_event_slot *slot;   /* own, or in the page */
    struct geo_counter_page *page; /* NULL: not shared */
    _Atomic uint32_t references;
    _Atomic uint64_t base; /* regular lists: of the latest submission, or of the first to come */
    _Atomic uint64_t next_base; /* of the next one: several threads may submit a list; immediate
                                   lists: the last value given out */
    struct geo_counter *next;   /* while free */
};

/* With one reference; NULL without memory. For shared ones the driver gives it. */
struct geo_counter *geo_counter_acquire(struct geo_driver *driver, bool shared);

static inline void geo_counter_ref(struct geo_counter *counter)
{
    atomic_fetch_add_explicit(&counter->references, 1, memory_order_relaxed);
}

/* Accepts NULL. */
void geo_counter_unref(struct geo_counter *counter);

/* The base of a submission that signals `count` times; from now on it is the latest. */
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

/* An immediate list has given out this value, above all that came before. */
static inline void geo_counter_given(struct geo_counter *counter, uint64_t value)
{
    atomic_store_explicit(&counter->next_base, value, memory_order_relaxed);
}

static inline uint64_t geo_counter_base(const struct geo_counter *counter)
{
    return atomic_load_explicit(&counter->base, memory_order_acquire);
}

/* The value of the signal with this number in the latest submission; before the first one 0, which
 * has always come. */
static inline uint64_t geo_counter_latest(const struct geo_counter *counter, uint64_t number)
{
    uint64_t base = geo_counter_base(counter);
    uint64_t next = atomic_load_explicit(&counter->next_base, memory_order_relaxed);
    return next == base ? 0 : base + number;
}

#endif
