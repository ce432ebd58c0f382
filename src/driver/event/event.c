/* Event objects: creation, waiting and signalling on the host, timestamps. See event.h. */
#include "driver/event/event.h"

#include "base/assert.h"
#include "driver/core/check.h"
#include "driver/mem/memory.h"

#include <stdlib.h>

static void event_destroy(struct geo_object *object)
{
    struct geo_event *event = (struct geo_event *)object;
    geo_stream_unref(event->producer);
    geo_counter_unref(atomic_load(&event->counter));
    geo_stamp_unref(event->stamp);
    if (event->mapping) {
        struct geo_driver *driver = object->driver;
        driver->ops->memory->release(driver->backend, event->mapping);
        free(event->mapping);
    }
    if (event->pool) {
        geo_object_unref(&event->pool->base);
    } else {
        geo_object_unref(&event->context->base);
    }
    free(event);
}

struct geo_event *geo_event_new(struct geo_context *context, struct geo_event_pool *pool)
{
    /* not calloc, for which glibc has no thread cache */
    struct geo_event *event = malloc(sizeof(*event));
    if (!event) {
        return NULL;
    }
    *event = (struct geo_event){.pool = pool};
    geo_object_init(&event->base, GEO_OBJECT_EVENT, context->base.driver, event_destroy);
    event->context = context;
    geo_object_ref(pool ? &pool->base : &context->base); /* the pool references the context */
    return event;
}

static bool regular_is_valid(const struct geo_event *event)
{
    return event->pool && atomic_load_explicit(&event->slot, memory_order_relaxed) == event->own &&
           atomic_load_explicit(&event->value, memory_order_relaxed) == 1 &&
           !atomic_load_explicit(&event->counter, memory_order_relaxed) && !event->mapping &&
           !event->shared && event->increment == 0;
}

bool geo_event_is_valid(const struct geo_event *event)
{
    const struct geo_event_pool *pool = event->pool;
    if (pool ? event->own < pool->slots || event->own >= pool->slots + pool->count
             : event->own != NULL) {
        return false;
    }
    if (!event->counter_based) {
        return regular_is_valid(event);
    }
    return !(event->mapping && (pool || event->shared || event->increment)) &&
           !(event->shared && event->timestamps) &&
           (event->increment == 0 || atomic_load_explicit(&event->external, memory_order_relaxed));
}

static void slot_reset(struct geo_event *event)
{
    GEO_ASSERT(!event->counter_based || event->pool);
    struct geo_driver *driver = event->base.driver;
    driver->ops->event->reset(driver->backend, event->own);
}

/* Prepares a slot of a shared pool when its event is created, not for all slots at once, because a
 * slot takes memory from here on. Either process may be first. */
static void slot_prepare(struct geo_event *event)
{
    if ((event->pool->flags & ZE_EVENT_POOL_FLAG_IPC) && event->own->flags != GEO_EVENT_SHARED) {
        event->own->flags = GEO_EVENT_SHARED;
    }
}

ze_result_t geo_event_create(struct geo_event_pool *pool, const ze_event_desc_t *desc,
                             struct geo_event **out)
{
    if (desc->index >= pool->count) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "index %u is out of range: the pool has %u events", desc->index,
                        pool->count);
    }
    struct geo_event *event = geo_event_new(pool->context, pool);
    if (!event) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for an event");
    }
    event->own = &pool->slots[desc->index];
    event->signal_scope = desc->signal;
    event->wait_scope = desc->wait;
    event->timestamps = geo_event_pool_timestamps(pool);
    event->counter_based = pool->counter_flags != 0;
    if (event->counter_based) {
        event->counter_flags = pool->counter_flags; /* the bits are equal */
    } else {
        atomic_init(&event->slot, event->own);
        atomic_init(&event->value, 1);
    }
    if (pool->used) {
        /* A reused index starts unsignalled. The first event of an index takes the slot as it is:
         * in a shared pool the other process may have signalled it already. */
        if (pool->used[desc->index]) {
            slot_reset(event);
        }
        pool->used[desc->index] = true;
    }
    slot_prepare(event);
    GEO_ASSERT(geo_event_is_valid(event));
    *out = event;
    return ZE_RESULT_SUCCESS;
}

/* ---- counters of the application ---- */

struct external {
    uint64_t *device, *host;
    uint64_t completion, increment; /* increment 0: not an aggregate */
};

static ze_result_t aggregate_check(const struct external *external)
{
    struct geo_memory_info info;
    if (external->increment == 0 || external->increment > GEO_EVENT_VALUE_MAX) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "incrementValue %llu is invalid: it must be 1 to 2^62 - 1",
                        (unsigned long long)external->increment);
    }
    return geo_memory_find(external->device, &info)
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "deviceAddress %p is in no memory of this driver",
                          (void *)external->device);
}

