/* Changes the events that commands of mutable lists wait for and signal. See mutable.h. */
#include "driver/cmd/mutable.h"

#include "driver/cmd/record.h"
#include "driver/cmd/records.h"
#include "driver/core/check.h"

#include <string.h>

static struct geo_command *record_at(const struct geo_command_list *list, size_t offset)
{
    GEO_ASSERT(list->closed && offset < list->used);
    struct geo_command *record = (struct geo_command *)(void *)(list->records + offset);
    GEO_ASSERT(geo_record_is_valid(record));
    return record;
}

/* ---- signals ---- */

static enum geo_mutable_signal signal_of(const struct geo_event *event)
{
    return !event->counter_based ? GEO_MUTABLE_SIGNAL_REGULAR
           : event->increment    ? GEO_MUTABLE_SIGNAL_AGGREGATE
                                 : GEO_MUTABLE_SIGNAL_COUNTER;
}

/* Checks that the record can signal the event. It can signal any regular event, or the one number
 * of the list's counter that it was given. Timestamps and scopes may differ. */
static ze_result_t signal_check(const struct geo_mutable_command *command,
                                const struct geo_event *event)
{
    enum geo_mutable_signal signal = signal_of(event);
    if (signal != command->signal ||
        (signal == GEO_MUTABLE_SIGNAL_COUNTER && event->shared != command->shared)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the event is of another type than the one that the command signalled");
    }
    return ZE_RESULT_SUCCESS;
}

static uint64_t signal_value(const struct geo_mutable_command *command)
{
    return geo_bases_mark(0, command->number);
}

/* Detaches the old event, which refers to this command in the list's latest execution. From now on
 * it refers to the execution that was the latest so far, if any. */
static void signal_leave(const struct geo_command_list *list, struct geo_mutable_command *command)
{
    struct geo_event *event = command->signalled;
    struct geo_counter *own = list->counters[command->shared].counter;
    if (!event || command->signal != GEO_MUTABLE_SIGNAL_COUNTER) {
        return;
    }
    struct geo_event_reading now = geo_event_read(event);
    if (now.counter == own && now.ref.slot == own->slot && now.ref.value == signal_value(command)) {
        geo_event_bind_counter(event, own, geo_counter_latest(own, command->number));
    }
}

/* Writes the signal to the record. Takes over the stamp's reference; event and stamp NULL: none. */
static void signal_write(struct geo_command_list *list, struct geo_mutable_command *command,
                         struct geo_event *event, struct geo_stamp *stamp)
{
    struct geo_command *record = record_at(list, command->last);
    GEO_ASSERT(!stamp || (event && event->counter_based && event->timestamps));
    record->signal = (struct geo_event_ref){0};
    record->flags &= (uint16_t)~GEO_COMMAND_PROFILE;
    record->profile = NULL;
    if (!event) {
        return;
    }
    record->signal = geo_record_signal(list, event, command->number);
    if (event->timestamps) {
        record->flags |= GEO_COMMAND_PROFILE;
        record->profile = stamp ? &stamp->times : &event->own->times;
    }
    if (stamp) { /* one reference for the event, one for the command */
        geo_object_ref(&stamp->base);
        geo_event_bind_stamp(event, stamp);
    }
    if (command->signal == GEO_MUTABLE_SIGNAL_COUNTER) {
        geo_event_bind_counter(event, list->counters[command->shared].counter,
                               signal_value(command));
    }
}

static ze_result_t stamp_take(struct geo_event *event, struct geo_stamp **stamp)
{
    *stamp = NULL;
    if (!event || !event->counter_based || !event->timestamps) {
        return ZE_RESULT_SUCCESS;
    }
    *stamp = geo_event_take_stamp(event);
    if (!*stamp) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for timestamps");
    }
    (*stamp)->written.slot = NULL; /* it may be written as long as the list exists */
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_mutable_events_set_signal(struct geo_command_list *list, uint64_t id,
                                          ze_event_handle_t handle)
{
    struct geo_mutable_command *command;
    struct geo_event *event = NULL;
    struct geo_stamp *stamp;
    GEO_CHECK(geo_mutable_find(list, id, ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT, &command));
    if (command->signal == GEO_MUTABLE_SIGNAL_NONE) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "command %llu was appended without an event to signal, so none can be set",
                        (unsigned long long)id);
    }
    if (handle) {
        GEO_CHECK(geo_event_from(handle, &event));
        GEO_CHECK(signal_check(command, event));
    }
    GEO_CHECK(stamp_take(event, &stamp));
    if (event != command->signalled) {
        signal_leave(list, command);
    }
    signal_write(list, command, event, stamp);
    struct geo_event *old = command->signalled;
    struct geo_stamp *old_stamp = command->stamp;
    if (event) {
        geo_object_ref(&event->base);
    }
    command->signalled = event;
    command->stamp = stamp;
    geo_stamp_unref(old_stamp);
    if (old) {
        geo_object_unref(&old->base);
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- waits ---- */

/* Computes references for *count events. Events that are complete for ever are left out. */
static ze_result_t waits_try(struct geo_command_list *list, struct geo_mutable_command *command,
                             ze_event_handle_t *handles, uint32_t *count)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < *count; i++) {
        struct geo_event *event;
        if (!handles[i]) {
            continue;
        }
        GEO_CHECK(geo_event_from(handles[i], &event));
        GEO_CHECK(geo_append_record_wait(list, event, &command->refs[used]));
        if (command->refs[used].slot) {
            command->draft_waited[used++] = event;
        }
    }
    *count = used;
    return ZE_RESULT_SUCCESS;
}

static void waits_write(struct geo_command_list *list, struct geo_mutable_command *command,
                        uint32_t count)
{
    struct geo_command *record = record_at(list, command->first);
    GEO_ASSERT(count <= command->wait_count);
    GEO_ASSERT(count * sizeof(*command->refs) <= record->bytes - record->wait_offset);
    if (count) {
        memcpy((uint8_t *)record + record->wait_offset, command->refs,
               count * sizeof(*command->refs));
    }
    record->wait_count = count;
    for (uint32_t i = 0; i < count; i++) {
        geo_object_ref(&command->draft_waited[i]->base);
    }
    for (uint32_t i = 0; i < command->wait_count; i++) {
        struct geo_event *old = command->waited[i];
        command->waited[i] = i < count ? command->draft_waited[i] : NULL;
        if (old) {
            geo_object_unref(&old->base);
        }
    }
}

ze_result_t geo_mutable_events_set_waits(struct geo_command_list *list, uint64_t id, uint32_t count,
                                         ze_event_handle_t *handles)
{
    struct geo_mutable_command *command;
    GEO_CHECK(geo_mutable_find(list, id, ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS, &command));
    if (count != command->wait_count && (handles || count != 0)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "%u events to wait for were given, but command %llu was appended with %u",
                        count, (unsigned long long)id, command->wait_count);
    }
    count = handles ? count : 0;
    GEO_CHECK(waits_try(list, command, handles, &count));
    waits_write(list, command, count);
    return ZE_RESULT_SUCCESS;
}
