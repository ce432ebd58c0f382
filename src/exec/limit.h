/* Work-groups that are stopped: because they run for longer than GEOID_KERNEL_TIMEOUT, or because
 * another, for which they may wait, has faulted. Without the option, and of groups that wait for
 * nobody, nothing here is called.
 *
 * A timer of the running thread sends a signal every tick; the handler leaves the kernel as a fault
 * does, when enough ticks have come since the group began, or it is told to. So compiled code needs
 * no checks and is the same with and without a limit, and a thread that gets no processor does not
 * spend its time. Compiled code holds no lock anywhere; what it calls may (services: printf), and
 * is left to finish.
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

struct geo_limit_here {
    struct geo_fault_scope *volatile scope; /* what may be left; NULL: nothing */
    const _Atomic bool *stop;               /* true: it ends at the next tick; NULL: never */
    volatile uint32_t ticks, services;
};
extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_limit_here geo_limit_here;

/* Reads the option, before the first launch. Whether there is a limit. */
bool geo_limit_open(void);

/* stop: ends the groups when it becomes true; NULL: time alone does. */
void geo_limit_begin(struct geo_limit *limit, const _Atomic bool *stop);
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

/* In how many ticks a group has to end. */
extern uint32_t geo_limit_ticks;

static inline bool geo_limit_over(void)
{
    const struct geo_limit_here *here = &geo_limit_here;
    return here->ticks > geo_limit_ticks || (here->stop && atomic_load(here->stop));
}

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
