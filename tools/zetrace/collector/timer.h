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

/* Returns an event that is not signalled, or NULL if none can be created. */
struct timer *timer_take(struct timers *timers);
/* Takes an event back. Nobody may wait for it, and no device may still signal it. */
void timer_put(struct timer *timer);

/* Destroys all events of a context. They were put back, or their commands have finished. */
void timers_finish(struct timers *timers);

#endif
