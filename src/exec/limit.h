/* A limit for the time that a work-group may run: GEOID_KERNEL_TIMEOUT. Without it nothing here is
 * called.
 *
 * A timer of the running thread sends a signal every quarter of the limit; the handler leaves the
 * kernel as a fault does, at the fifth since the group began. So compiled code needs no checks and
 * is the same with and without a limit, and a thread that gets no processor does not spend its
 * time. Compiled code holds no lock anywhere; what it calls may (services: printf), and is left to
 * finish.
 *
 *     geo_limit_begin(&limit)                       a range of groups
 *         geo_limit_enter(&scope)   leave()         one group, inside of its scope for faults
 *             geo_limit_service_begin()   end()     what may not be left
 *     geo_limit_end(&limit) */
#ifndef GEO_EXEC_LIMIT_H
#define GEO_EXEC_LIMIT_H

#include "exec/fault.h"

#include <time.h>

/* One that nobody minds: ignored unless somebody handles it, and debuggers let it pass. */
#define GEO_LIMIT_SIGNAL SIGURG
#define GEO_LIMIT_TICKS  4u

struct geo_limit {
    timer_t timer;
    bool armed, was_blocked;
};

struct geo_limit_here {
    struct geo_fault_scope *volatile scope; /* what may be left; NULL: nothing */
    volatile uint32_t ticks, services;
};
extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_limit_here geo_limit_here;

/* Reads the option, before the first launch. Whether there is a limit. */
bool geo_limit_open(void);

void geo_limit_begin(struct geo_limit *limit);
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

static inline void geo_limit_service_begin(void)
{
    geo_limit_here.services++;
}

/* Leaves the kernel when its time ran out meanwhile. */
static inline void geo_limit_service_end(void)
{
    geo_limit_here.services--;
    if (geo_limit_here.scope && geo_limit_here.ticks > GEO_LIMIT_TICKS) {
        geo_fault_raise(GEO_LIMIT_SIGNAL, (uintptr_t)__builtin_return_address(0));
    }
}

#endif
