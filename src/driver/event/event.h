/* Events. A regular event is a slot of a pool that counts to 1. A counter-based event refers to the
 * counter of the list that last signalled it. Both are a reference {slot, value}. */
#ifndef GEO_DRIVER_EVENT_EVENT_H
#define GEO_DRIVER_EVENT_EVENT_H

#include "base/lock.h"
#include "driver/core/stream.h"
#include "driver/event/counter.h"
#include "driver/event/event_pool.h"
#include "driver/event/recording.h"
#include "driver/event/stamp.h"

/* An event of the application. References an event pool or a context. */
struct geo_event {
    struct geo_object base;
    /* A sequence lock: lists on several threads may signal the event while others query it and
     * wait. It protects slot, value and counter. While it is odd they are being changed, under the
     * lock; a reader that sees it odd or changed reads again. */
    _Atomic uint32_t binding;
    /* The reference that waits use. For a counter-based event `slot` is NULL until it is first
     * signalled, and it counts as complete so far. If a regular list signals it, `value` is
     * relative to the counter's base (GEO_EVENT_RELATIVE). */
    _Atomic(struct geo_event_slot *) slot;
    _Atomic uint64_t value;
    struct geo_event_slot *own;  /* slot in the pool; `slot` of a regular event */
    struct geo_context *context; /* referenced, by the pool if there is one */
    struct geo_event_pool *pool; /* referenced; NULL for a counter-based event without a pool */
    ze_event_scope_flags_t signal_scope, wait_scope;
    bool counter_based, timestamps;
    ze_event_counter_based_flags_t counter_flags;
    /* referenced; counter of the last list that signalled it */
    _Atomic(struct geo_counter *) counter;
    /* Device address of an external counter, which is a word in the application's memory; NULL:
     * none. While it is set, `slot` is the counter's host address, and lists wait for the counter
     * to reach `value`. An event without increment is bound to a list's own counter by its first
     * signal, and this becomes NULL. An aggregate keeps it: each signal adds the increment. */
    _Atomic(uint64_t *) external;
    uint64_t increment; /* 0: not an aggregate */
    /* lists signal it with shared counters, which other processes can see */
    bool shared;
    /* owned; mapping of another process's counter, for an opened event; otherwise NULL */
    struct geo_allocation *mapping;
    /* protected by the lock, because appends, waits and queries may run at the same time */
    struct geo_object_lock lock;
    struct geo_stamp *stamp; /* referenced; timestamps of the latest signal */
    /* Submission to an immediate list that signals it, so that an unbounded wait can run it. */
    struct geo_stream *producer; /* referenced */
    uint64_t ticket;
    /* The recording in whose graph the event is signalled, at the node below; NULL: none. Written
     * under geo_recording_lock. */
    _Atomic(struct geo_recording *) recording;
    uint32_t recorded_node;
};

GEO_OBJECT_HANDLE(event, GEO_OBJECT_EVENT, ze_event_handle_t)

/* Creates an event at an index of a pool. Returns INVALID_ARGUMENT for an index out of range,
 * OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_event_create(struct geo_event_pool *pool,
                                            const ze_event_desc_t *desc, struct geo_event **out);
/* Allocates an event without a reference to a slot. Returns NULL if memory is short. */
struct geo_event *geo_event_new(struct geo_context *context, struct geo_event_pool *pool);

/* Creates a counter-based event. Returns INVALID_ARGUMENT for contradictory flags and chains, and
 * for external counters that are not in known memory or whose value is too large. */
GEO_MUST_CHECK ze_result_t geo_event_counter_create(struct geo_context *context,
                                                    const ze_event_counter_based_desc_t *desc,
                                                    struct geo_event **out);

/* Returns whether the fields that no signal changes agree with the kind of event. For
 * assertions. */
bool geo_event_is_valid(const struct geo_event *event);

/* Waits until no thread changes the binding. */
void geo_event_binding_wait(const struct geo_event *event) __attribute__((cold));

/* A consistent reading of what an event refers to. */
struct geo_event_reading {
    struct geo_event_ref ref; /* its value is relative if a regular list signals the event */
    /* without a reference, so it may belong to another list soon; or NULL */
    struct geo_counter *counter;
    uint64_t base; /* of the counter, if the value is relative */
};

