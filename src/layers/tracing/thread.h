/* What the tracing layer knows of each thread that called a traced function: which tracers the call
 * under way holds, and room for their data. Records are never freed, only passed on when a thread
 * ends, so that who waits for calls may read all of them at any time. */
#ifndef GEO_LAYERS_TRACING_THREAD_H
#define GEO_LAYERS_TRACING_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct geo_trace_active;

enum { GEO_TRACE_ROOM = 4 }; /* tracers whose data needs no allocation */

struct geo_trace_thread {
    /* What the call under way goes by; NULL outside calls. Written by the thread alone, and in the
     * child of a fork. */
    _Alignas(64) _Atomic(const struct geo_trace_active *) held;
    bool inside; /* a traced call: what it calls itself is not traced */
    struct geo_trace_thread *next;
    atomic_bool taken;
    void **instances; /* of each tracer, from its prologue to its epilogue */
    size_t room;
    void *first[GEO_TRACE_ROOM];
};

extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_trace_thread *geo_trace_thread_here;

/* Makes a record for this thread; NULL when memory ran out. */
struct geo_trace_thread *geo_trace_thread_enter(void);

/* The record of this thread. */
static inline struct geo_trace_thread *geo_trace_thread_self(void)
{
    return __builtin_expect(geo_trace_thread_here != NULL, 1) ? geo_trace_thread_here
                                                              : geo_trace_thread_enter();
}

/* Room for the data of so many tracers, all NULL. False when memory ran out. */
bool geo_trace_thread_reserve(struct geo_trace_thread *thread, size_t count);

/* Whether any thread holds this. */
bool geo_trace_is_held(const struct geo_trace_active *active);

/* In the child of a fork: the other threads, and what they held, are not there. */
void geo_trace_threads_forked(void);

#endif
