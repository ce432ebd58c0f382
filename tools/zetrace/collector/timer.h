/* Events of our own for commands that have none, by context. Under the lock of tracker.h. */
#ifndef TOOLS_ZETRACE_TIMER_H
#define TOOLS_ZETRACE_TIMER_H

#include <level_zero/ze_api.h>

struct timer {
    ze_event_handle_t event;
    struct timers *owner;
    struct timer *next;
};

/* The timers of one context. */
struct timers {
    ze_context_handle_t context;
    struct timer *free;
    struct pool *pools;
};

/* An event that is not signalled; NULL when none can be made. */
struct timer *timer_take(struct timers *timers);
/* Nobody waits for it, and no device will signal it any more. */
void timer_put(struct timer *timer);

/* Destroys all; they are all put back, or their commands are done. */
void timers_finish(struct timers *timers);

#endif
