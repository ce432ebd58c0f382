/* What the checks of commands and events know of lists, queues, kernels, events and pools, beyond
 * that they live. One lock guards it all but what says otherwise, which calls read and write that
 * have the object for themselves.
 * Of the driver nothing is called under it but what asks for a state, for 10 ms at most. */
#ifndef GEO_LAYERS_VALIDATION_MODEL_H
#define GEO_LAYERS_VALIDATION_MODEL_H

#include "layers/validation/access.h"
#include "layers/validation/objects.h"

enum { GEO_VAL_ARGUMENTS = 64, GEO_VAL_WINDOW = 512 }; /* most that are looked at */

struct geo_val_range_used {
    uintptr_t base;
    size_t size;
    bool write;
    bool maybe; /* a kernel's: the allocation behind an argument */
};

/* What is known of an object begins with the number of the life that it is of: a handle may come
 * again from a call that the model does not follow. */
struct geo_val_data {
    uint64_t life;
};

/* A command in a list. */
struct geo_val_command {
    enum geo_ddi_function_id function;
    uint32_t number; /* in its list, from 0 */
    bool blocks;     /* nothing later starts before it is done */
    bool opaque;     /* brings commands of its own along: any order may come with them */
    bool done;       /* the host has seen that it is */
    void *signal;    /* event or NULL */
    void *reset;     /* event that it resets, or NULL */
    void *kernel;    /* or NULL */
    void **waits;    /* owned */
    uint32_t wait_count;
    struct geo_val_range_used *ranges; /* owned */
    uint32_t range_count;
};

/* Two commands of a list that nothing orders. */
struct geo_val_hazard {
    bool found, maybe;
    uint32_t earlier, later; /* numbers */
    enum geo_ddi_function_id earlier_function, later_function;
    uintptr_t base;
    size_t size;
};

struct geo_val_list {
    struct geo_val_data data;
    struct geo_val_hazard hazard; /* the first, until it is told */
    struct geo_val_list *next;    /* of all */
    ze_command_list_handle_t handle;
    bool immediate, in_order;
    atomic_bool closed; /* by the thread that has the list, without the lock */
    bool opaque; /* changed in a way that is not followed: nothing is concluded from its commands */
    uint32_t ordinal;
    uint32_t appended; /* number of the next command */
    struct geo_val_command *commands;
    uint32_t count, capacity;
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

struct geo_val_kernel {
    struct geo_val_data data;
    uint32_t count; /* of arguments */
    /* By the thread that has the kernel, without the lock: bits of the arguments that have been
     * set, and their values when these have the size of a pointer, else 0. */
    _Atomic uint64_t set;
    _Atomic uintptr_t pointers[GEO_VAL_ARGUMENTS];
};

struct geo_val_pool {
    struct geo_val_data data;
    bool plain; /* events of two states, for this process alone */
    uint32_t count;
    uint8_t *taken; /* bits; NULL when memory ran out */
};

struct geo_val_event {
    struct geo_val_data data;
    bool plain;
    struct geo_val_pool *pool;
    uint32_t index;
    uint32_t signals; /* since the last reset, in the order of submission */
    bool waited;      /* by work that was submitted, or by the host without end */
    bool signalled;   /* ever */
    bool reset;       /* ever, by a command: when is not known here */
};

void geo_val_model_lock(void);
void geo_val_model_unlock(void);

/* What is known of an object, NULL: nothing, or memory ran out. By type of handle:
 * geo_val_list_of(list) and so on. Under the lock. */
struct geo_val_list *geo_val_list_of(const void *handle);
struct geo_val_queue *geo_val_queue_of(const void *handle);
struct geo_val_fence *geo_val_fence_of(const void *handle);
struct geo_val_kernel *geo_val_kernel_of(const void *handle);
struct geo_val_pool *geo_val_pool_of(const void *handle);
struct geo_val_event *geo_val_event_of(const void *handle);

/* After the calls that make and destroy them. */
void geo_val_model_note(const struct geo_layer_call *call);
void geo_val_event_end(const struct geo_val_event *event);

/* The record of an event, or NULL. */
const struct geo_val_object *geo_val_event_object(const void *handle);
/* All events that live. */
void geo_val_events_each(void (*visit)(void *handle));
/* All lists that live. */
void geo_val_lists_each(void (*visit)(struct geo_val_list *list, void *user), void *user);

/* Adds a command, of immediate lists those that are done fall out; NULL: memory ran out. */
struct geo_val_command *geo_val_list_append(struct geo_val_list *list);
void geo_val_list_clear(struct geo_val_list *list);

/* --- shapes.c --- */

/* What a function does to commands. */
struct geo_val_shape {
    bool appends;       /* a command to its first argument, a list */
    bool nested;        /* and that command is other lists */
    bool opaque;        /* it brings commands of its own along */
    bool changes;       /* commands of its first argument, a list */
    bool followed;      /* the model changes when it succeeds */
    bool checked;       /* it may be wrong */
    bool checked_alone; /* which is seen from what it has for itself, without the lock */
    bool noted_alone;   /* the model changes in that alone */
    /* Where in its arguments stands what it waits for and signals; -1: nowhere. */
    int8_t waits, wait_count, signal, kernel;
};
extern struct geo_val_shape geo_val_shapes[GEO_DDI_FUNCTION_COUNT];

/* Fills a command from the call that appends it. */
void geo_val_command_fill(struct geo_val_command *command, const struct geo_layer_call *call);

/* --- commands_check.c, commands_note.c --- */

/* Before a call: what is wrong with it. Under the lock, unless it is `checked_alone`. */
ze_result_t geo_val_commands_check(const struct geo_layer_call *call);
/* After one that is followed. `scratch`: of a wait, what is done now that it is over. Under the
 * lock, unless it is `noted_alone`. */
void geo_val_commands_note(const struct geo_layer_call *call, void *scratch);

/* --- events.c --- */

/* Before a call: what is wrong with what it does to an event. */
ze_result_t geo_val_events_check(const struct geo_layer_call *call);
/* What a command does to events, now that it has been submitted. */
void geo_val_events_submit(const struct geo_layer_call *call,
                           const struct geo_val_command *command);
void geo_val_event_host_signal(const void *handle);
void geo_val_event_host_reset(const void *handle);
/* From now on events may be signalled by what is not followed. */
void geo_val_event_signals_unseen(void);

/* --- checks over it: hazards.c, deadlocks.c --- */

/* Whether the new command, the last of its list, needs another before it that nothing orders;
 * notes the list's first. Under the lock, as all of these. */
void geo_val_hazards_find(struct geo_val_list *list);
/* Tells it once: the list runs. */
void geo_val_hazard_tell(const struct geo_layer_call *call, struct geo_val_list *list);
/* What the host has seen complete: the event's signaller, and what comes before it. */
void geo_val_hazards_settle_event(const void *event);

/* Whether the list may still be executed: it is the last that was submitted where it was, and the
 * driver says even after some milliseconds that this is not done. Under the lock. */
bool geo_val_list_in_flight(const struct geo_val_list *list);
bool geo_val_queue_in_flight(const struct geo_val_queue *queue);

/* Whether commands that have been submitted can never run unless the host helps, which is about to
 * wait. */
void geo_val_deadlocks_find(const struct geo_layer_call *call);

#endif
