/* The enabled tracers, as a list that never changes: enabling or disabling one publishes another.
 *
 * A call takes the list that is current, notes in its thread's record that it holds it, and goes by
 * it to its end: a tracer whose prologue ran gets its epilogue, one that comes in between gets
 * neither. No lock, and nothing that two threads write: the record is the thread's own.
 *
 *     geo_trace_hold      held = current; again if current changed meanwhile
 *     geo_trace_release   held = NULL
 *
 * Who replaces a list keeps it until no record names it. Between the two steps of geo_trace_hold
 * the processor must not change their order; who replaces a list sees to that for all threads
 * (membarrier), so that calls, which are many, pay nothing for it. Everything else here is under
 * one lock, which is never held while a callback runs or somebody waits. */
#ifndef GEO_LAYERS_TRACING_ACTIVE_H
#define GEO_LAYERS_TRACING_ACTIVE_H

#include "layers/layer.h"
#include "layers/tracing/thread.h"

struct geo_tracer;

/* What a tracer wants called around one function. */
struct geo_trace_row {
    geo_layer_fn callbacks[2]; /* zel_tracer_reg_t: prologue, epilogue; NULL: none */
    bool general[2];           /* it is a geoid_tracer_callback_t */
};

struct geo_trace_rows {
    struct geo_trace_row row[GEO_DDI_FUNCTION_COUNT];
};

/* A tracer as it was when it was enabled. */
struct geo_trace_armed {
    const struct geo_tracer *tracer; /* as a name only: it may be gone when nobody holds this */
    void *user;
    size_t lists; /* that it stands in */
    struct geo_trace_rows rows;
};

struct geo_trace_active {
    struct geo_trace_active *retired; /* next of those that were replaced */
    size_t count;
    struct geo_trace_armed *tracers[]; /* in the order in which they were enabled */
};

extern _Atomic(struct geo_trace_active *) geo_trace_current; /* NULL: no tracer is enabled */
extern atomic_bool geo_trace_fenced; /* the kernel has no membarrier: every call has a fence */

/* The current list, until it is released; NULL when there is none. */
static inline const struct geo_trace_active *geo_trace_hold(struct geo_trace_thread *thread)
{
    const struct geo_trace_active *active = atomic_load(&geo_trace_current);
    while (active != NULL) {
        atomic_store_explicit(&thread->held, active, memory_order_release);
        atomic_signal_fence(memory_order_seq_cst);
        if (__builtin_expect(atomic_load_explicit(&geo_trace_fenced, memory_order_relaxed), 0))
            atomic_thread_fence(memory_order_seq_cst);
        const struct geo_trace_active *now = atomic_load(&geo_trace_current);
        if (now == active)
            return active;
        active = now;
    }
    atomic_store_explicit(&thread->held, NULL, memory_order_release);
    return NULL;
}

static inline void geo_trace_release(struct geo_trace_thread *thread)
{
    atomic_store_explicit(&thread->held, NULL, memory_order_release);
}

/* Adds a tracer with the callbacks that it has now. OUT_OF_HOST_MEMORY. */
ze_result_t geo_trace_arm(const struct geo_tracer *tracer, void *user,
                          const struct geo_trace_rows *rows);
/* Takes it out again; calls under way go on with it. OUT_OF_HOST_MEMORY: it is still there. */
ze_result_t geo_trace_disarm(const struct geo_tracer *tracer);
/* Waits until no call goes by the tracer any more. HANDLE_OBJECT_IN_USE: one of this thread does. */
ze_result_t geo_trace_wait(const struct geo_tracer *tracer);

#endif