static ze_result_t external_check(const struct external *external)
{
    if (((uintptr_t)external->device | (uintptr_t)external->host) % sizeof(uint64_t) != 0) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "the counter is not 8-byte aligned");
    }
    if (external->completion > GEO_EVENT_VALUE_MAX) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "completionValue %llu is too large: the maximum is %llu",
                        (unsigned long long)external->completion,
                        (unsigned long long)GEO_EVENT_VALUE_MAX);
    }
    return ZE_RESULT_SUCCESS;
}

/* Reads the external counter of a chain; device NULL: none. */
static ze_result_t external_read(const ze_event_counter_based_desc_t *desc,
                                 struct external *external)
{
    const void *chain = GEO_CHAIN_OF(ze_event_counter_based_desc_t, desc);
    const ze_event_counter_based_external_sync_allocation_desc_t *sync =
        GEO_CHAIN_FIND(ze_event_counter_based_desc_t,
                       ze_event_counter_based_external_sync_allocation_desc_t, chain);
    const ze_event_counter_based_external_aggregate_storage_desc_t *aggregate =
        GEO_CHAIN_FIND(ze_event_counter_based_desc_t,
                       ze_event_counter_based_external_aggregate_storage_desc_t, chain);
    *external = (struct external){0};
    if (sync && aggregate) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "an external counter cannot be both a synchronisation allocation and an aggregate");
    }
    if (sync) {
        *external =
            (struct external){sync->deviceAddress, sync->hostAddress, sync->completionValue, 0};
        return external_check(external);
    }
    if (aggregate) {
        *external = (struct external){aggregate->deviceAddress, aggregate->deviceAddress,
                                      aggregate->completionValue, aggregate->incrementValue};
        GEO_CHECK(external_check(external));
        return aggregate_check(external);
    }
    return ZE_RESULT_SUCCESS;
}

static void external_bind(struct geo_event *event, const struct external *external)
{
    event->increment = external->increment;
    atomic_store(&event->external, external->device);
    atomic_store(&event->value, external->completion | GEO_EVENT_EXTERNAL);
    atomic_store(&event->slot, (struct geo_event_slot *)(void *)external->host);
}

static ze_result_t counter_flags_check(ze_event_counter_based_flags_t flags)
{
    const ze_event_counter_based_flags_t times =
        ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP;
    if ((flags & times) == times) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "timestamps of the device and of the host cannot both be requested");
    }
    if ((flags & times) && (flags & ZE_EVENT_COUNTER_BASED_FLAG_IPC)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "an event with timestamps cannot be shared with other processes");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_event_counter_create(struct geo_context *context,
                                     const ze_event_counter_based_desc_t *desc,
                                     struct geo_event **out)
{
    struct external external;
    GEO_CHECK(counter_flags_check(desc->flags));
    GEO_CHECK(external_read(desc, &external));
    struct geo_event *event = geo_event_new(context, NULL);
    if (!event) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for an event");
    }
    event->signal_scope = desc->signal;
    event->wait_scope = desc->wait;
    event->counter_based = true;
    event->counter_flags = desc->flags;
    event->shared = (desc->flags & ZE_EVENT_COUNTER_BASED_FLAG_IPC) != 0;
    event->timestamps = (desc->flags & (ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP |
                                        ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP)) != 0;
    if (external.device) {
        external_bind(event, &external);
    }
    GEO_ASSERT(geo_event_is_valid(event));
    *out = event;
    return ZE_RESULT_SUCCESS;
}

/* ---- state protected by the lock ---- */

static void event_lock(struct geo_event *event)
{
    geo_object_lock_acquire(&event->lock);
}

static void event_unlock(struct geo_event *event)
{
    geo_object_lock_release(&event->lock);
}

/* (locked) Begins a change of the binding. It may be odd already, if a fork interrupted a change in
 * the parent. Work of the parent signalled the event then. */
static void binding_begin(struct geo_event *event)
{
    uint32_t binding = atomic_load_explicit(&event->binding, memory_order_relaxed);
    GEO_ASSERT(geo_object_lock_held(&event->lock));
    atomic_store_explicit(&event->binding, binding | 1, memory_order_relaxed);
}

static void binding_end(struct geo_event *event)
{
    uint32_t binding = atomic_load_explicit(&event->binding, memory_order_relaxed);
    GEO_ASSERT(geo_object_lock_held(&event->lock) && (binding & 1));
    atomic_store_explicit(&event->binding, binding + 1, memory_order_release);
}

