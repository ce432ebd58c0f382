/* The smallest synchronisation tools of the host runtime: futex calls, a three-state lock, clocks.
 *
 * Used on submission and wait paths, where a pthread mutex or a condition variable would cost more
 * than the work. Everything here is reset to zero by after_fork, nothing needs a destructor. */
#ifndef GEO_EXEC_SYNC_H
#define GEO_EXEC_SYNC_H

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

/* CLOCK_MONOTONIC in nanoseconds: the base of every deadline. */
static inline uint64_t geo_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * GEO_NS_PER_SEC + (uint64_t)now.tv_nsec;
}

/* The clock of timestamps, CLOCK_MONOTONIC_RAW in nanoseconds: the host's and the device's. Unlike
 * the other nothing corrects it, so lengths are true; no wait of the system knows it. */
static inline uint64_t geo_timer_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * GEO_NS_PER_SEC + (uint64_t)now.tv_nsec;
}

/* now + timeout, saturating: GEO_WAIT_FOREVER stays for ever. */
static inline uint64_t geo_deadline_ns(uint64_t timeout_ns)
{
    uint64_t deadline;
    if (__builtin_add_overflow(geo_now_ns(), timeout_ns, &deadline)) {
        return GEO_WAIT_FOREVER;
    }
    return deadline;
}

/* Sleeps while *word == expected, at most until deadline_ns (CLOCK_MONOTONIC; for ever possible).
 * False when the deadline passed; true for everything else, also spurious returns. */
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

static inline void geo_futex_wake(_Atomic uint32_t *word, uint32_t count, bool shared)
{
    int operation = FUTEX_WAKE | (shared ? 0 : FUTEX_PRIVATE_FLAG);
    syscall(SYS_futex, word, operation, count > INT_MAX ? INT_MAX : count, NULL, NULL, 0);
}

/* A lock of four bytes: 0 free, 1 held, 2 held with sleepers. Zero-initialised is ready. */
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

static inline void geo_lock_release(struct geo_lock *lock)
{
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2) {
        geo_futex_wake(&lock->state, 1, false);
    }
}

/* In the child after fork, where the holder no longer exists. */
static inline void geo_lock_reset(struct geo_lock *lock)
{
    atomic_store_explicit(&lock->state, 0, memory_order_relaxed);
}

/* Starts the calibration of geo_machine_ticks; again is harmless. */
void geo_ticks_init(void);
uint64_t geo_ticks_to_ns(uint64_t ticks);

#endif
