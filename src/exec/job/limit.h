/* Stops work-groups that run longer than a limit, or that may wait for another group that has
 * faulted. Groups without a limit that wait for no other group need no timer.
 *
 * The limit is the option GEOID_KERNEL_TIMEOUT for all work of the process, or a value that was set
 * for the device, possibly by another process. That value may also be "no limit".
 *
 * A timer of the running thread sends it a signal every tick. The handler leaves the kernel as a
 * fault does, when the group has seen enough ticks or is told to stop. So compiled code needs no
 * checks and is the same with and without a limit. Compiled code holds no locks. Services that it
 * calls (printf) may hold some, and are left to finish. The application may install a handler of
 * that signal at any time; ours is put on top again within milliseconds (claim.h).
 *
 *     geo_limit_begin(&limit)                       a range of groups
 *         geo_limit_enter(&scope)   leave()         one group, inside its fault scope
 *             geo_limit_service_begin()   end()     code that must not be interrupted
 *     geo_limit_end(&limit) */
#ifndef GEO_EXEC_JOB_LIMIT_H
#define GEO_EXEC_JOB_LIMIT_H

#include "base/assert.h"
#include "exec/thread/fault.h"

#include <stdatomic.h>
#include <time.h>

/* The signal of the timers. SIGURG is ignored by default, and debuggers let it pass. */
#define GEO_LIMIT_SIGNAL SIGURG

/* The timer of a thread that runs a range of groups; on its stack. */
struct geo_limit {
    timer_t timer;
    bool armed, was_blocked;
};

#define GEO_LIMITS      32u        /* devices that can have a limit */
#define GEO_LIMIT_NEVER UINT32_MAX /* in ticks: groups are only stopped because of other groups */
#define GEO_LIMIT_NONE  UINT64_MAX /* in microseconds: no limit */

/* State of the calling thread, which its signal handler reads. */
struct geo_limit_here {
    struct geo_fault_scope *volatile scope; /* scope that may be left now; NULL: none */
    const _Atomic bool *stop;               /* true: the group ends at the next tick; NULL: never */
    uint32_t most;                          /* ticks that a group may run */
    volatile uint32_t ticks, services;
};
extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_limit_here geo_limit_here;

/* Reads the option. Called before the first launch. */
void geo_limit_open(void);

/* Returns the limit of the option in microseconds, or GEO_LIMIT_NONE. */
uint64_t geo_limit_option_us(void);

/* Sets the words that hold the limits from now on, one per device: microseconds, 0 (not set) or
 * GEO_LIMIT_NONE. Other processes write them; they must live as long as the process. */
void geo_limit_set_by(const _Atomic uint64_t *words);

/* Forgets the words in the child after fork: they belong to the parent. */
void geo_limit_after_fork(void);

/* The state that geo_limit_ticks reads: the words of geo_limit_set_by (NULL before that call), and
 * the limit of GEOID_KERNEL_TIMEOUT in ticks. */
extern _Atomic(const _Atomic uint64_t *) geo_limit_words;
extern uint32_t geo_limit_option_ticks;
/* Computes the limit in ticks for a device with a limit of its own, or before the words are set. */
uint32_t geo_limit_find(uint32_t device);
/* Returns after how many ticks a group that begins now is stopped on the device of this number; 0:
 * never. */
static inline uint32_t geo_limit_ticks(uint32_t device)
{
    GEO_ASSERT(device < GEO_LIMITS);
    const _Atomic uint64_t *words = atomic_load_explicit(&geo_limit_words, memory_order_relaxed);
    return __builtin_expect(
               words && atomic_load_explicit(&words[device], memory_order_relaxed) == 0, 1)
               ? geo_limit_option_ticks
               : geo_limit_find(device);
}

/* Starts the timer of the calling thread. ticks: not 0. stop: ends the groups when it becomes true;
 * NULL: only time does. */
void geo_limit_begin(struct geo_limit *limit, uint32_t ticks, const _Atomic bool *stop);
void geo_limit_end(struct geo_limit *limit);

/* Begins a group: it may be left from here on. */
static inline void geo_limit_enter(struct geo_fault_scope *scope)
{
    GEO_ASSERT(scope && !geo_limit_here.scope);
    geo_limit_here.ticks = 0;
    geo_limit_here.services = 0;
    geo_limit_here.scope = scope;
}

static inline void geo_limit_leave(void)
{
    geo_limit_here.scope = NULL;
}

/* Returns whether the group has to stop. */
static inline bool geo_limit_over(void)
{
    const struct geo_limit_here *here = &geo_limit_here;
    return here->ticks > here->most || (here->stop && atomic_load(here->stop));
}

/* Writes why a group of this thread was stopped to `text`, and returns it: which limit it was, its
 * value and how to raise it. */
#define GEO_LIMIT_REASON_BYTES 160u
const char *geo_limit_reason(char text[GEO_LIMIT_REASON_BYTES]);

/* Begins a service, during which the group is not stopped. */
static inline void geo_limit_service_begin(void)
{
    geo_limit_here.services++;
}

/* Ends a service, and leaves the kernel if its time has run out meanwhile. */
static inline void geo_limit_service_end(void)
{
    GEO_ASSERT(geo_limit_here.services != 0);
    geo_limit_here.services--;
    if (geo_limit_here.scope && geo_limit_over()) {
        geo_fault_raise(GEO_LIMIT_SIGNAL, (uintptr_t)__builtin_return_address(0));
    }
}

#endif
