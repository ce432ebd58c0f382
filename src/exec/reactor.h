/* The reactor: one thread, started when first needed, for what nobody else is there to do.
 *
 * It watches futex words in shared memory (another process that raises an event can only wake a
 * futex) and descriptors, and it ticks for those who asked for it. What is behind a word, a
 * descriptor or a tick it does not know: all come as callbacks, which run on its thread.
 *
 * Where the system gives no thread, whoever waits, asks or submits stands in for it
 * (geo_backend_unattended). */
#ifndef GEO_EXEC_REACTOR_H
#define GEO_EXEC_REACTOR_H

#include "backend/command.h"
#include "base/fd.h"

/* A word to sleep on, as it was when it was looked at. */
struct geo_reactor_watch {
    _Atomic uint32_t *futex;
    uint32_t seen;
};

#define GEO_REACTOR_WATCHES 127u /* one futex_waitv takes 128 words, one is ours */

/* What a look at the words found, empty before. */
struct geo_reactor_look {
    struct geo_reactor_watch watches[GEO_REACTOR_WATCHES];
    uint32_t count;
    bool again;       /* there is more to watch, which no futex tells of: look again soon */
    uint64_t most_ns; /* look again after this time at the latest */
};

/* Sees to what has happened, and tells which words to sleep on for the rest. */
typedef void geo_reactor_collect_fn(struct geo_reactor_look *look);

/* There are more words to watch: collect is called now, and whenever one of them changes. There is
 * one such function in a process. */
void geo_reactor_watch(geo_reactor_collect_fn *collect);

/* A descriptor to sleep on. */
struct geo_reactor_fd {
    struct geo_reactor_fd *next;
    struct geo_fd file;
    bool awaited;
    /* Called once for each await, also when the program has closed the descriptor. A lock of the
     * reactor is held, so neither of the next two is called. */
    void (*readable)(struct geo_reactor_fd *watch);
};

/* (any thread) Calls back when the descriptor is readable; one that is awaited already is. */
void geo_reactor_await(struct geo_reactor_fd *watch);
/* (any thread) It is awaited no more and its owner's again. */
void geo_reactor_forget(struct geo_reactor_fd *watch);

struct geo_reactor_timer {
    struct geo_reactor_timer *next;
    /* Every few milliseconds until it returns false; then the timer is its owner's again. */
    bool (*tick)(struct geo_reactor_timer *timer);
};

/* (any thread) The timer, which is not armed, stays where it is until its tick returned false. */
void geo_reactor_arm(struct geo_reactor_timer *timer);

/* What collecting or ticking makes ready and finds nobody to run (geo_here.owes), this function
 * runs, on the same thread, behind them. There is one in a process. */
void geo_reactor_serve_by(void (*serve)(void));

/* Looks once at what the reactor would look at; tries to start it again. For threads that hold no
 * lock; inside of work that runs it does nothing. */
void geo_reactor_stand_in(void);

static inline bool geo_reactor_missing(void)
{
    return __builtin_expect(
        atomic_load_explicit(&geo_backend_unattended, memory_order_relaxed) != 0, 0);
}

/* Tries to start it if it is not there; false: there is none, or it is busy with work. */
bool geo_reactor_attends(void);

/* Its thread calls that function soon; false: nobody does. */
bool geo_reactor_call(void);

/* In the child after fork: no thread, no timers, nothing awaited. */
void geo_reactor_after_fork(void);

#endif
