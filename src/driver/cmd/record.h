/* The steps of appending, for code that places records itself: append.c, append_lists.c and
 * executable_run.c. */
#ifndef GEO_DRIVER_CMD_RECORD_H
#define GEO_DRIVER_CMD_RECORD_H

#include "driver/cmd/append.h"

static inline size_t geo_record_round(size_t bytes)
{
    return (bytes + GEO_COMMAND_ALIGN - 1) & ~(size_t)(GEO_COMMAND_ALIGN - 1);
}

/* Returns the size of a record with its waits. */
static inline size_t geo_record_bytes(size_t payload_bytes, const struct geo_append_events *events)
{
    return geo_record_round(payload_bytes) +
           (size_t)events->wait_count * sizeof(struct geo_event_ref);
}

/* Computes what a record waits for. In an immediate list that is what the event refers to now; a
 * regular list evaluates it at each execution. Slot NULL: nothing to wait for. Returns
 * OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_append_record_wait(struct geo_command_list *list,
                                                  struct geo_event *event,
                                                  struct geo_event_ref *ref);

/* Returns what a record signals; `number` is the signal's number or value in the list's counter. */
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

/* Fills the header and the waits of a new record, and `append`. */
GEO_MUST_CHECK ze_result_t geo_append_record_begin(struct geo_command_list *list,
                                                   struct geo_command *command,
                                                   enum geo_command_operation operation,
                                                   size_t payload_bytes,
                                                   const struct geo_append_events *events,
                                                   struct geo_append *append);

/* Binds a counter-based event to this record. */
GEO_MUST_CHECK ze_result_t geo_append_record_bind(struct geo_append *append);

/* Returns the batch of a complete record in an immediate list; it is stored in front of the
 * record. */
struct geo_batch *geo_append_record_batch(const struct geo_append *append);

/* Submits a batch to the stream of an immediate list. With `wait` it has run on return. */
GEO_MUST_CHECK ze_result_t geo_append_record_submit(struct geo_command_list *list,
                                                    struct geo_batch *batch, bool wait);

/* Tells the signalled event where the record was submitted. */
void geo_append_record_submitted(const struct geo_append *append);

#endif
