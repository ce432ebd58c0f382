/* Converts the arguments of an append function to a record in a command list. See append.h. */
#include "driver/cmd/append.h"

#include "base/assert.h"
#include "driver/cmd/mutable.h"
#include "driver/cmd/record.h"
#include "driver/cmd/recorder.h"
#include "driver/cmd/records.h"
#include "driver/core/check.h"

#include <string.h>

/* ---- space for records ---- */

/* Returns the place for a record in a regular list. */
static ze_result_t records_reserve(struct geo_command_list *list, size_t bytes,
                                   struct geo_command **command)
{
    if (list->used + bytes > list->room) {
        GEO_CHECK(geo_records_grow(&list->records, &list->room, list->used + bytes));
    }
    *command = (struct geo_command *)(list->records + list->used);
    return ZE_RESULT_SUCCESS;
}

/* Returns the batch of a record in an immediate list, which is stored in front of it. */
static struct geo_batch *batch_of(struct geo_command *command)
{
    return (struct geo_batch *)(void *)((uint8_t *)command -
                                        geo_record_round(sizeof(struct geo_batch)));
}

static ze_result_t ring_reserve(struct geo_command_list *list, size_t bytes,
                                struct geo_command **command)
{
    size_t head = geo_record_round(sizeof(struct geo_batch));
    uint8_t *place = geo_ring_reserve(&list->ring, list->stream, head + bytes);
    if (!place) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a command");
    }
    *command = (struct geo_command *)(void *)(place + head);
    return ZE_RESULT_SUCCESS;
}

/* ---- events ---- */

static ze_result_t keep_event(struct geo_command_list *list, struct geo_event *event)
{
    if (event->counter_based) { /* other counters are never freed */
        return event->mapping ? geo_keep_add(&list->keep, &event->base) : ZE_RESULT_SUCCESS;
    }
    return geo_keep_add(&list->keep, &event->pool->base);
}

ze_result_t geo_append_record_wait(struct geo_command_list *list, struct geo_event *event,
                                   struct geo_event_ref *ref)
{
    if (list->immediate) {
        *ref = geo_event_on_device(event, geo_event_reference(event));
        if (event->counter_based && ref->slot && geo_command_event_complete(ref) &&
            !geo_command_event_lost(ref)) {
            ref->slot = NULL;
        }
        return ZE_RESULT_SUCCESS;
    }
    struct geo_counter *counter;
    ze_result_t result = ZE_RESULT_SUCCESS;
    *ref = geo_event_on_device(event, geo_event_recorded(event, &counter));
    if (ref->value & GEO_EVENT_RELATIVE) {
        uint32_t index = 0;
        GEO_ASSERT(counter && ref->slot == counter->slot);
        result = geo_bases_index(&list->bases, counter, &index);
        ref->value |= geo_bases_mark(index, 0);
    }
    geo_counter_unref(counter); /* the list has a reference of its own */
    return result;
}

/* Fills the waits of a record. Waits that are complete for ever are left out. */
static ze_result_t waits_fill(struct geo_command_list *list, struct geo_command *command,
                              const struct geo_append_events *events)
{
    struct geo_event_ref *refs =
        (struct geo_event_ref *)((uint8_t *)command + command->wait_offset);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events->wait_count; i++) {
        struct geo_event *event;
        GEO_CHECK(geo_event_from(events->waits[i], &event));
        struct geo_event_ref ref;
        GEO_CHECK(geo_append_record_wait(list, event, &ref));
        if (!ref.slot) {
            continue;
        }
        GEO_CHECK(keep_event(list, event));
        refs[count++] = ref;
    }
    GEO_ASSERT(count <= events->wait_count);
    command->wait_count = count;
    return ZE_RESULT_SUCCESS;
}

