/* The reactor's thread and those that stand in for it. See reactor.h.
 *
 * The system has no call that sleeps on futex words and on descriptors at once. While descriptors
 * are awaited, the thread sleeps on them and on a socket of its own, and polls the words. The
 * program may close the socket by mistake while the thread sleeps, so that nobody can wake it.
 * Therefore it never sleeps longer than LOST_NS. */
#include "exec/wait/reactor.h"

#include "base/assert.h"
#include "base/cancel.h"
#include "exec/thread/sync.h"
#include "exec/thread/thread.h"
#include "exec/thread/worker.h"
#include "exec/wait/word.h"

#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define TICK_NS 2000000u
#define POLL_NS 1000000u /* between polls of words, without futex_waitv or beside descriptors */
#define LOST_NS 100000000u
#define FDS     63u /* slept on at once; any further ones are polled */

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/* struct futex_waitv of Linux 5.16, which older headers lack. */
struct wait_entry {
    uint64_t value;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};
#define WAIT_FUTEX_32   2u
#define WAIT_FUTEX_PRIV 128u

static _Atomic uint32_t signal_word; /* incremented to make the thread look again */
static _Atomic bool started, called;
/* last attempt to start it; last ticks by another thread */
static _Atomic uint64_t tried_ns, stood_in_ns;
static void (*_Atomic server)(void);
_Atomic uint32_t geo_backend_unattended;
static struct geo_lock start_lock;
static geo_reactor_collect_fn *_Atomic collector;
static struct geo_reactor_timer *_Atomic timers; /* armed timers, the newest first */
static struct geo_lock fds_lock;
static struct geo_reactor_fd *fds; /* awaited descriptors */
static _Atomic bool polling;       /* the thread sleeps on descriptors or is about to */
static struct geo_lock pokes_lock;
static struct geo_fd pokes[2] = {{.number = -1},
                                 /* a socket pair: one end to sleep on, one to write to */
                                 {.number = -1}};

/* ---- descriptors ---- */

/* Returns whether the mark `awaited` of a descriptor agrees with the list; fds_lock is held. */
static bool fd_is_valid(const struct geo_reactor_fd *watch)
{
    const struct geo_reactor_fd *listed = fds;
    while (listed && listed != watch) {
        listed = listed->next;
    }
    return geo_lock_held(&fds_lock) && watch->readable && watch->awaited == (listed != NULL);
}

static void fds_serve(void)
{
    geo_lock_acquire(&fds_lock);
    for (struct geo_reactor_fd **link = &fds; *link;) {
        struct geo_reactor_fd *watch = *link;
        GEO_ASSERT(watch->awaited && watch->readable);
        struct pollfd look = {.fd = geo_fd_get(&watch->file), .events = POLLIN};
        if (look.fd >= 0 && poll(&look, 1, 0) <= 0) {
            link = &watch->next;
            continue;
        }
        *link = watch->next;
        watch->awaited = false;
        watch->readable(watch);
    }
    geo_lock_release(&fds_lock);
}

/* Fills in at most FDS descriptors to poll. Returns how many there are. */
static uint32_t fds_gather(struct pollfd *entries)
{
    uint32_t count = 0;
    geo_lock_acquire(&fds_lock);
    for (const struct geo_reactor_fd *watch = fds; watch; watch = watch->next) {
        if (count < FDS) {
            entries[count] = (struct pollfd){.fd = geo_fd_get(&watch->file), .events = POLLIN};
        }
        count++;
    }
    geo_lock_release(&fds_lock);
    return count;
}

void geo_reactor_forget(struct geo_reactor_fd *watch)
{
    geo_lock_acquire(&fds_lock);
    GEO_ASSERT(!watch->awaited || fd_is_valid(watch));
    struct geo_reactor_fd **link = &fds;
    while (watch->awaited && *link != watch) {
        link = &(*link)->next;
    }
    if (watch->awaited) {
        *link = watch->next;
        watch->awaited = false;
    }
    geo_lock_release(&fds_lock);
}

static void pokes_close(void)
{
    geo_fd_close(&pokes[0]);
    geo_fd_close(&pokes[1]);
}

/* Returns the socket that ends the thread's sleep on descriptors, or -1 if descriptors have run
 * out. If the program has closed one of the pair, a new pair is made. A foreign file under that
 * number does no harm: geo_fd_get compares inodes, and send and recv fail on other files. */
static int poke_fd(void)
{
    int pair[2];
    geo_lock_acquire(&pokes_lock);
    int fd = geo_fd_get(&pokes[0]);
    if (fd < 0 || geo_fd_get(&pokes[1]) < 0) {
        pokes_close();
        fd = -1;
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0) {
            pokes[0] = geo_fd_keep(pair[0]);
            pokes[1] = geo_fd_keep(pair[1]);
            fd = pokes[0].number;
        }
    }
    geo_lock_release(&pokes_lock);
    return fd;
}

