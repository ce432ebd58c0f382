/* Appending to a list of either kind, in two steps:
 *
 *     begin    checks list and events, makes room, fills the record's header and waits
 *     ...      the caller fills the payload and keeps what it needs (keep.h; not before begin,
 *              which may let go); giving up here leaves no trace
 *     commit   regular: the record becomes part of the list; immediate: it is submitted, and on a
 *              synchronous list has run; recording (capture.h): it becomes part of a graph
 */
#ifndef GEO_DRIVER_CMD_APPEND_H
#define GEO_DRIVER_CMD_APPEND_H

#include "driver/cmd/event.h"
#include "driver/cmd/list.h"

struct geo_append_events {
    ze_event_handle_t signal; /* NULL: none */
    uint32_t wait_count;
    ze_event_handle_t *waits;
};

struct geo_append {
    struct geo_command_list *list;
    struct geo_command *command;
    struct geo_event *signal;        /* NULL: none */
    size_t bytes;                    /* of what commit takes */
    struct geo_graph_branch *branch; /* the list records a graph; NULL: it does not */
};

/* payload_bytes: of the whole record including its header, without the waits. The payload is
 * zeroed. INVALID_ARGUMENT for a closed list, INVALID_SIZE for a wait list without events,
 * INVALID_SYNCHRONIZATION_OBJECT for an event the list cannot use, OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_append_begin(struct geo_command_list *list,
                                            enum geo_command_operation operation,
                                            size_t payload_bytes,
                                            const struct geo_append_events *events,
                                            struct geo_append *append);
GEO_MUST_CHECK ze_result_t geo_append_commit(struct geo_append *append);

/* geo_append_commit for an immediate list whose lock the caller holds. Does not wait for the end
 * of the command on a synchronous list: the caller waits when it has released the lock. */
GEO_MUST_CHECK ze_result_t geo_append_commit_later(struct geo_append *append);

/* (any thread) Runs closed lists through an immediate list, all or none: `events` as for one
 * command. */
GEO_MUST_CHECK ze_result_t geo_append_lists(struct geo_command_list *list, uint32_t count,
                                            ze_command_list_handle_t *lists,
                                            const struct geo_append_events *events);

/* Checks a list for execution on a queue of this device and group: INVALID_COMMAND_LIST_TYPE,
 * INVALID_ARGUMENT when it is open. */
GEO_MUST_CHECK ze_result_t geo_check_executable(const struct geo_command_list *list,
                                                const struct geo_device *device, uint32_t ordinal);

#endif
