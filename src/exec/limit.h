/* Work-groups that are stopped: because they run for longer than a limit, or because another, for
 * which they may wait, has faulted. Of groups without a limit that wait for nobody no timer is
 * made.
 *
 * The limit is the option GEOID_KERNEL_TIMEOUT, for all work of the process; or what somebody,
 * maybe in another process, has set for the device, also that there is none.
 *
 * A timer of the running thread sends a signal every tick; the handler leaves the kernel as a fault
 * does, when enough ticks have come since the group began, or it is told to. So compiled code needs
 * no checks and is the same with and without a limit, and a thread that gets no processor does not
 * spend its time. Compiled code holds no lock anywhere; what it calls may (services: printf), and
 * is left to finish. The application may install a handler of that signal at any time: ours comes
 * over it again within milliseconds (claim.h).
 *
 *     geo_limit_begin(&limit)                       a range of groups
 *         geo_limit_enter(&scope)   leave()         one group, inside of its scope for faults
 *             geo_limit_service_begin()   end()     what may not be left
 *     geo_limit_end(&limit) */
#ifndef GEO_EXEC_LIMIT_H
#define GEO_EXEC_LIMIT_H

#include "exec/fault.h"

#include <stdatomic.h>
#include <time.h>

/* One that nobody minds: ignored unless somebody handles it, and debuggers let it pass. */
#define GEO_LIMIT_SIGNAL SIGURG

struct geo_limit {
    timer_t timer;
    bool armed, was_blocked;
};

#define GEO_LIMITS      32u        /* devices that can have one */
#define GEO_LIMIT_NEVER UINT32_MAX /* ticks: groups are stopped because of others only */
#define GEO_LIMIT_NONE  UINT64_MAX /* microseconds: there is none */

struct geo_limit_here {
    struct geo_fault_scope *volatile scope; /* what may be left; NULL: nothing */
    const _Atomic bool *stop;               /* true: it ends at the next tick; NULL: never */
    uint32_t most;                          /* ticks that a group may see */
    volatile uint32_t ticks, services;
};
extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_limit_here geo_limit_here;

/* Reads the option, before the first launch. */
void geo_limit_open(void);

/* What it says, in microseconds; GEO_LIMIT_NONE. */
uint64_t geo_limit_option_us(void);

/* From here on limits are set in these words, one for each device: microseconds, 0: nobody has set
 * one, GEO_LIMIT_NONE. Others write there; they live as long as the process. */
void geo_limit_set_by(const _Atomic uint64_t *words);

/* In the child after fork: the words are the parent's. */
void geo_limit_after_fork(void);

/* In how many ticks a group that begins now has to end on the device of this number; 0: it may run
 * for ever. */
extern _Atomic(const _Atomic uint64_t *) geo_limit_words; /* NULL: none are there */
extern uint32_t geo_limit_option_ticks;                   /* of the option */
uint32_t geo_limit_find(uint32_t device);
static inline uint32_t geo_limit_ticks(uint32_t device)
{
    const _Atomic uint64_t *words = atomic_load_explicit(&geo_limit_words, memory_order_relaxed);
    return __builtin_expect(
               words && atomic_load_explicit(&words[device], memory_order_relaxed) == 0, 1)
               ? geo_limit_option_ticks
               : geo_limit_find(device);
}

/* ticks: not 0. stop: ends the groups when it becomes true; NULL: time alone does. */
void geo_limit_begin(struct geo_limit *limit, uint32_t ticks, const _Atomic bool *stop);
void geo_limit_end(struct geo_limit *limit);

static inline void geo_limit_enter(struct geo_fault_scope *scope)
{
    geo_limit_here.ticks = 0;
    geo_limit_here.services = 0;
    geo_limit_here.scope = scope;
}

static inline void geo_limit_leave(void)
{
    geo_limit_here.scope = NULL;
}

static inline bool geo_limit_over(void)
{
    const struct geo_limit_here *here = &geo_limit_here;
    return here->ticks > here->most || (here->stop && atomic_load(here->stop));
}

/* Returns why a group of this thread was stopped, in `text`: which limit it was, its value and how
 * to raise it. */
#define GEO_LIMIT_REASON_BYTES 160u
const char *geo_limit_reason(char text[GEO_LIMIT_REASON_BYTES]);

static inline void geo_limit_service_begin(void)
{
    geo_limit_here.services++;
}

/* Leaves the kernel when its time ran out meanwhile. */
static inline void geo_limit_service_end(void)
{
    geo_limit_here.services--;
    if (geo_limit_here.scope && geo_limit_over()) {
        geo_fault_raise(GEO_LIMIT_SIGNAL, (uintptr_t)__builtin_return_address(0));
    }
}

#endif