static void poke_send(void)
{
    GEO_CANCEL_HOLD; /* send is a cancellation point, and frequently called entries reach this */
    geo_lock_acquire(&pokes_lock);
    int fd = geo_fd_get(&pokes[1]);
    if (fd >= 0) { /* a full socket wakes the thread as well */
        (void)!send(fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    geo_lock_release(&pokes_lock);
}

static void poke_drain(void)
{
    char drained[64];
    int fd = geo_fd_get(&pokes[0]);
    while (fd >= 0 && recv(fd, drained, sizeof(drained), MSG_DONTWAIT) == sizeof(drained)) {
    }
}

/* Sleeps like reactor_sleep. `entries` has room for one more. */
static void fds_sleep(struct pollfd *entries, uint32_t count, uint32_t seen, uint64_t nap_ns)
{
    int own = poke_fd();
    uint64_t longest = own < 0 || count > FDS ? POLL_NS : LOST_NS;
    nap_ns = nap_ns < longest ? nap_ns : longest;
    count = count < FDS ? count : FDS;
    entries[count] = (struct pollfd){.fd = own, .events = POLLIN};
    struct timespec nap = {.tv_sec = (time_t)(nap_ns / GEO_NS_PER_SEC),
                           .tv_nsec = (long)(nap_ns % GEO_NS_PER_SEC)};
    /* set before the check: whoever changes the word later also writes to the socket */
    atomic_store(&polling, true);
    if (atomic_load(&signal_word) == seen) {
        (void)ppoll(entries, count + 1, &nap, NULL);
    }
    atomic_store(&polling, false);
    poke_drain();
}

/* ---- sleeping ---- */

/* Sleeps until a word changes, or nap_ns is over (GEO_WAIT_FOREVER: no limit). */
static void words_sleep(const struct geo_reactor_look *look, uint32_t seen, uint64_t nap_ns)
{
    GEO_ASSERT(look->count <= GEO_REACTOR_WORDS);
    struct wait_entry entries[GEO_REACTOR_WORDS + 1];
    memset(entries, 0, sizeof(entries));
    entries[0].value = seen;
    entries[0].address = (uint64_t)(uintptr_t)&signal_word;
    entries[0].flags = WAIT_FUTEX_32 | WAIT_FUTEX_PRIV;
    for (uint32_t i = 0; i < look->count; i++) {
        entries[i + 1].value = look->words[i].seen;
        entries[i + 1].address = (uint64_t)(uintptr_t)look->words[i].futex;
        entries[i + 1].flags = WAIT_FUTEX_32;
    }
    uint64_t deadline = geo_deadline_ns(nap_ns);
    if (look->count == 0) {
        geo_futex_wait(&signal_word, seen, deadline, false);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)(deadline / GEO_NS_PER_SEC),
                             .tv_nsec = (long)(deadline % GEO_NS_PER_SEC)};
    long result = syscall(SYS_futex_waitv, entries, look->count + 1, 0,
                          deadline == GEO_WAIT_FOREVER ? NULL : &until, CLOCK_MONOTONIC);
    if (result < 0 && errno != EAGAIN && errno != ETIMEDOUT && errno != EINTR) {
        geo_futex_wait(&signal_word, seen, geo_deadline_ns(POLL_NS), false);
    }
}

static void reactor_sleep(const struct geo_reactor_look *look, uint32_t seen, uint64_t nap_ns)
{
    struct pollfd entries[FDS + 1];
    uint32_t count = fds_gather(entries);
    if (count == 0) {
        words_sleep(look, seen, nap_ns);
    } else {
        fds_sleep(entries, count, seen, look->count && nap_ns > POLL_NS ? POLL_NS : nap_ns);
    }
}

/* ---- timers ---- */

static void timer_push(struct geo_reactor_timer *timer)
{
    GEO_ASSERT(timer->tick);
    timer->next = atomic_load_explicit(&timers, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&timers, &timer->next, timer)) {
    }
}

/* A timer whose tick returns false may be armed again, or freed, before the tick returns. */
static void timers_tick(void)
{
    struct geo_reactor_timer *timer = atomic_exchange(&timers, NULL);
    while (timer) {
        struct geo_reactor_timer *next = timer->next;
        if (timer->tick(timer)) {
            timer_push(timer);
        }
        timer = next;
    }
}

/* ---- the reactor thread ---- */

/* Runs tasks that no worker comes for. Meanwhile other threads stand in for the reactor. */
static void reactor_serve(void)
{
    GEO_ASSERT(geo_here.depth == 1 && atomic_load(&server));
    atomic_fetch_add(&geo_backend_unattended, 1);
    geo_here.depth = 0;
    geo_here.owes = false;
    atomic_load (&server)();
    geo_here.depth = 1;
    atomic_fetch_sub(&geo_backend_unattended, 1);
}

