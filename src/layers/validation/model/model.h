/* The model: data of lists, queues and fences that the checks of commands and events need, in
 * addition to lifetimes. A list stores what each of its commands uses (uses.h), and the uses are
 * checked again when it is executed.
 *
 *     append ----> geo_val_used_call_check      checks what the call uses at this time
 *        |
 *        v
 *     command {uses, waits, signal}        stored in its list, graph, clone
 *        |
 *        v
 *     execute ---> geo_val_record_replay          checks what its commands use at this time
 *
 * One lock (data.h) protects all of it. Fields marked otherwise are accessed by calls that have
 * exclusive use of the object. */
#ifndef GEO_LAYERS_VALIDATION_MODEL_H
#define GEO_LAYERS_VALIDATION_MODEL_H

#include "layers/validation/model/record.h"
#include "layers/validation/objects/data.h"
#include "layers/validation/uses/pools.h"

enum { GEO_VAL_WINDOW = 512 }; /* maximum number of commands that are compared */

/* Time that the driver gets to notice a completion that the application has already seen. */
enum { GEO_VAL_GRACE_NS = 10000000 };

/* Two commands of a list without an order between them. */
struct geo_val_hazard {
    bool found, maybe;
    uint32_t earlier, later; /* command numbers */
    enum geo_ddi_function_id earlier_function, later_function;
    struct geo_val_used used;
};

struct geo_val_list {
    struct geo_val_data data;
    struct geo_val_hazard hazard; /* the first one, until it is reported */
    struct geo_val_list *next;    /* next of all lists */
    ze_command_list_handle_t handle;
    bool immediate, in_order;
    bool only_copies;               /* its queue group cannot run kernels */
    atomic_bool closed;             /* written by the thread that uses the list, without the lock */
    atomic_bool open_state_unknown; /* set for a clone until it is closed or reset */
    /* Commands were mutated after the list was closed. Their accesses and waits may differ from
     * those that the layer recorded, so it stops checking the list for hazards and deadlocks. */
    bool changed;
    bool stale; /* commands were mutated, and the list is not closed again yet */
    uint32_t ordinal;
    /* Geo_val_endings + 1 at the last successful check of its commands; 0: never. */
    unsigned checked;
    struct geo_val_record record;
    /* Regular lists: the queue of the last execution, and its submission number there. */
    struct geo_val_queue *queue;
    uint64_t submission;
    /* Or the immediate list that executed it, and the number of the command there. */
    struct geo_val_list *carrier;
    uint32_t carried;
};

struct geo_val_queue {
    struct geo_val_data data;
    ze_command_queue_handle_t handle; /* NULL: destroyed */
    uint32_t ordinal;
    uint64_t submissions, done; /* submissions up to number `done` are complete */
};

struct geo_val_fence {
    struct geo_val_data data;
    struct geo_val_queue *queue;
    uint64_t submission;
};

/* Return the data of an object, or NULL when nothing is known or memory ran out. The lock is
 * held. */
struct geo_val_list *geo_val_model_list(const void *handle);
struct geo_val_queue *geo_val_model_queue(const void *handle);
struct geo_val_fence *geo_val_model_fence(const void *handle);

/* Creates the data of a new list. */
struct geo_val_list *geo_val_model_list_begin(const void *handle, bool immediate, bool in_order,
                                              uint32_t ordinal);

/* Returns whether the list is closed, as far as is known. */
bool geo_val_model_list_may_run(const struct geo_val_list *list);

/* Reports a message about the object that a parameter names, with its history. */
void geo_val_model_object_tell(const struct geo_layer_call *call, enum geo_val_message message,
                               size_t param, const void *handle, const char *text);

/* Visits all live lists. */
void geo_val_model_lists_each(void (*visit)(struct geo_val_list *list, void *user), void *user);

/* Returns whether the list is still executed. The driver must report, even after some milliseconds,
 * that the queue is not done. Besides, the list must be the last submission there, or wait for
 * something that has not happened. The lock is held. */
bool geo_val_model_list_in_flight(const struct geo_val_list *list);
bool geo_val_model_queue_in_flight(const struct geo_val_queue *queue);

#endif