void geo_event_binding_wait(const struct geo_event *reader)
{
    struct geo_event *event = (struct geo_event *)(uintptr_t)reader;
    event_lock(event);
    if (atomic_load_explicit(&event->binding, memory_order_relaxed) & 1) {
        atomic_store_explicit(&event->slot, NULL, memory_order_release);
        binding_end(event);
    }
    event_unlock(event);
}

struct geo_event_ref geo_event_recorded(struct geo_event *event, struct geo_counter **counter)
{
    *counter = NULL;
    if (!event->counter_based) {
        return geo_event_read(event).ref;
    }
    event_lock(event);
    /* Odd under the lock: a fork interrupted a change in the parent. */
    if (atomic_load_explicit(&event->binding, memory_order_relaxed) & 1) {
        atomic_store_explicit(&event->slot, NULL, memory_order_release);
        binding_end(event);
    }
    struct geo_event_reading reading = geo_event_read(event);
    if (reading.counter) { /* the event's own reference exists while the lock is held */
        geo_counter_ref(reading.counter);
    }
    event_unlock(event);
    *counter = reading.counter;
    return reading.ref;
}

void geo_event_bind_counter(struct geo_event *event, struct geo_counter *counter, uint64_t value)
{
    GEO_ASSERT(geo_event_is_valid(event) && event->counter_based && event->increment == 0);
    event_lock(event);
    binding_begin(event);
    struct geo_counter *old = atomic_load_explicit(&event->counter, memory_order_relaxed);
    if (old != counter) {
        geo_counter_ref(counter);
        atomic_store_explicit(&event->counter, counter, memory_order_release);
    }
    atomic_store_explicit(&event->value, value, memory_order_release);
    atomic_store_explicit(&event->slot, counter->slot, memory_order_release);
    atomic_store_explicit(&event->external, NULL, memory_order_relaxed);
    binding_end(event);
    event_unlock(event);
    if (old != counter) {
        geo_counter_unref(old);
    }
}

void geo_event_unbind(struct geo_event *event)
{
    GEO_ASSERT(geo_event_is_valid(event) && event->counter_based && event->increment == 0);
    event_lock(event);
    struct geo_counter *old = atomic_load_explicit(&event->counter, memory_order_relaxed);
    binding_begin(event);
    atomic_store_explicit(&event->slot, NULL, memory_order_release);
    atomic_store_explicit(&event->value, 0, memory_order_release);
    atomic_store_explicit(&event->counter, NULL, memory_order_release);
    binding_end(event);
    event_unlock(event);
    geo_counter_unref(old);
}

struct geo_stamp *geo_event_take_stamp(struct geo_event *event)
{
    GEO_ASSERT(event->counter_based && event->timestamps);
    event_lock(event);
    struct geo_stamp *stamp = event->stamp;
    if (stamp && geo_stamp_idle(stamp)) {
        event->stamp = NULL;
    } else {
        stamp = NULL;
    }
    event_unlock(event);
    return stamp ? stamp : geo_stamp_acquire();
}

void geo_event_bind_stamp(struct geo_event *event, struct geo_stamp *stamp)
{
    GEO_ASSERT(event->counter_based && event->timestamps);
    event_lock(event);
    struct geo_stamp *old = event->stamp;
    event->stamp = stamp;
    event_unlock(event);
    geo_stamp_unref(old);
}

const struct geo_timestamps *geo_event_times(struct geo_event *event, struct geo_stamp **stamp)
{
    static const struct geo_timestamps none;
    *stamp = NULL;
    if (!event->counter_based) {
        return &event->own->times;
    }
    event_lock(event);
    *stamp = event->stamp;
    if (*stamp) {
        geo_object_ref(&(*stamp)->base);
    }
    event_unlock(event);
    return *stamp ? &(*stamp)->times : &none;
}

void geo_event_set_producer(struct geo_event *event, struct geo_stream *stream, uint64_t ticket)
{
    struct geo_stream *old = NULL;
    GEO_ASSERT(stream &&
               event->increment == 0); /* any list may raise the counter of an aggregate */
    event_lock(event);
    event->ticket = ticket;
    if (event->producer != stream) {
        old = event->producer;
        event->producer = stream;
        geo_stream_ref(stream);
    }
    event_unlock(event);
    geo_stream_unref(old);
}

/* Returns the stream and the submission *ticket that signals the event, with a reference; NULL if
 * unknown. */
static struct geo_stream *producer_ref(struct geo_event *event, uint64_t *ticket)
{
    event_lock(event);
    struct geo_stream *stream = event->producer;
    *ticket = event->ticket;
    if (stream) {
        geo_stream_ref(stream);
    }
    event_unlock(event);
    return stream;
}

/* ---- waiting and signalling ---- */

/* Returns the answer for an event whose state was looked at before. `ref` is passed by value, so
 * that a query needs no stack protector. */
