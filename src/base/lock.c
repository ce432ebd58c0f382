/* Waits for an object's lock and takes over a lock that a fork left locked. See lock.h. */
#include "base/lock.h"

#include "base/cancel.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define YIELDS 64 /* after this many attempts the holder is probably waiting or preempted: sleep */
#define SLEEP_NS 50000

void geo_object_lock_slow(struct geo_object_lock *lock)
{
    GEO_CANCEL_HOLD; /* nanosleep is a cancellation point, and hot API entries get here */
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

void geo_work_lock_acquire(struct geo_work_lock *lock)
{
    const uint32_t own = geo_fork_generation();
    for (;;) {
        uint32_t holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
        if (holder == own) {
            syscall(SYS_futex, &lock->holder, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, own, NULL);
        } else if (atomic_compare_exchange_weak_explicit(
                       &lock->holder, &holder, own, memory_order_acquire, memory_order_relaxed)) {
            return;
        }
    }
}

bool geo_work_lock_try(struct geo_work_lock *lock)
{
    const uint32_t own = geo_fork_generation();
    uint32_t holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
    return holder != own &&
           atomic_compare_exchange_strong_explicit(&lock->holder, &holder, own,
                                                   memory_order_acquire, memory_order_relaxed);
}

void geo_work_lock_release(struct geo_work_lock *lock)
{
    atomic_store_explicit(&lock->holder, 0, memory_order_release);
    syscall(SYS_futex, &lock->holder, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX);
}
