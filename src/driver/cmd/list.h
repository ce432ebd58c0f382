/* Command lists of both kinds. A regular list records into a growing buffer and is submitted as a
 * whole, any number of times. An immediate list submits each record when it is appended. Both use
 * the same records and functions (append.h).
 *
 * As the specification allows, lists are not thread-safe, except where a function says so. */
#ifndef GEO_DRIVER_CMD_LIST_H
#define GEO_DRIVER_CMD_LIST_H

#include "base/lock.h"
#include "driver/cmd/bases.h"
#include "driver/cmd/keep.h"
#include "driver/cmd/ring.h"
#include "driver/core/context.h"

struct geo_graph_branch;

#define GEO_LIST_USES     4u
#define GEO_LIST_COUNTERS 2u
/* an immediate list that keeps more objects releases all of them when it is idle */
#define GEO_KEEP_LIMIT 64u

struct geo_mutation;

/* A command list of the application, of either kind. */
struct geo_command_list {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;
    uint32_t ordinal;
    ze_command_queue_group_property_flags_t group_flags;
    bool immediate, in_order, closed, synchronous;
    bool changed;                  /* changed since it was closed, and has to be closed again */
    ze_command_list_flags_t flags; /* of a regular list */
    ze_command_queue_desc_t desc;  /* of an immediate list, as created; pNext is NULL */
    struct geo_keep keep;          /* objects that the records need */

    /* Regular lists: the records, and the latest submissions. use_lock protects them, because
     * several threads may submit a list. In immediate lists it protects appends of whole lists and
     * of external semaphores, which several threads may do. */
    uint8_t *records;
    size_t used, room;
    struct geo_object_lock use_lock;
    struct geo_list_use {
        struct geo_stream *stream; /* referenced; NULL: unused */
        uint64_t ticket;
    } uses[GEO_LIST_USES];

    /* immediate lists: the queue */
    struct geo_stream *stream;
    struct geo_ring ring;
    /* branch of a graph into which it records (recorder.h); NULL: it submits */
    struct geo_graph_branch *branch;
    _Atomic uint64_t ticket; /* of the last submission; other threads may wait for it */

    /* in-order lists: counters of counter-based events; NULL until the first one */
    struct geo_list_counter {
        struct geo_counter *counter; /* referenced */
        uint64_t value;              /* last value used; regular lists: number of signals */
        uint32_t base;               /* regular lists: index in `bases` */
    } counters[GEO_LIST_COUNTERS];   /* [whether the event is shared] */
    /* regular lists: bases of relative references in the records */
    struct geo_bases bases;
    struct geo_mutation *mutation; /* owned; NULL unless the list is mutable */
};

GEO_OBJECT_HANDLE(command_list, GEO_OBJECT_COMMAND_LIST, ze_command_list_handle_t)

/* Create a regular and an immediate list. Return INVALID_ARGUMENT for a queue group or index that
 * the device lacks. */
GEO_MUST_CHECK ze_result_t geo_list_create(struct geo_context *context, struct geo_device *device,
                                           const ze_command_list_desc_t *desc,
                                           struct geo_command_list **out);
GEO_MUST_CHECK ze_result_t geo_list_create_immediate(struct geo_context *context,
                                                     struct geo_device *device,
                                                     const ze_command_queue_desc_t *desc,
                                                     struct geo_command_list **out);
/* Clones a closed list with the flag EXP_CLONEABLE; returns INVALID_ARGUMENT for others. */
GEO_MUST_CHECK ze_result_t geo_list_clone(struct geo_command_list *list,
                                          struct geo_command_list **out);

/* Returns whether the state of a complete list is one that a list of its kind can have. For
 * assertions. */
bool geo_list_is_valid(const struct geo_command_list *list);

/* Closes a list. Returns an error of an append if a changed command is invalid. */
GEO_MUST_CHECK ze_result_t geo_list_close(struct geo_command_list *list);
/* Empties and opens a list. Returns HANDLE_OBJECT_IN_USE if it is still being executed. */
GEO_MUST_CHECK ze_result_t geo_list_reset(struct geo_command_list *list);
/* Returns HANDLE_OBJECT_IN_USE if a submission of the list is still in flight after a short
 * wait. */
GEO_MUST_CHECK ze_result_t geo_list_check_idle(struct geo_command_list *list);
/* Checks whether commands of the list may be changed now. Returns INVALID_ARGUMENT unless it is
 * mutable and closed, and HANDLE_OBJECT_IN_USE unless it is idle. */
GEO_MUST_CHECK ze_result_t geo_list_check_mutable(struct geo_command_list *list);

/* Waits for everything appended to an immediate list. */
GEO_MUST_CHECK ze_result_t geo_list_synchronize(struct geo_command_list *list, uint64_t timeout_ns);

/* Releases the objects that an immediate list keeps, if it is idle. */
void geo_list_let_go(struct geo_command_list *list);

/* (any thread) Records a submission of a regular list. */
void geo_list_used(struct geo_command_list *list, struct geo_stream *stream, uint64_t ticket);

/* Checks ordinal and index of a descriptor; returns INVALID_ARGUMENT. */
GEO_MUST_CHECK ze_result_t geo_list_check_group(const struct geo_device *device, uint32_t ordinal,
                                                uint32_t index);

/* Returns the result of a wait in this context. The loss of the context takes precedence. */
ze_result_t geo_list_wait_result(const struct geo_context *context, ze_result_t result);

#endif