/* Gets the list's counter for shared or other events, creating it if needed. */
static ze_result_t counter_need(struct geo_command_list *list, bool shared)
{
    struct geo_list_counter *own = &list->counters[shared];
    GEO_ASSERT(list->in_order);
    if (own->counter) {
        return ZE_RESULT_SUCCESS;
    }
    struct geo_counter *counter = geo_counter_acquire(list->base.driver, shared);
    if (!counter) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a counter");
    }
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (list->immediate) {
        own->value = geo_counter_base(counter);
    } else {
        result = geo_bases_index(&list->bases, counter, &own->base);
    }
    if (result != ZE_RESULT_SUCCESS) {
        geo_counter_unref(counter);
        return result;
    }
    own->counter = counter;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t signal_check(struct geo_command_list *list, ze_event_handle_t handle,
                                struct geo_event **out)
{
    *out = NULL;
    if (!handle) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_event_from(handle, out));
    if ((*out)->counter_based) {
        if (!list->in_order) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                            "a counter-based event can be signalled by in-order lists only");
        }
        if (!(*out)->increment) {
            GEO_CHECK(counter_need(list, (*out)->shared));
        }
    }
    return keep_event(list, *out);
}

static void signal_fill(struct geo_command_list *list, struct geo_command *command,
                        struct geo_event *event)
{
    command->signal = geo_record_signal(list, event, list->counters[event->shared].value + 1);
    if (event->timestamps) {
        command->flags |= GEO_COMMAND_PROFILE;
        /* NULL: set by commit */
        command->profile = event->counter_based ? NULL : &event->own->times;
    }
}

/* ---- append ---- */

ze_result_t geo_append_record_begin(struct geo_command_list *list, struct geo_command *command,
                                    enum geo_command_operation operation, size_t payload_bytes,
                                    const struct geo_append_events *events,
                                    struct geo_append *append)
{
    size_t wait_offset = geo_record_round(payload_bytes);
    size_t bytes = geo_record_bytes(payload_bytes, events);
    GEO_ASSERT((uintptr_t)command % GEO_COMMAND_ALIGN == 0 && payload_bytes >= sizeof(*command));
    memset(command, 0, wait_offset);
    command->operation = (uint16_t)operation;
    command->bytes = (uint32_t)bytes;
    command->wait_offset = (uint32_t)wait_offset;
    GEO_CHECK(signal_check(list, events->signal, &append->signal));
    if (events->wait_count != 0) {
        GEO_CHECK(waits_fill(list, command, events));
    }
    if (append->signal) {
        signal_fill(list, command, append->signal);
    }
    append->list = list;
    append->branch = NULL;
    append->command = command;
    append->bytes = bytes;
    GEO_ASSERT(geo_record_is_valid(command));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_append_begin(struct geo_command_list *list, enum geo_command_operation operation,
                             size_t payload_bytes, const struct geo_append_events *events,
                             struct geo_append *append)
{
    GEO_ASSERT(geo_list_is_valid(list));
    struct geo_command *command = NULL;
    GEO_CHECK(geo_context_check_alive(list->context));
    if (list->closed) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the command list is closed");
    }
    if (geo_recordings_any()) {
        GEO_CHECK(geo_recorder->meet(list, events));
        if (list->branch) {
            return geo_recorder->begin(list, operation, payload_bytes, events, append);
        }
    }
    if (list->immediate && list->keep.count > GEO_KEEP_LIMIT) {
        geo_list_let_go(list);
    }
    size_t bytes = geo_record_bytes(payload_bytes, events);
    if (bytes > UINT32_MAX) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_SIZE,
            "a command of %zu bytes is too large: its waits and arguments must fit 4 GiB", bytes);
    }
    GEO_CHECK(list->immediate ? ring_reserve(list, bytes, &command)
                              : records_reserve(list, bytes, &command));
    return geo_append_record_begin(list, command, operation, payload_bytes, events, append);
}

/* Gives the record of a counter-based event its own stamp. A regular list keeps the stamp, because
 * it may write it as long as the list exists. A list also keeps it for an aggregate, whose counter
 * does not show whether this signal has come. */
