/* Appends a command to a list of either kind, in two steps.
 *
 *     begin    checks list and events, makes room, fills the record's header and waits
 *     ...      the caller fills the payload and keeps the objects it needs (keep.h; not before
 *              begin, which may release kept objects); stopping here has no effect
 *     commit   regular list: the record becomes part of the list; immediate list: it is submitted,
 *              and has run if the list is synchronous; recording list (recorder.h): it becomes part
 *              of a graph */
#ifndef GEO_DRIVER_CMD_APPEND_H
#define GEO_DRIVER_CMD_APPEND_H

#include "driver/cmd/list.h"
#include "driver/event/event.h"

/* The event arguments of an append function. */
struct geo_append_events {
    ze_event_handle_t signal; /* NULL: none */
    uint32_t wait_count;
    ze_event_handle_t *waits;
};

/* An append between begin and commit; on the stack of the API function. */
struct geo_append {
    struct geo_command_list *list;
    struct geo_command *command;
    struct geo_event *signal;        /* NULL: none */
    size_t bytes;                    /* size of the record with its waits */
    struct geo_graph_branch *branch; /* NULL unless the list records a graph */
};

/* Begins a record. payload_bytes is the size of the record with its header, without the waits. The
 * payload is zeroed. Returns INVALID_ARGUMENT for a closed list, INVALID_SIZE for a wait list
 * without events, INVALID_SYNCHRONIZATION_OBJECT for an event that the list cannot use,
 * OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_append_begin(struct geo_command_list *list,
                                            enum geo_command_operation operation,
                                            size_t payload_bytes,
                                            const struct geo_append_events *events,
                                            struct geo_append *append);
GEO_MUST_CHECK ze_result_t geo_append_commit(struct geo_append *append);

/* Does what geo_append_commit does, for an immediate list whose lock the caller holds. On a
 * synchronous list it does not wait for the command: the caller waits after releasing the lock. */
GEO_MUST_CHECK ze_result_t geo_append_commit_later(struct geo_append *append);

/* (any thread) Runs closed lists in an immediate list, all or none. `events` apply as for a single
 * command. */
GEO_MUST_CHECK ze_result_t geo_append_lists(struct geo_command_list *list, uint32_t count,
                                            ze_command_list_handle_t *lists,
                                            const struct geo_append_events *events);

/* Checks that a list can be executed on a queue of this device and group. Returns
 * INVALID_COMMAND_LIST_TYPE, or INVALID_ARGUMENT if the list is open. */
GEO_MUST_CHECK ze_result_t geo_append_lists_check_executable(const struct geo_command_list *list,
                                                             const struct geo_device *device,
                                                             uint32_t ordinal);

#endif
