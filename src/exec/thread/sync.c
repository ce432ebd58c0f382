/* The slow paths of sync.h: contended locks and the calibration of the tick counter. */
#include "exec/thread/sync.h"

#include <pthread.h>

#define LOCK_SPINS     100
#define CALIBRATION_NS 200000u /* long enough that the cost of reading the clock does not matter */
#define TICKS_FRACTION 20      /* fixed-point bits of ns per tick */

void geo_lock_slow(struct geo_lock *lock)
{
    for (int i = 0; i < LOCK_SPINS; i++) {
        uint32_t free = 0;
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_weak_explicit(&lock->state, &free, 1, memory_order_acquire,
                                                  memory_order_relaxed)) {
            return;
        }
        geo_machine_pause();
    }
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0) {
        geo_futex_wait(&lock->state, 2, GEO_WAIT_FOREVER, false);
    }
}

static uint64_t base_ticks, base_ns;
static _Atomic uint64_t ns_per_tick; /* fixed point; 0 until measured */
static pthread_once_t base_once = PTHREAD_ONCE_INIT;

static void base_take(void)
{
    base_ticks = geo_machine_ticks();
    base_ns = geo_now_ns();
}

void geo_ticks_init(void)
{
    pthread_once(&base_once, base_take);
}

static uint64_t ticks_calibrate(void)
{
    geo_ticks_init();
    uint64_t ns;
    do {
        ns = geo_now_ns() - base_ns;
    } while (ns < CALIBRATION_NS);
    uint64_t ticks = geo_machine_ticks() - base_ticks;
    uint64_t rate = 1u << TICKS_FRACTION;
    if (ticks != 0) {
        rate = (uint64_t)((double)ns / (double)ticks * (double)(1u << TICKS_FRACTION));
    }
    rate = rate ? rate : 1;
    atomic_store_explicit(&ns_per_tick, rate, memory_order_relaxed);
    return rate;
}

uint64_t geo_ticks_to_ns(uint64_t ticks)
{
    uint64_t rate = atomic_load_explicit(&ns_per_tick, memory_order_relaxed);
    if (rate == 0) {
        rate = ticks_calibrate();
    }
    if (ticks >> 40) { /* minutes: keeps the product within 64 bits */
        return (ticks >> TICKS_FRACTION) * rate;
    }
    return (ticks * rate) >> TICKS_FRACTION;
}
