/* Events: regular ones, a slot of a pool that counts to 1, and counter-based ones, which refer to
 * the counter of the list that last signalled them. Both are a reference {slot, value}. */
#ifndef GEO_DRIVER_CMD_EVENT_H
#define GEO_DRIVER_CMD_EVENT_H

#include "base/lock.h"
#include "driver/cmd/counter.h"
#include "driver/cmd/event_pool.h"
#include "driver/cmd/recording.h"
#include "driver/cmd/stamp.h"
#include "driver/core/stream.h"

struct geo_event {
    struct geo_object base;
    /* Lists of several threads may signal the event while others ask and wait: slot, value and
     * counter are read together, and again when this has changed or is odd: being changed, under
     * the lock. */
    _Atomic uint32_t binding;
    /* What a wait waits for. Counter-based: slot NULL until first signalled, complete so far. The
     * value counts from the counter's base when a regular list signals it (GEO_EVENT_RELATIVE). */
    _Atomic(struct geo_event_slot *) slot;
    _Atomic uint64_t value;
    struct geo_event_slot *own;  /* in the pool; what a regular event is */
    struct geo_context *context; /* referenced, by the pool if there is one */
    struct geo_event_pool *pool; /* referenced; NULL: counter-based without a pool */
    ze_event_scope_flags_t signal_scope, wait_scope;
    bool counter_based, timestamps;
    ze_event_counter_based_flags_t counter_flags;
    _Atomic(struct geo_counter *) counter; /* referenced; of the last list that signalled it */
    /* Counter in memory of the application, until a list signals the event: what lists wait for,
     * while `slot` is the host's view of it. An aggregate's stays: signals add the increment. */
    _Atomic(uint64_t *) external;
    uint64_t increment;             /* 0: no aggregate */
    bool shared;                    /* lists signal it with counters that other processes can see */
    struct geo_allocation *mapping; /* owned; of the counter of another process: opened; else NULL
                                     */
    /* Under the lock: appends, waits and queries may meet here. */
    struct geo_object_lock lock;
    struct geo_stamp *stamp; /* referenced; timestamps of its latest signal */
    /* The submission to an immediate list that signals it, so that a wait without bound can run it. */
    struct geo_stream *producer; /* referenced */
    uint64_t ticket;
    /* A graph that is recorded signals it, at this node of the graph: written under
     * geo_recording_lock. NULL: none does. */
    _Atomic(struct geo_recording *) recording;
    uint32_t recorded_node;
};

GEO_OBJECT_HANDLE(event, GEO_OBJECT_EVENT, ze_event_handle_t)

GEO_MUST_CHECK ze_result_t geo_event_create(struct geo_event_pool *pool,
                                            const ze_event_desc_t *desc, struct geo_event **out);
/* A regular event that refers to nothing yet; NULL without memory. */
struct geo_event *geo_event_new(struct geo_context *context, struct geo_event_pool *pool);

/* INVALID_ARGUMENT for flags and chains that exclude each other, external counters that are no
 * memory or beyond the maximum. */
GEO_MUST_CHECK ze_result_t geo_event_counter_create(struct geo_context *context,
                                                    const ze_event_counter_based_desc_t *desc,
                                                    struct geo_event **out);

/* Until nobody changes the binding. */
void geo_event_binding_wait(const struct geo_event *event) __attribute__((cold));

/* What the event refers to, whichever submission of a regular list it may be, and whose counter
 * that is; NULL: none. */
static inline struct geo_event_ref geo_event_recorded(const struct geo_event *event,
                                                      struct geo_counter **counter)
{
    for (;;) {
        uint32_t binding = atomic_load_explicit(&event->binding, memory_order_acquire);
        struct geo_event_ref ref = {
            .slot = atomic_load_explicit(&event->slot, memory_order_acquire),
            .value = atomic_load_explicit(&event->value, memory_order_acquire),
        };
        *counter = atomic_load_explicit(&event->counter, memory_order_acquire);
        uint32_t after = atomic_load_explicit(&event->binding, memory_order_relaxed);
        if (__builtin_expect(after == binding && !(binding & 1), 1)) {
            return ref;
        }
        geo_event_binding_wait(event);
    }
}

/* What it refers to now: the latest submission. */
static inline struct geo_event_ref geo_event_reference(const struct geo_event *event)
{
    struct geo_counter *counter;
    struct geo_event_ref ref = geo_event_recorded(event, &counter);
    return ref.value & GEO_EVENT_RELATIVE ? geo_event_above(ref, geo_counter_base(counter)) : ref;
}

/* What commands refer to: of an external counter the device's address. */
static inline struct geo_event_ref geo_event_on_device(const struct geo_event *event,
                                                       struct geo_event_ref ref)
{
    if (__builtin_expect(ref.value & GEO_EVENT_EXTERNAL, 0)) {
        ref.slot = (struct geo_event_slot *)(void *)atomic_load(&event->external);
    }
    return ref;
}

/* A counter-based event from now on waits for this value, which may be relative (index 0). */
void geo_event_bind_counter(struct geo_event *event, struct geo_counter *counter, uint64_t value);

/* It waits for nothing, as before its first signal. Counter-based. */
void geo_event_unbind(struct geo_event *event);

/* A stamp for the next signal of a counter-based event with timestamps: the event's own when nobody
 * writes or reads it any more. The caller's reference; NULL without memory. */
struct geo_stamp *geo_event_take_stamp(struct geo_event *event);
/* The event reads this stamp from now on; takes over the reference. */
void geo_event_bind_stamp(struct geo_event *event, struct geo_stamp *stamp);

/* Where the timestamps of its latest signal are; zeros before the first. The stamp, which may be
 * NULL, is the caller's reference: until it is given back nobody else writes there. */
const struct geo_timestamps *geo_event_times(struct geo_event *event, struct geo_stamp **stamp);

/* Which submission of a stream signals the event. */
void geo_event_set_producer(struct geo_event *event, struct geo_stream *stream, uint64_t ticket);

/* Sharing of what the event refers to now, for waiting. INVALID_SYNCHRONIZATION_OBJECT for a
 * regular event, INVALID_ARGUMENT for one made without the flag IPC, opened, or with an external
 * counter, and for handles that are none. */
GEO_MUST_CHECK ze_result_t geo_event_ipc_get(struct geo_event *event,
                                             ze_ipc_event_counter_based_handle_t *handle);
GEO_MUST_CHECK ze_result_t geo_event_ipc_open(struct geo_context *context,
                                              const ze_ipc_event_counter_based_handle_t *handle,
                                              struct geo_event **out);

/* NOT_READY when it is not signalled, DEVICE_LOST; GRAPH_CAPTURE_UNSUPPORTED when somebody signals
 * it in a graph that is being recorded. */
GEO_MUST_CHECK ze_result_t geo_event_query(const struct geo_event *event);
/* The same after a wait of at most this long. */
GEO_MUST_CHECK ze_result_t geo_event_wait(struct geo_event *event, uint64_t timeout_ns);

/* From the host. INVALID_ARGUMENT for counter-based events. */
GEO_MUST_CHECK ze_result_t geo_event_host_signal(struct geo_event *event);
GEO_MUST_CHECK ze_result_t geo_event_host_reset(struct geo_event *event);

/* NOT_READY when not signalled, INVALID_SYNCHRONIZATION_OBJECT when it carries no timestamps. */
GEO_MUST_CHECK ze_result_t geo_event_timestamps(struct geo_event *event,
                                                ze_kernel_timestamp_result_t *result);

#endif