/* Threads of the runtime have a stack of 2 MiB. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
static void *reactor_main(void *unused)
{
    (void)unused;
    uint64_t nap = GEO_NAP_MIN_NS, ticked = 0;
    geo_here.depth = 1; /* work that it makes ready is run below */
    uint32_t before = 0;
    for (;;) {
        struct geo_reactor_look look;
        GEO_ASSERT(geo_here.depth == 1);
        look.count = 0;
        look.again = false;
        look.most_ns = GEO_WAIT_FOREVER;
        uint32_t seen = atomic_load(&signal_word);
        geo_reactor_collect_fn *collect = atomic_load(&collector);
        if (collect) {
            collect(&look);
        }
        fds_serve();
        if (atomic_exchange(&called, false) || geo_here.owes) {
            reactor_serve();
            continue;
        }
        bool tick = atomic_load(&timers) != NULL;
        /* the words were changed: look sooner */
        nap = seen == before ? geo_nap_longer(nap) : GEO_NAP_MIN_NS;
        before = seen;
        reactor_sleep(&look, seen, look.again ? nap : tick ? TICK_NS : look.most_ns);
        if (tick && geo_now_ns() - ticked >= TICK_NS) {
            ticked = geo_now_ns();
            timers_tick();
        }
    }
    return NULL;
}
#pragma GCC diagnostic pop

static void reactor_start(void)
{
    geo_lock_acquire(&start_lock);
    if (!atomic_load(&started)) {
        bool failed_before = atomic_load(&tried_ns) != 0;
        /* a failed start has counted the missing thread */
        GEO_ASSERT(!failed_before || atomic_load(&geo_backend_unattended) != 0);
        bool done = geo_exec_thread_start(reactor_main, NULL);
        if (!done && !failed_before) {
            atomic_fetch_add(&geo_backend_unattended, 1);
        } else if (done && failed_before) {
            atomic_fetch_sub(&geo_backend_unattended, 1);
        }
        atomic_store(&tried_ns, done ? 0 : geo_now_ns());
        atomic_store(&started, done);
    }
    geo_lock_release(&start_lock);
}

bool geo_reactor_attends(void)
{
    if (!atomic_load_explicit(&started, memory_order_acquire)) {
        reactor_start();
    }
    return !geo_reactor_missing();
}

static void reactor_poke(void)
{
    atomic_fetch_add(&signal_word, 1);
    (void)geo_reactor_attends();
    geo_futex_wake(&signal_word, 1, false);
    if (atomic_load(&polling)) {
        poke_send();
    }
}

bool geo_reactor_call(void)
{
    if (!geo_reactor_attends()) {
        return false;
    }
    atomic_store(&called, true);
    reactor_poke();
    return true;
}

static bool due(_Atomic uint64_t *last_ns)
{
    uint64_t now = geo_now_ns(), last = atomic_load(last_ns);
    return now - last >= TICK_NS && atomic_compare_exchange_strong(last_ns, &last, now);
}

void geo_reactor_stand_in(void)
{
    struct geo_reactor_look look;
    geo_reactor_collect_fn *collect = atomic_load(&collector);
    if (geo_here.depth != 0) {
        return;
    }
    if (geo_now_ns() - atomic_load(&tried_ns) >= TICK_NS && geo_reactor_attends()) {
        return;
    }
    GEO_CANCEL_HOLD;
    geo_here.depth = 1;
    look.count = 0;
    look.again = false;
    look.most_ns = GEO_WAIT_FOREVER;
    if (collect) {
        collect(&look);
    }
    fds_serve();
    if (due(&stood_in_ns)) {
        timers_tick();
    }
    geo_here.depth = 0;
    if (geo_here.owes) {
        geo_here.owes = false;
        atomic_load (&server)();
    }
}

void geo_reactor_serve_by(void (*serve)(void))
{
    atomic_store(&server, serve);
}

void geo_reactor_watch(geo_reactor_collect_fn *collect)
{
    atomic_store(&collector, collect);
    reactor_poke();
}

void geo_reactor_await(struct geo_reactor_fd *watch)
{
    geo_lock_acquire(&fds_lock);
    GEO_ASSERT(fd_is_valid(watch));
    if (!watch->awaited) {
        watch->awaited = true;
        watch->next = fds;
        fds = watch;
    }
    geo_lock_release(&fds_lock);
    reactor_poke();
}

void geo_reactor_arm(struct geo_reactor_timer *timer)
{
    timer_push(timer);
    reactor_poke();
}

void geo_reactor_after_fork(void)
{
    atomic_store(&started, false);
    atomic_store(&called, false);
    atomic_store(&tried_ns, 0);
    atomic_store(&geo_backend_unattended, 0);
    atomic_store(&timers, NULL);
    atomic_store(&polling, false);
    geo_lock_reset(&pokes_lock);
    pokes_close(); /* this closes only the child's copies */
    for (; fds; fds = fds->next) {
        fds->awaited = false;
    }
    geo_lock_reset(&fds_lock);
    geo_lock_reset(&start_lock);
}