static ze_result_t stamp_bind(struct geo_command_list *list, struct geo_command *command,
                              struct geo_event *event)
{
    GEO_ASSERT(command->flags & GEO_COMMAND_PROFILE);
    struct geo_stamp *stamp = geo_event_take_stamp(event);
    if (!stamp) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for timestamps");
    }
    if (list->immediate && !event->increment) {
        stamp->written = command->signal;
    } else {
        ze_result_t result = geo_keep_add(&list->keep, &stamp->base);
        if (result != ZE_RESULT_SUCCESS) {
            geo_stamp_unref(stamp);
            return result;
        }
        stamp->written.slot = NULL;
    }
    command->profile = &stamp->times;
    geo_event_bind_stamp(event, stamp);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_append_record_bind(struct geo_append *append)
{
    struct geo_command_list *list = append->list;
    struct geo_event *event = append->signal;
    if (!event || !event->counter_based) {
        return ZE_RESULT_SUCCESS;
    }
    if (event->timestamps) {
        GEO_CHECK(stamp_bind(list, append->command, event));
    }
    if (event->increment) {
        return ZE_RESULT_SUCCESS; /* its counter may be raised by any command */
    }
    struct geo_list_counter *own = &list->counters[event->shared];
    GEO_ASSERT(own->counter && append->command->signal.slot == own->counter->slot);
    uint64_t value = ++own->value;
    if (list->immediate) {
        geo_counter_given(own->counter, value);
    } else {
        list->bases.entries[own->base].signals = value;
        value = geo_bases_mark(0, value);
    }
    geo_event_bind_counter(event, own->counter, value);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_append_record_submit(struct geo_command_list *list, struct geo_batch *batch,
                                     bool wait)
{
    struct geo_stream *stream = list->stream;
    struct geo_event_ref none = {0};
    GEO_ASSERT(list->immediate && batch->bytes != 0);
    if (wait) {
        ze_result_t result = stream->ops->execute(stream->backend, batch, none);
        atomic_store_explicit(&list->ticket, batch->link.ticket, memory_order_relaxed);
        return geo_list_wait_result(list->context, result);
    }
    uint64_t ticket;
    ze_result_t result = stream->ops->submit(stream->backend, batch, none, &ticket);
    atomic_store_explicit(&list->ticket, ticket, memory_order_relaxed);
    return result;
}

struct geo_batch *geo_append_record_batch(const struct geo_append *append)
{
    GEO_ASSERT(append->list->immediate && append->command->bytes == append->bytes);
    struct geo_batch *batch = batch_of(append->command);
    *batch = (struct geo_batch){.first = append->command, .bytes = append->bytes};
    return batch;
}

void geo_append_record_submitted(const struct geo_append *append)
{
    struct geo_command_list *list = append->list;
    if (append->signal && !append->signal->increment && !list->synchronous) {
        geo_event_set_producer(append->signal, list->stream, list->ticket);
    }
}

static ze_result_t immediate_commit(struct geo_append *append, bool wait)
{
    struct geo_command_list *list = append->list;
    GEO_ASSERT(geo_record_is_valid(append->command));
    struct geo_batch *batch = geo_append_record_batch(append);
    GEO_CHECK(geo_append_record_bind(append));
    ze_result_t result = geo_append_record_submit(list, batch, wait);
    geo_ring_take(&list->ring, geo_record_round(sizeof(*batch)) + append->bytes, list->ticket);
    geo_append_record_submitted(append);
    return result;
}

static ze_result_t __attribute__((cold)) mutable_commit(struct geo_append *append)
{
    GEO_CHECK(geo_mutation_prepare(append));
    GEO_CHECK(geo_append_record_bind(append));
    geo_mutation_appended(append);
    append->list->used += append->bytes;
    return ZE_RESULT_SUCCESS;
}

/* Returns whether the record of a regular list lies behind the others, in the list's memory. */
static bool is_next(const struct geo_append *append)
{
    const struct geo_command_list *list = append->list;
    return (const uint8_t *)append->command == list->records + list->used &&
           append->bytes <= list->room - list->used && append->command->bytes == append->bytes;
}

ze_result_t geo_append_commit(struct geo_append *append)
{
    struct geo_command_list *list = append->list;
    if (__builtin_expect(append->branch != NULL, 0)) {
        return geo_recorder->commit(append);
    }
    if (list->immediate) {
        return immediate_commit(append, list->synchronous);
    }
    GEO_ASSERT(!list->closed && is_next(append) && geo_record_is_valid(append->command));
    if (__builtin_expect(list->mutation != NULL, 0)) {
        return mutable_commit(append);
    }
    GEO_CHECK(geo_append_record_bind(append));
    list->used += append->bytes;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_append_commit_later(struct geo_append *append)
{
    GEO_ASSERT(append->list->immediate && geo_object_lock_held(&append->list->use_lock));
    return append->branch ? geo_recorder->commit(append) : immediate_commit(append, false);
}
