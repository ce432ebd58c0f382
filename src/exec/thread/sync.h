/* The smallest synchronisation tools of the host runtime: futex calls, a three-state lock,
 * clocks.
 *
 * They are used where a pthread mutex or a condition variable would cost more than the work: when
 * submitting and waiting. Their state is reset to zero after fork, and nothing needs a
 * destructor. */
#ifndef GEO_EXEC_THREAD_SYNC_H
#define GEO_EXEC_THREAD_SYNC_H

#include "base/assert.h"
#include "base/clock.h"
#include "machine/machine.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define GEO_CACHE_LINE   64
#define GEO_NS_PER_US    1000u
#define GEO_NS_PER_SEC   1000000000u
#define GEO_WAIT_FOREVER UINT64_MAX

/* Returns CLOCK_MONOTONIC in nanoseconds, in which all deadlines are given. */
static inline uint64_t geo_now_ns(void)
{
    return geo_clock_ns();
}

/* Returns the clock of timestamps of host and device, CLOCK_MONOTONIC_RAW in nanoseconds. It is
 * never adjusted, so durations are true; but no system call can wait on it. */
static inline uint64_t geo_timer_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * GEO_NS_PER_SEC + (uint64_t)now.tv_nsec;
}

/* Returns now + timeout, saturating: GEO_WAIT_FOREVER stays the same. */
static inline uint64_t geo_deadline_ns(uint64_t timeout_ns)
{
    uint64_t deadline;
    if (__builtin_add_overflow(geo_now_ns(), timeout_ns, &deadline)) {
        return GEO_WAIT_FOREVER;
    }
    return deadline;
}

/* Sleeps while *word == expected, at most until deadline_ns (CLOCK_MONOTONIC; may be
 * GEO_WAIT_FOREVER). Returns false when the deadline has passed, true otherwise, also for spurious
 * returns. */
static inline bool geo_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline_ns,
                                  bool shared)
{
    struct timespec until, *timeout = NULL;
    if (deadline_ns != GEO_WAIT_FOREVER) {
        until.tv_sec = (time_t)(deadline_ns / GEO_NS_PER_SEC);
        until.tv_nsec = (long)(deadline_ns % GEO_NS_PER_SEC);
        timeout = &until;
    }
    int operation = FUTEX_WAIT_BITSET | (shared ? 0 : FUTEX_PRIVATE_FLAG);
    long result =
        syscall(SYS_futex, word, operation, expected, timeout, NULL, FUTEX_BITSET_MATCH_ANY);
    return !(result < 0 && errno == ETIMEDOUT);
}

/* Wakes up to `count` threads that sleep on the word. shared: the word is in shared memory. */
static inline void geo_futex_wake(_Atomic uint32_t *word, uint32_t count, bool shared)
{
    int operation = FUTEX_WAKE | (shared ? 0 : FUTEX_PRIVATE_FLAG);
    syscall(SYS_futex, word, operation, count > INT_MAX ? INT_MAX : count, NULL, NULL, 0);
}

/* A lock of four bytes: 0 free, 1 held, 2 held with sleepers. A zeroed lock is free. */
struct geo_lock {
    _Atomic uint32_t state;
};

void geo_lock_slow(struct geo_lock *lock);

static inline void geo_lock_acquire(struct geo_lock *lock)
{
    uint32_t free = 0;
    if (!atomic_compare_exchange_strong_explicit(&lock->state, &free, 1, memory_order_acquire,
                                                 memory_order_relaxed)) {
        geo_lock_slow(lock);
    }
}

/* Takes the lock if it is free. Returns whether it did. */
static inline bool geo_lock_try(struct geo_lock *lock)
{
    uint32_t free = 0;
    return atomic_compare_exchange_strong_explicit(&lock->state, &free, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

static inline void geo_lock_release(struct geo_lock *lock)
{
    uint32_t before = atomic_exchange_explicit(&lock->state, 0, memory_order_release);
    GEO_ASSERT(before != 0);
    if (before == 2) {
        geo_futex_wake(&lock->state, 1, false);
    }
}

/* Returns whether a thread holds the lock, not which one. For assertions. */
static inline bool geo_lock_held(const struct geo_lock *lock)
{
    return atomic_load_explicit(&lock->state, memory_order_relaxed) != 0;
}

/* Frees the lock in the child after fork, where its holder does not exist. */
static inline void geo_lock_reset(struct geo_lock *lock)
{
    atomic_store_explicit(&lock->state, 0, memory_order_relaxed);
}

/* Starts to calibrate geo_machine_ticks. Further calls have no effect. */
void geo_ticks_init(void);
uint64_t geo_ticks_to_ns(uint64_t ticks);

#endif
