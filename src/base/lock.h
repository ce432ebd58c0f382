/* Locks of objects, of which there are too many to be taken around a fork (fork.h). What a thread
 * of the parent held is free in the child, where that thread does not exist: so whoever holds one
 * leaves what it guards fit for use after every step.
 *
 * One atomic operation to take it and a store to give it back; made for a few instructions, and for
 * threads that seldom meet. */
#ifndef GEO_BASE_LOCK_H
#define GEO_BASE_LOCK_H

#include "base/fork.h"

/* Zeroed: free. */
struct geo_object_lock {
    _Atomic uint32_t holder; /* generation of the process whose thread holds it; 0: free */
};

void geo_object_lock_slow(struct geo_object_lock *lock) __attribute__((cold));

static inline void geo_object_lock_acquire(struct geo_object_lock *lock)
{
    uint32_t none = 0;
    if (__builtin_expect(
            !atomic_compare_exchange_strong_explicit(&lock->holder, &none, geo_fork_generation(),
                                                     memory_order_acquire, memory_order_relaxed),
            0)) {
        geo_object_lock_slow(lock);
    }
}

static inline void geo_object_lock_release(struct geo_object_lock *lock)
{
    atomic_store_explicit(&lock->holder, 0, memory_order_release);
}

#endif
