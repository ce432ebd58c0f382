/* What the checks of commands and events know of lists, queues and fences, beyond that they live:
 * the books. A list keeps what each of its commands uses (uses.h); executing it checks that again.
 *
 *     append ----> geo_val_call_check      what the call uses, as things are now
 *        |
 *        v
 *     command {uses, waits, signal}        kept in its list, graph, clone
 *        |
 *        v
 *     execute ---> geo_val_replay          what its commands use, as things are now
 *
 * One lock (data.h) guards it all but what says otherwise, which calls read and write that have the
 * object for themselves. */
#ifndef GEO_LAYERS_VALIDATION_MODEL_H
#define GEO_LAYERS_VALIDATION_MODEL_H

#include "layers/validation/data.h"
#include "layers/validation/pools.h"
#include "layers/validation/record.h"

enum { GEO_VAL_WINDOW = 512 }; /* most commands that are compared */

/* What the driver may need to see what the application saw. */
enum { GEO_VAL_GRACE_NS = 10000000 };

/* Two commands of a list that nothing orders. */
struct geo_val_hazard {
    bool found, maybe;
    uint32_t earlier, later; /* numbers */
    enum geo_ddi_function_id earlier_function, later_function;
    struct geo_val_used used;
};

struct geo_val_list {
    struct geo_val_data data;
    struct geo_val_hazard hazard; /* the first, until it is told */
    struct geo_val_list *next;    /* of all */
    ze_command_list_handle_t handle;
    bool immediate, in_order;
    bool only_copies;               /* its queue group runs no kernels */
    atomic_bool closed;             /* by the thread that has the list, without the lock */
    atomic_bool open_state_unknown; /* a clone, until it is closed or reset */
    bool changed; /* commands were changed after it was closed: nothing is concluded from order */
    bool stale;   /* they were, and it has not been closed again */
    uint32_t ordinal;
    unsigned checked; /* geo_val_endings + 1 when its commands were last found right, 0: never */
    struct geo_val_record record;
    /* Regular lists: where it was last executed, and which submission of that queue it was. */
    struct geo_val_queue *queue;
    uint64_t submission;
    /* Or within which immediate list, as which of its commands. */
    struct geo_val_list *carrier;
    uint32_t carried;
};

struct geo_val_queue {
    struct geo_val_data data;
    ze_command_queue_handle_t handle; /* NULL: destroyed */
    uint32_t ordinal;
    uint64_t submissions, done; /* all up to `done` are complete */
};

struct geo_val_fence {
    struct geo_val_data data;
    struct geo_val_queue *queue;
    uint64_t submission;
};

/* What is known of an object, NULL: nothing, or memory ran out. Under the lock. */
struct geo_val_list *geo_val_list_of(const void *handle);
struct geo_val_queue *geo_val_queue_of(const void *handle);
struct geo_val_fence *geo_val_fence_of(const void *handle);

/* Begins the books of a new list. */
struct geo_val_list *geo_val_list_begin(const void *handle, bool immediate, bool in_order,
                                        uint32_t ordinal);

/* Whether it is closed, as far as is known. */
bool geo_val_list_may_run(const struct geo_val_list *list);

/* Tells of the object that a parameter names, with its history. */
void geo_val_object_tell(const struct geo_layer_call *call, enum geo_val_message message,
                         size_t param, const void *handle, const char *text);

/* All lists that live. */
void geo_val_lists_each(void (*visit)(struct geo_val_list *list, void *user), void *user);

/* Whether the list is still executed: the driver says even after some milliseconds that what it was
 * submitted to is not done, and it was the last there or waits for what has not happened. Under the
 * lock. */
bool geo_val_list_in_flight(const struct geo_val_list *list);
bool geo_val_queue_in_flight(const struct geo_val_queue *queue);

/* --- events.c --- */

/* What a command does to events, now that it has been submitted. */
void geo_val_events_submit(const struct geo_layer_call *call,
                           const struct geo_val_command *command);

/* --- checks over it: hazards.c, deadlocks.c --- */

/* Whether the new command, the last of its list, needs another before it that nothing orders;
 * notes the list's first. Under the lock, as all of these. */
void geo_val_hazards_find(struct geo_val_list *list);
/* Tells it once: the list runs. */
void geo_val_hazard_tell(const struct geo_layer_call *call, struct geo_val_list *list);
/* What the host has seen complete: the event's signaller, what comes before it, and what these
 * waited for in other lists. */
void geo_val_hazards_settle_event(const void *event);
/* The same for the commands of a list whose numbers are below `end`. */
void geo_val_hazards_settle_list(struct geo_val_list *list, uint32_t end);

/* Whether commands that have been submitted can never run unless the host helps, which is about to
 * wait. */
void geo_val_deadlocks_find(const struct geo_layer_call *call);

#endif
