/* The tracing layer's record of each thread that called a traced function: the list of tracers that
 * its call uses, and memory for their instance data. Records are reused but never freed, so waiting
 * threads can read all of them at any time. */
#ifndef GEO_LAYERS_TRACING_THREAD_H
#define GEO_LAYERS_TRACING_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct geo_trace_active;

enum { GEO_TRACE_ROOM = 4 }; /* number of tracers whose instance data needs no allocation */

struct geo_trace_thread {
    /* The list that the call in progress uses; NULL outside calls. Written only by the thread
     * itself, and in the child of a fork. */
    _Alignas(64) _Atomic(const struct geo_trace_active *) held;
    bool inside; /* inside a traced call, so nested calls are not traced */
    struct geo_trace_thread *next;
    atomic_bool taken;
    void **instances; /* one for each tracer, passed from its prologue to its epilogue */
    size_t room;
    void *first[GEO_TRACE_ROOM];
};

extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_trace_thread *geo_trace_thread_here;

/* Assigns a record to this thread. Returns NULL when memory ran out. */
struct geo_trace_thread *geo_trace_thread_enter(void);

/* Returns the record of this thread, or NULL when memory ran out. */
static inline struct geo_trace_thread *geo_trace_thread_self(void)
{
    return __builtin_expect(geo_trace_thread_here != NULL, 1) ? geo_trace_thread_here
                                                              : geo_trace_thread_enter();
}

/* Makes space for the instance data of `count` tracers, all NULL. Returns false when memory ran
 * out. */
bool geo_trace_thread_reserve(struct geo_trace_thread *thread, size_t count);

/* Returns whether any thread uses this list. */
bool geo_trace_thread_is_held(const struct geo_trace_active *active);

/* Releases the records of all other threads in the child of a fork, where those threads do not
 * exist. */
void geo_trace_threads_forked(void);

#endif
