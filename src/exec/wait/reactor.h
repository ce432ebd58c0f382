/* The reactor: one thread, started when first needed, that waits for events for which no other
 * thread waits.
 *
 * It watches futex words in shared memory (another process that raises an event can only wake a
 * futex) and descriptors, and it calls timers. It knows these only by callbacks, which run on its
 * thread.
 *
 * If the system gives no thread, threads that wait, query or submit do its work instead
 * (geo_backend_unattended). */
#ifndef GEO_EXEC_WAIT_REACTOR_H
#define GEO_EXEC_WAIT_REACTOR_H

#include "backend/command.h"
#include "base/fd.h"

/* A futex word to sleep on, and its value at the last look. */
struct geo_reactor_word {
    _Atomic uint32_t *futex;
    uint32_t seen;
};

#define GEO_REACTOR_WORDS 127u /* futex_waitv takes 128 words, one of them is the reactor's own */

/* The result of a look at the words; empty before. */
struct geo_reactor_look {
    struct geo_reactor_word words[GEO_REACTOR_WORDS];
    uint32_t count;
    bool again;       /* some words have no futex: look again soon */
    uint64_t most_ns; /* look again after this time at the latest */
};

/* Handles what has happened, and adds the words to sleep on for the rest. */
typedef void geo_reactor_collect_fn(struct geo_reactor_look *look);

/* Tells the reactor that there are more words to watch. `collect` is called now, and again whenever
 * a word changes its value. The process has only one such function. */
void geo_reactor_watch(geo_reactor_collect_fn *collect);

/* A descriptor to sleep on. Its owner embeds it and calls geo_reactor_forget before freeing it. */
struct geo_reactor_fd {
    struct geo_reactor_fd *next;
    struct geo_fd file;
    bool awaited;
    /* Called once per geo_reactor_await, also if the program has closed the descriptor. A lock of
     * the reactor is held meanwhile: it must not call the next two functions. */
    void (*readable)(struct geo_reactor_fd *watch);
};

/* (any thread) Calls back when the descriptor is readable. Has no effect on one that is already
 * awaited. */
void geo_reactor_await(struct geo_reactor_fd *watch);
/* (any thread) Stops awaiting the descriptor. The owner may free it afterwards. */
void geo_reactor_forget(struct geo_reactor_fd *watch);

/* A periodic callback. Its owner embeds it. */
struct geo_reactor_timer {
    struct geo_reactor_timer *next;
    /* Called every few milliseconds until it returns false; then the owner may free the timer. */
    bool (*tick)(struct geo_reactor_timer *timer);
};

/* (any thread) Starts a timer that is not armed. It must stay in place until its tick returns
 * false. */
void geo_reactor_arm(struct geo_reactor_timer *timer);

/* Sets the one function of the process that runs work which callbacks made ready and for which no
 * thread could be had (geo_here.owes). The same thread calls it after the callbacks. */
void geo_reactor_serve_by(void (*serve)(void));

/* Does the reactor's work once on the calling thread, or starts the reactor if that is possible
 * again. The caller must hold no lock. Has no effect inside work that the thread runs. */
void geo_reactor_stand_in(void);

/* Returns whether the reactor has no thread or is busy running work, so that others have to stand
 * in. */
static inline bool geo_reactor_missing(void)
{
    return __builtin_expect(
        atomic_load_explicit(&geo_backend_unattended, memory_order_relaxed) != 0, 0);
}

/* Starts the reactor if it is not running. Returns false if it has no thread, or is busy running
 * work. */
bool geo_reactor_attends(void);

/* Makes the reactor call that function soon. Returns false if it cannot. */
bool geo_reactor_call(void);

/* Resets the reactor in the child after fork: no thread, no timers, no awaited descriptors. */
void geo_reactor_after_fork(void);

#endif
