/* Locks of objects. A fork cannot take all of them, because there are too many (fork.h). A lock
 * that a thread of the parent holds counts as free in the child, where that thread does not exist.
 * Therefore a holder keeps the protected data usable after every step.
 *
 * Taking the lock costs one atomic operation and releasing it one store. It is meant for critical
 * sections of a few instructions and for little contention. */
#ifndef GEO_BASE_LOCK_H
#define GEO_BASE_LOCK_H

#include "base/fork.h"

#include <errno.h>
#include <pthread.h>

/* A zeroed lock is free. */
struct geo_object_lock {
    _Atomic uint32_t
        holder; /* fork generation of the process whose thread holds the lock; 0: free */
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

/* Return whether a thread of this process holds the lock. For assertions: if another thread holds
 * it, the answer is true too, so they catch a forgotten lock in most runs and are never wrong. */
static inline bool geo_object_lock_held(const struct geo_object_lock *lock)
{
    return atomic_load_explicit(&lock->holder, memory_order_relaxed) == geo_fork_generation();
}

/* A lock for long work, such as a build: waiters sleep. A zeroed lock is free. In the child of a
 * fork, a lock that a thread of the parent holds counts as free. */
struct geo_work_lock {
    _Atomic uint32_t
        holder; /* fork generation of the process whose thread holds the lock; 0: free */
};

void geo_work_lock_acquire(struct geo_work_lock *lock);
/* Takes the lock only if it is free. Returns whether it did. */
bool geo_work_lock_try(struct geo_work_lock *lock);
void geo_work_lock_release(struct geo_work_lock *lock);

static inline bool geo_work_lock_held(const struct geo_work_lock *lock)
{
    return atomic_load_explicit(&lock->holder, memory_order_relaxed) == geo_fork_generation();
}

static inline bool geo_mutex_held(pthread_mutex_t *mutex)
{
    if (pthread_mutex_trylock(mutex) == EBUSY) {
        return true;
    }
    pthread_mutex_unlock(mutex);
    return false;
}

#endif
