/* The reactor's thread. See reactor.h. */
#include "exec/reactor.h"

#include "exec/pool.h"
#include "exec/sync.h"

#include <linux/futex.h>
#include <pthread.h>
#include <string.h>

#define WATCH_LIMIT 127u /* one futex_waitv takes 128 words, one is ours */
#define TICK_NS     2000000u
#define POLL_NS     1000000u /* where the kernel lacks futex_waitv, or there is too much to watch */

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/* struct futex_waitv of Linux 5.16; older headers lack it. */
struct wait_entry {
    uint64_t value;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};
#define WAIT_FUTEX_32   2u
#define WAIT_FUTEX_PRIV 128u

static _Atomic uint32_t signal_word; /* bumped to make the thread look again */
static _Atomic bool ticking, started;
static struct geo_lock start_lock;

static void reactor_sleep(const struct geo_slot_watch *watches, size_t count, uint32_t seen,
                          bool tick)
{
    struct wait_entry entries[WATCH_LIMIT + 1];
    memset(entries, 0, sizeof(entries));
    entries[0].value = seen;
    entries[0].address = (uint64_t)(uintptr_t)&signal_word;
    entries[0].flags = WAIT_FUTEX_32 | WAIT_FUTEX_PRIV;
    for (size_t i = 0; i < count; i++) {
        entries[i + 1].value = watches[i].seen;
        entries[i + 1].address = (uint64_t)(uintptr_t)watches[i].futex;
        entries[i + 1].flags = WAIT_FUTEX_32;
    }
    uint64_t deadline = tick ? geo_deadline_ns(TICK_NS) : GEO_WAIT_FOREVER;
    if (count == WATCH_LIMIT) {
        deadline = geo_deadline_ns(POLL_NS);
    }
    if (count == 0) {
        geo_futex_wait(&signal_word, seen, deadline, false);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)(deadline / GEO_NS_PER_SEC),
                             .tv_nsec = (long)(deadline % GEO_NS_PER_SEC)};
    long result = syscall(SYS_futex_waitv, entries, (unsigned)(count + 1), 0,
                          deadline == GEO_WAIT_FOREVER ? NULL : &until, CLOCK_MONOTONIC);
    if (result < 0 && errno != EAGAIN && errno != ETIMEDOUT && errno != EINTR) {
        geo_futex_wait(&signal_word, seen, geo_deadline_ns(POLL_NS), false);
    }
}

static void *reactor_main(void *unused)
{
    (void)unused;
    for (;;) {
        struct geo_slot_watch watches[WATCH_LIMIT];
        uint32_t seen = atomic_load(&signal_word);
        size_t count = geo_slot_watched(watches, WATCH_LIMIT);
        bool tick = atomic_load(&ticking);
        reactor_sleep(watches, count, seen, tick);
        if (tick) {
            atomic_store(&ticking, false); /* before looking: who comes later sets it again */
            if (geo_pool_rescue()) {
                atomic_store(&ticking, true);
            }
        }
    }
    return NULL;
}

static void reactor_start(void)
{
    geo_lock_acquire(&start_lock);
    if (!atomic_load(&started)) {
        atomic_store(&started, geo_pool_thread(reactor_main, NULL));
    }
    geo_lock_release(&start_lock);
}

static void reactor_poke(void)
{
    atomic_fetch_add(&signal_word, 1);
    if (!atomic_load_explicit(&started, memory_order_acquire)) {
        reactor_start();
    }
    geo_futex_wake(&signal_word, 1, false);
}

void geo_reactor_watch(void)
{
    reactor_poke();
}

void geo_reactor_tick(void)
{
    if (!atomic_load_explicit(&ticking, memory_order_seq_cst) && !atomic_exchange(&ticking, true)) {
        reactor_poke();
    }
}

void geo_reactor_after_fork(void)
{
    atomic_store(&started, false);
    atomic_store(&ticking, false);
    geo_lock_reset(&start_lock);
}
