/* Waiting for an object's lock, and taking it over from a thread that a fork left behind. See
 * lock.h. */
#include "base/lock.h"

#include "base/cancel.h"

#include <sched.h>
#include <time.h>

#define YIELDS   64 /* then the holder takes its time: it waits for work, or others have the CPU */
#define SLEEP_NS 50000

void geo_object_lock_slow(struct geo_object_lock *lock)
{
    GEO_CANCEL_HOLD; /* nanosleep is a cancellation point, and entries that are hot come here */
    const struct timespec nap = {.tv_nsec = SLEEP_NS};
    const uint32_t own = geo_fork_generation();
    for (uint32_t i = 0;; i++) {
        uint32_t holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
        if (holder != own &&
            atomic_compare_exchange_weak_explicit(&lock->holder, &holder, own, memory_order_acquire,
                                                  memory_order_relaxed)) {
            return;
        }
        if (i < YIELDS) {
            sched_yield();
        } else {
            nanosleep(&nap, NULL);
        }
    }
}
