/* Command lists of both kinds. A regular list records into one growing buffer and is submitted as a
 * whole, many times; an immediate list submits every record as it is appended. Both are built from
 * the same records by the same functions (append.h).
 *
 * Not thread-safe, as the specification allows, except where a function says so. */
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
#define GEO_KEEP_LIMIT    64u /* an immediate list that keeps more lets go of all when it is idle */

struct geo_mutation;

struct geo_command_list {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;
    uint32_t ordinal;
    ze_command_queue_group_property_flags_t group_flags;
    bool immediate, in_order, closed, synchronous;
    bool changed;                  /* since it was closed: it wants to be closed again */
    ze_command_list_flags_t flags; /* regular */
    ze_command_queue_desc_t desc;  /* immediate: as created, pNext NULL */
    struct geo_keep keep;          /* what the records need */

    /* Regular: the records, and where they were submitted last. use_lock protects them, since
     * several threads may submit one list, and appends of whole lists and of external semaphores,
     * which several threads may make to one immediate list. */
    uint8_t *records;
    size_t used, room;
    struct geo_object_lock use_lock;
    struct geo_list_use {
        struct geo_stream *stream; /* referenced; NULL: none */
        uint64_t ticket;
    } uses[GEO_LIST_USES];

    /* Immediate: the queue behind it. */
    struct geo_stream *stream;
    struct geo_ring ring;
    struct geo_graph_branch *branch; /* what it records into (capture.h); NULL: it submits */
    _Atomic uint64_t ticket;         /* of the last submission; others may wait for it meanwhile */

    /* In-order lists: what counter-based events refer to; NULL until the first one. */
    struct geo_list_counter {
        struct geo_counter *counter; /* referenced */
        uint64_t value;              /* the last one given out; regular: how many */
        uint32_t base;               /* regular: its index in `bases` */
    } counters[GEO_LIST_COUNTERS];   /* by whether the event is shared */
    /* Regular: what its records' relative references count from. */
    struct geo_bases bases;
    struct geo_mutation *mutation; /* owned; NULL: the list is not mutable */
};

GEO_OBJECT_HANDLE(command_list, GEO_OBJECT_COMMAND_LIST, ze_command_list_handle_t)

GEO_MUST_CHECK ze_result_t geo_list_create(struct geo_context *context, struct geo_device *device,
                                           const ze_command_list_desc_t *desc,
                                           struct geo_command_list **out);
GEO_MUST_CHECK ze_result_t geo_list_create_immediate(struct geo_context *context,
                                                     struct geo_device *device,
                                                     const ze_command_queue_desc_t *desc,
                                                     struct geo_command_list **out);
/* Of a closed list with the flag EXP_CLONEABLE, else INVALID_ARGUMENT. */
GEO_MUST_CHECK ze_result_t geo_list_clone(struct geo_command_list *list,
                                          struct geo_command_list **out);

/* The codes of an append, when a changed command cannot be. */
GEO_MUST_CHECK ze_result_t geo_list_close(struct geo_command_list *list);
/* Open and empty again. HANDLE_OBJECT_IN_USE when it is still being executed. */
GEO_MUST_CHECK ze_result_t geo_list_reset(struct geo_command_list *list);
/* SUCCESS when no submission of the list is in flight, after a short grace, else
 * HANDLE_OBJECT_IN_USE. */
GEO_MUST_CHECK ze_result_t geo_list_check_idle(struct geo_command_list *list);
/* SUCCESS when commands of the list may be changed now: it is mutable, closed (else
 * INVALID_ARGUMENT) and idle. */
GEO_MUST_CHECK ze_result_t geo_list_check_mutable(struct geo_command_list *list);

/* Waits for everything appended to an immediate list. */
GEO_MUST_CHECK ze_result_t geo_list_synchronize(struct geo_command_list *list, uint64_t timeout_ns);

/* An immediate list that is idle gives back what it kept for its commands. */
void geo_list_let_go(struct geo_command_list *list);

/* Notes that a regular list was submitted. (any thread) */
void geo_list_used(struct geo_command_list *list, struct geo_stream *stream, uint64_t ticket);

/* Checks of a descriptor's ordinal and index: INVALID_ARGUMENT. */
GEO_MUST_CHECK ze_result_t geo_check_queue_group(const struct geo_device *device, uint32_t ordinal,
                                                 uint32_t index);

/* What a wait for something of this context answers, given its result: a loss before all else. */
ze_result_t geo_wait_result(const struct geo_context *context, ze_result_t result);

#endif