static inline struct geo_event_reading geo_event_read(const struct geo_event *event)
{
    for (;;) {
        uint32_t binding = atomic_load_explicit(&event->binding, memory_order_acquire);
        struct geo_event_reading reading = {
            .ref.slot = atomic_load_explicit(&event->slot, memory_order_acquire),
            .ref.value = atomic_load_explicit(&event->value, memory_order_acquire),
            .counter = atomic_load_explicit(&event->counter, memory_order_acquire),
        };
        if ((reading.ref.value & GEO_EVENT_RELATIVE) && reading.counter) {
            /* Counters are never freed. If this one was given to another list meanwhile, the
             * binding has changed. */
            reading.base = geo_counter_base(reading.counter);
        }
        uint32_t after = atomic_load_explicit(&event->binding, memory_order_relaxed);
        if (__builtin_expect(after == binding && !(binding & 1), 1)) {
            return reading;
        }
        geo_event_binding_wait(event);
    }
}

/* Returns what the event refers to, with a relative value for regular lists, and the counter with a
 * reference for the caller, which may be NULL. */
struct geo_event_ref geo_event_recorded(struct geo_event *event, struct geo_counter **counter);

/* Returns what the event refers to now, in the latest submission. */
static inline struct geo_event_ref geo_event_reference(const struct geo_event *event)
{
    struct geo_event_reading reading = geo_event_read(event);
    return reading.ref.value & GEO_EVENT_RELATIVE
               ? geo_command_event_above(reading.ref, reading.base)
               : reading.ref;
}

/* Returns the reference for use in commands: for an external counter with its device address. */
static inline struct geo_event_ref geo_event_on_device(const struct geo_event *event,
                                                       struct geo_event_ref ref)
{
    if (__builtin_expect(ref.value & GEO_EVENT_EXTERNAL, 0)) {
        ref.slot = (struct geo_event_slot *)(void *)atomic_load(&event->external);
    }
    return ref;
}

/* Binds a counter-based event to this value, which may be relative (index 0). */
void geo_event_bind_counter(struct geo_event *event, struct geo_counter *counter, uint64_t value);

/* Resets a counter-based event to the state before its first signal. */
void geo_event_unbind(struct geo_event *event);

/* Returns a stamp for the next signal of a counter-based event with timestamps: the event's own
 * stamp if it is unused, otherwise a new one. The caller owns the reference. Returns NULL if memory
 * is short. */
struct geo_stamp *geo_event_take_stamp(struct geo_event *event);
/* Makes the event read this stamp from now on; takes over the reference. */
void geo_event_bind_stamp(struct geo_event *event, struct geo_stamp *stamp);

/* Returns the timestamps of the latest signal; zeros before the first. *stamp, which may be NULL,
 * is a reference of the caller. Until it is released the timestamps stay readable. */
const struct geo_timestamps *geo_event_times(struct geo_event *event, struct geo_stamp **stamp);

/* Records which submission of a stream signals the event. */
void geo_event_set_producer(struct geo_event *event, struct geo_stream *stream, uint64_t ticket);

/* Share what the event refers to now, for waiting in other processes. Return
 * INVALID_SYNCHRONIZATION_OBJECT for a regular event. Return INVALID_ARGUMENT for an event without
 * the flag IPC, an opened event, one with an external counter, one that a graph signals that was
 * not executed yet, and invalid handles. */
GEO_MUST_CHECK ze_result_t geo_event_ipc_get(struct geo_event *event,
                                             ze_ipc_event_counter_based_handle_t *handle);
GEO_MUST_CHECK ze_result_t geo_event_ipc_open(struct geo_context *context,
                                              const ze_ipc_event_counter_based_handle_t *handle,
                                              struct geo_event **out);

/* Queries the event. Returns NOT_READY if it is not signalled, DEVICE_LOST, or
 * GRAPH_CAPTURE_UNSUPPORTED if it is signalled only in a graph that is being recorded. */
GEO_MUST_CHECK ze_result_t geo_event_query(const struct geo_event *event);
/* Waits for at most this long, with the same results. */
GEO_MUST_CHECK ze_result_t geo_event_wait(struct geo_event *event, uint64_t timeout_ns);

/* Signal and reset a regular event from the host. Return INVALID_ARGUMENT for counter-based
 * events. */
GEO_MUST_CHECK ze_result_t geo_event_host_signal(struct geo_event *event);
GEO_MUST_CHECK ze_result_t geo_event_host_reset(struct geo_event *event);

/* Returns the timestamps. NOT_READY if the event is not signalled, INVALID_SYNCHRONIZATION_OBJECT
 * if it was created without timestamps. */
GEO_MUST_CHECK ze_result_t geo_event_timestamps(struct geo_event *event,
                                                ze_kernel_timestamp_result_t *result);

#endif
