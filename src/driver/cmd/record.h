/* The steps that appending is made of, for those who place records themselves: append.c one after
 * the other, append_lists.c those around whole lists. */
#ifndef GEO_DRIVER_CMD_RECORD_H
#define GEO_DRIVER_CMD_RECORD_H

#include "driver/cmd/append.h"

static inline size_t geo_record_round(size_t bytes)
{
    return (bytes + GEO_COMMAND_ALIGN - 1) & ~(size_t)(GEO_COMMAND_ALIGN - 1);
}

static inline size_t geo_record_bytes(size_t payload_bytes, const struct geo_append_events *events)
{
    return geo_record_round(payload_bytes) +
           (size_t)events->wait_count * sizeof(struct geo_event_ref);
}

/* What a record waits for: in an immediate list what the event refers to now; a regular list looks
 * again at each execution. Slot NULL: nothing, also then. OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_record_wait(struct geo_command_list *list,
                                           const struct geo_event *event,
                                           struct geo_event_ref *ref);

/* What a record signals; `number` of the list's counter, when it is one of those. */
static inline struct geo_event_ref geo_record_signal(const struct geo_command_list *list,
                                                     const struct geo_event *event, uint64_t number)
{
    if (event->increment) {
        return (struct geo_event_ref){
            (struct geo_event_slot *)(void *)atomic_load(&event->external),
            event->increment | GEO_EVENT_EXTERNAL};
    }
    if (event->counter_based) {
        const struct geo_list_counter *own = &list->counters[event->shared];
        return (struct geo_event_ref){own->counter->slot,
                                      list->immediate ? number : geo_bases_mark(own->base, number)};
    }
    return geo_event_reference(event);
}

/* Fills a new record's header and waits, and `append` with them. */
GEO_MUST_CHECK ze_result_t geo_record_begin(struct geo_command_list *list,
                                            struct geo_command *command,
                                            enum geo_command_operation operation,
                                            size_t payload_bytes,
                                            const struct geo_append_events *events,
                                            struct geo_append *append);

/* A counter-based event refers to this record from now on. */
GEO_MUST_CHECK ze_result_t geo_record_bind(struct geo_append *append);

/* The batch of one record that is complete, in an immediate list: it lies before it. */
struct geo_batch *geo_record_batch(const struct geo_append *append);

/* Submits a batch to an immediate list's stream. With `wait` it has run on return. */
GEO_MUST_CHECK ze_result_t geo_record_submit(struct geo_command_list *list, struct geo_batch *batch,
                                             bool wait);

/* Its event knows where the record went. */
void geo_record_submitted(const struct geo_append *append);

#endif
