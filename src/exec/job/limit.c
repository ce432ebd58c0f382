/* The timer and the signal handler of the limit for work-groups. See limit.h. */
#include "exec/job/limit.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/option.h"
#include "exec/thread/busy.h"
#include "exec/thread/claim.h"
#include "exec/thread/sync.h"
#include "exec/wait/reactor.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define SECONDS_MAX 1000000u
#define TICK_NS     100000000u
#define TICK_US     (TICK_NS / GEO_NS_PER_US)

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

_Thread_local __attribute__((tls_model("initial-exec"))) struct geo_limit_here geo_limit_here;

uint32_t geo_limit_option_ticks;
_Atomic(const _Atomic uint64_t *) geo_limit_words;

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static const char mark; /* its address marks signals of our timers */

static void limit_handle(int number, siginfo_t *info, void *context);

static struct geo_claim claim = {
    .number = GEO_LIMIT_SIGNAL, .flags = SA_RESTART, .ignored = true, .handle = limit_handle};

static void limit_handle(int number, siginfo_t *info, void *context)
{
    struct geo_limit_here *here = &geo_limit_here;
    struct geo_fault_scope *scope = here->scope;
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &mark) {
        geo_claim_pass(&claim, info, context);
        return;
    }
    here->ticks = here->ticks + 1;
    if (!scope || here->services != 0 || !geo_limit_over()) {
        return;
    }
    const ucontext_t *state = context;
    GEO_ASSERT(scope == geo_fault_current);
    here->scope = NULL;
    scope->signal = number;
    scope->touched = false;
    scope->address = 0;
    scope->instruction = geo_machine_instruction(state);
    pthread_sigmask(SIG_SETMASK, &state->uc_sigmask, NULL);
    longjmp(scope->point, 1);
}

/* ---- guarding the handler ----
 *
 * The application may install a handler for the signal while a group runs, and the next group may
 * begin much later. So the reactor checks every few milliseconds while groups with a limit run. */

static _Atomic uint32_t guarded; /* ranges with a limit that run now */
static _Atomic bool guarding;    /* the reactor's timer is armed */

static bool guard_tick(struct geo_reactor_timer *timer)
{
    (void)timer;
    (void)geo_claim_install(&claim);
    if (atomic_load(&guarded) != 0) {
        return true;
    }
    atomic_store(&guarding, false);
    return atomic_load(&guarded) != 0 && !atomic_exchange(&guarding, true);
}

static void guard_begin(void)
{
    static struct geo_reactor_timer timer = {.tick = guard_tick};
    atomic_fetch_add(&guarded, 1);
    if (!atomic_exchange(&guarding, true)) {
        geo_reactor_arm(&timer);
    }
}

static void guard_end(void)
{
    atomic_fetch_sub(&guarded, 1);
}

static void limit_open(void)
{
    uint64_t seconds = geo_option_number("GEOID_KERNEL_TIMEOUT", 0, SECONDS_MAX);
    if (seconds != 0) {
        (void)geo_claim_install(&claim);
        geo_limit_option_ticks = (uint32_t)(seconds * (GEO_NS_PER_SEC / TICK_NS));
    }
}

void geo_limit_open(void)
{
    pthread_once(&open_once, limit_open);
}

uint64_t geo_limit_option_us(void)
{
    return geo_limit_option_ticks ? (uint64_t)geo_limit_option_ticks * TICK_US : GEO_LIMIT_NONE;
}

void geo_limit_set_by(const _Atomic uint64_t *words)
{
    atomic_store(&geo_limit_words, words);
}

void geo_limit_after_fork(void)
{
    atomic_store(&geo_limit_words, NULL);
    atomic_store(&guarded, 0); /* those run in the parent */
    atomic_store(&guarding, false);
}

/* Returns the limit in whole ticks, rounded up. */
uint32_t geo_limit_find(uint32_t device)
{
    if (!atomic_load_explicit(&geo_limit_words, memory_order_relaxed)) {
        geo_busy_ask();
    }
    const _Atomic uint64_t *words = atomic_load(&geo_limit_words);
    uint64_t us = words ? atomic_load_explicit(&words[device], memory_order_relaxed) : 0;
    if (us == 0 || us == GEO_LIMIT_NONE) {
        return us == 0 ? geo_limit_option_ticks : 0;
    }
    uint64_t ticks = us / TICK_US + (us % TICK_US != 0);
    return ticks < GEO_LIMIT_NEVER ? (uint32_t)ticks : GEO_LIMIT_NEVER;
}

static void signal_block(bool block, bool *was_blocked)
{
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, GEO_LIMIT_SIGNAL);
    pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, &old);
    *was_blocked = sigismember(&old, GEO_LIMIT_SIGNAL) == 1;
}

/* Logs once that a limit cannot be enforced. */
static void unlimited_tell(const char *what)
{
    static _Atomic bool told;
    int reason = errno;
    if (!atomic_exchange(&told, true)) {
        geo_log("cpu", GEO_LOG_ERROR,
                "work-groups cannot be stopped: the system gives no %s (%s). GEOID_KERNEL_TIMEOUT "
                "and the watchdog of the device's scheduler do not hold. More pending signals "
                "(ulimit -i) may help",
                what, strerrordesc_np(reason));
    }
}

static bool timer_start(struct geo_limit *limit)
{
    struct sigevent event;
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = GEO_LIMIT_SIGNAL;
    event.sigev_value.sival_ptr = (void *)(uintptr_t)&mark;
    event.sigev_notify_thread_id = gettid();
    const struct timespec tick = {.tv_nsec = TICK_NS};
    const struct itimerspec rate = {.it_interval = tick, .it_value = tick};
    if (timer_create(CLOCK_MONOTONIC, &event, &limit->timer) != 0) {
        return false;
    }
    signal_block(false, &limit->was_blocked);
    timer_settime(limit->timer, 0, &rate, NULL);
    return true;
}

void geo_limit_begin(struct geo_limit *limit, uint32_t ticks, const _Atomic bool *stop)
{
    GEO_ASSERT(ticks != 0 && !geo_limit_here.scope);
    geo_limit_here.stop = stop;
    geo_limit_here.most = ticks;
    limit->armed = false;
    if (!geo_claim_install(&claim)) {
        unlimited_tell("handler for a signal");
        return;
    }
    limit->armed = timer_start(limit);
    if (!limit->armed) {
        unlimited_tell("timer");
        return;
    }
    guard_begin();
}

void geo_limit_end(struct geo_limit *limit)
{
    bool unused;
    GEO_ASSERT(!geo_limit_here.scope);
    geo_limit_here.stop = NULL;
    if (limit->armed) {
        guard_end();
        timer_delete(limit->timer);
        if (limit->was_blocked) {
            signal_block(true, &unused);
        }
    }
}

const char *geo_limit_reason(char text[GEO_LIMIT_REASON_BYTES])
{
    const uint32_t most = geo_limit_here.most;
    const bool by_option = most == geo_limit_option_ticks;
    const uint64_t most_us = (uint64_t)most * TICK_US;
    snprintf(text, GEO_LIMIT_REASON_BYTES,
             "it took too long: a work-group ran for more than %.1f s, %s", (double)most_us / 1e6,
             by_option ? "the limit of GEOID_KERNEL_TIMEOUT (0: no limit)"
                       : "the limit of the device's scheduler (zesSchedulerSetTimeoutMode)");
    return text;
}