static ze_result_t event_answer(const struct geo_event *event, struct geo_event_ref ref,
                                ze_result_t result)
{
    GEO_CHECK(geo_context_check_alive(event->context));
    if (result == ZE_RESULT_SUCCESS && ref.slot && geo_command_event_lost(&ref)) {
        return geo_fail(
            ZE_RESULT_ERROR_DEVICE_LOST,
            "the work that should signal the event was lost in another context or process");
    }
    return result;
}

/* Does the work of the reactor, if it has no thread, before a query. Kept out of the query, whose
 * usual path must be short. */
static __attribute__((cold, noinline)) void event_attend(const struct geo_event *event)
{
    const struct geo_driver *driver = event->base.driver;
    const struct geo_event_wait look = {
        .event = geo_event_reference(event),
        .lost = &event->context->lost,
    };
    if (look.event.slot) {
        (void)driver->ops->event->wait(driver->backend, &look);
    }
}

/* Returns whether the event is only signalled in a graph that is being recorded. */
static bool event_recorded(const struct geo_event *event)
{
    return atomic_load_explicit(&event->recording, memory_order_relaxed) != NULL;
}

static _Atomic(struct geo_recording *) *mark_of(const struct geo_event *event)
{
    return &((struct geo_event *)(uintptr_t)event)->recording;
}

ze_result_t geo_event_query(const struct geo_event *event)
{
    if (__builtin_expect(atomic_load_explicit(&geo_backend_unattended, memory_order_relaxed) != 0,
                         0)) {
        event_attend(event);
    }
    const struct geo_event_ref ref = geo_event_reference(event);
    bool done = !ref.slot || geo_command_event_reached(&ref);
    if (__builtin_expect(!done && event_recorded(event), 0)) {
        return geo_recording_refuse(mark_of(event), false);
    }
    return event_answer(event, ref, done ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY);
}

/* Waits for the event, whichever command signals it, and meanwhile runs its producer. */
static ze_result_t __attribute__((noinline))
incomplete_wait(struct geo_event *event, struct geo_event_ref ref, uint64_t timeout_ns)
{
    struct geo_driver *driver = event->base.driver;
    struct geo_event_wait wait = {
        .event = ref,
        .timeout_ns = timeout_ns,
        .lost = &event->context->lost,
    };
    struct geo_stream *producer =
        timeout_ns == UINT64_MAX ? producer_ref(event, &wait.ticket) : NULL;
    if (producer) {
        wait.stream = producer->backend;
    }
    ze_result_t result = driver->ops->event->wait(driver->backend, &wait);
    geo_stream_unref(producer);
    return result;
}

ze_result_t geo_event_wait(struct geo_event *event, uint64_t timeout_ns)
{
    const struct geo_event_ref ref = geo_event_reference(event);
    ze_result_t result = ZE_RESULT_SUCCESS;
    GEO_ASSERT(geo_event_is_valid(event));
    if (timeout_ns == 0) {
        return geo_event_query(event);
    }
    if (ref.slot && !geo_command_event_reached(&ref)) {
        GEO_CHECK(geo_context_check_alive(event->context));
        if (event_recorded(event)) {
            return geo_recording_refuse(&event->recording, true);
        }
        result = incomplete_wait(event, ref, timeout_ns);
    }
    return event_answer(event, ref, result);
}

static ze_result_t refuse_counter(const struct geo_event *event)
{
    return event->counter_based
               ? geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "counter-based events are signalled by lists only and need no reset")
               : ZE_RESULT_SUCCESS;
}

ze_result_t geo_event_host_signal(struct geo_event *event)
{
    struct geo_driver *driver = event->base.driver;
    GEO_CHECK(refuse_counter(event));
    driver->ops->event->signal(driver->backend, geo_event_reference(event));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_event_host_reset(struct geo_event *event)
{
    GEO_CHECK(refuse_counter(event));
    slot_reset(event);
    return ZE_RESULT_SUCCESS;
}

/* Reads the timestamps of the latest signal, which may be newer than the one queried before. */
static ze_result_t times_read(struct geo_event *event, ze_kernel_timestamp_result_t *result)
{
    struct geo_stamp *stamp;
    const struct geo_timestamps *times = geo_event_times(event, &stamp);
    GEO_ASSERT(!stamp || event->counter_based);
    bool written = !stamp || !stamp->written.slot || geo_command_event_complete(&stamp->written);
    if (written) {
        *result = geo_command_timestamps_read(times);
    }
    geo_stamp_unref(stamp);
    return written ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

ze_result_t geo_event_timestamps(struct geo_event *event, ze_kernel_timestamp_result_t *result)
{
    if (!event->timestamps) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                        "the event was created without timestamps");
    }
    GEO_CHECK(geo_event_query(event));
    return times_read(event, result);
}
