/* The enabled tracers, as an immutable list. Enabling or disabling a tracer publishes a new list.
 *
 * A call takes the current list, stores a pointer to it in its thread's record (a hazard pointer),
 * and uses that list to its end. So a tracer whose prologue ran also gets its epilogue, and a
 * tracer that is enabled during the call gets neither. Calls take no lock and write no shared
 * memory: each thread writes its own record.
 *
 *     geo_trace_hold      held = current; repeated if current changed meanwhile
 *     geo_trace_release   held = NULL
 *
 * A replaced list is freed when no thread's record points to it. The processor must not reorder the
 * two steps of geo_trace_hold. The thread that replaces a list enforces this for all threads with
 * membarrier, so that calls, which are frequent, need no fence. All other state here is protected
 * by one lock, which is never held during a callback or a wait. */
#ifndef GEO_LAYERS_TRACING_ACTIVE_H
#define GEO_LAYERS_TRACING_ACTIVE_H

#include "layers/layer.h"
#include "layers/tracing/thread.h"

struct geo_tracer;

/* A tracer's callbacks for one function. */
struct geo_trace_row {
    geo_layer_fn callbacks[2]; /* zel_tracer_reg_t: prologue, epilogue; NULL: none */
    bool general[2];           /* the callback is a geoid_tracer_callback_t */
};

struct geo_trace_rows {
    struct geo_trace_row row[GEO_DDI_FUNCTION_COUNT];
};

/* A copy of a tracer, made when it was enabled. */
struct geo_trace_armed {
    /* Identifies the tracer; not dereferenced, as it may be freed. */
    const struct geo_tracer *tracer;
    void *user;
    size_t lists; /* number of lists that contain this copy */
    struct geo_trace_rows rows;
};

struct geo_trace_active {
    struct geo_trace_active *retired; /* next of the replaced lists */
    size_t count;
    struct geo_trace_armed *tracers[]; /* in the order in which they were enabled */
};

extern _Atomic(struct geo_trace_active *) geo_trace_current; /* NULL: no tracer is enabled */
/* The kernel lacks membarrier, so every call executes a fence. */
extern atomic_bool geo_trace_fenced;

/* Takes the current list, which stays valid until geo_trace_release. Returns NULL when no tracer is
 * enabled. */
static inline const struct geo_trace_active *geo_trace_hold(struct geo_trace_thread *thread)
{
    const struct geo_trace_active *active = atomic_load(&geo_trace_current);
    while (active != NULL) {
        atomic_store_explicit(&thread->held, active, memory_order_release);
        atomic_signal_fence(memory_order_seq_cst);
        if (__builtin_expect(atomic_load_explicit(&geo_trace_fenced, memory_order_relaxed), 0)) {
            atomic_thread_fence(memory_order_seq_cst);
        }
        const struct geo_trace_active *now = atomic_load(&geo_trace_current);
        if (now == active) {
            return active;
        }
        active = now;
    }
    atomic_store_explicit(&thread->held, NULL, memory_order_release);
    return NULL;
}

static inline void geo_trace_release(struct geo_trace_thread *thread)
{
    atomic_store_explicit(&thread->held, NULL, memory_order_release);
}

/* Enables a tracer with a copy of its callbacks. Returns OUT_OF_HOST_MEMORY on failure. */
ze_result_t geo_trace_arm(const struct geo_tracer *tracer, void *user,
                          const struct geo_trace_rows *rows);
/* Disables a tracer. Calls in progress still use it. On failure returns OUT_OF_HOST_MEMORY, and the
 * tracer stays enabled. */
ze_result_t geo_trace_disarm(const struct geo_tracer *tracer);
/* Waits until no call uses the tracer. Returns HANDLE_OBJECT_IN_USE when a call of this thread uses
 * it. */
ze_result_t geo_trace_wait(const struct geo_tracer *tracer);

#endif
