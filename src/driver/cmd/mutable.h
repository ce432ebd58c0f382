/* Mutable command lists (ZE_experimental_mutable_command_list): commands that can be changed after
 * the list was closed.
 *
 * The application gets an id before it appends a command; the next command has this id. For a
 * launch, separate kernels with the current arguments and sizes are stored beside the record.
 * Changes apply to these kernels. When the list is closed again, they are encoded into the record
 * in place, as the append did. Events are changed in the record at once.
 *
 *     commands[id]   first, last       list->records   | ... | launch | arguments, room | waits |
 *                    kernels[chosen]   state --encode at close-->
 *                                      draft: a chain of changes is tried on it, all or none
 *
 * A chain of changes is tried on the drafts; between calls state and draft are equal. The command
 * references the objects that its record uses instead of the appended ones. They are released when
 * they are replaced, so a list can be changed without limit. Not thread-safe, except
 * geo_mutable_next. */
#ifndef GEO_DRIVER_CMD_MUTABLE_H
#define GEO_DRIVER_CMD_MUTABLE_H

#include "base/assert.h"
#include "driver/cmd/append.h"
#include "driver/program/kernel.h"

/* A kernel that a command may launch. */
struct geo_mutable_kernel {
    /* the application's kernel, referenced; NULL if the command has no choice of kernels */
    struct geo_kernel *handle;
    struct geo_kernel *state, *draft; /* private copies, referenced */
};

/* The kind of event that a command signalled when it was appended. */
enum geo_mutable_signal {
    GEO_MUTABLE_SIGNAL_NONE,
    GEO_MUTABLE_SIGNAL_REGULAR,
    GEO_MUTABLE_SIGNAL_COUNTER, /* signal number `number` of the list's counter (`shared` or not) */
    GEO_MUTABLE_SIGNAL_AGGREGATE,
};

/* The changeable state of a command with an id; part of geo_mutation. */
struct geo_mutable_command {
    ze_mutable_command_exp_flags_t flags;
    bool appended;
    /* offsets of its records; only launches of several kernels have more than one */
    size_t first, last;

    /* launches, prepared by the append */
    bool launch, indirect, cooperative;
    struct geo_mutable_kernel *kernels; /* owned */
    uint32_t kernel_count, chosen;
    ze_group_count_t groups, draft_groups;
    bool touched; /* changed by the chain that is being tried */
    bool dirty;   /* the state is not encoded yet */
    /* got another kernel since the list was closed; sizes may have to be set before it is valid */
    bool renewed;
    struct geo_mutable_command *next_touched, *next_dirty;

    /* events */
    enum geo_mutable_signal signal; /* at the append */
    bool shared;
    uint64_t number;
    uint32_t wait_count; /* at the append */
    /* [wait_count] scratch for trying waits; owned, in one block with `waited` */
    struct geo_event_ref *refs;
    /* Objects that the record uses instead of the appended ones, referenced: the signalled event,
     * its stamp, [wait_count] events waited for. NULL: none, or kept by the list. */
    struct geo_event *signalled;
    struct geo_stamp *stamp;
    struct geo_event **waited, **draft_waited;
};

/* The mutable commands of a list; owned by the list. */
struct geo_mutation {
    struct geo_object_lock lock; /* for geo_mutable_next */
    uint64_t given; /* ids used before the last reset of the list; they are invalid now */
    struct geo_mutable_command *commands; /* owned; index is id - given - 1 */
    uint32_t count, room;
    bool pending;     /* the last command gets the next append */
    uint32_t members; /* records of that command still to come; 0 and 1: one */
    struct geo_mutable_command *dirty;
};

/* ---- for lists ---- */

/* Creates the mutation of a list. Returns OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_mutation_create(struct geo_mutation **out);
/* Destroys a list's mutation; accepts NULL. */
void geo_mutation_destroy(struct geo_mutation *mutation);
/* Invalidates all ids of the list. */
void geo_mutation_reset(struct geo_mutation *mutation);
/* Copies a list's mutation for a clone of the list, in which the ids name the same commands. */
GEO_MUST_CHECK ze_result_t geo_mutation_clone(const struct geo_mutation *mutation,
                                              struct geo_mutation **out);
/* Encodes all changes into the records. Returns an error of an append, with nothing changed, if a
 * launch with a new kernel is invalid. (mutable_launch.c) */
GEO_MUST_CHECK ze_result_t geo_mutation_close(struct geo_command_list *list);

/* ---- for appends; `mutation` of the list is not NULL ---- */

/* Returns the space for arguments that a launch of the kernel needs, including other kernels of the
 * command. */
uint32_t geo_mutation_argument_bytes(const struct geo_command_list *list,
                                     const struct geo_kernel *kernel);
/* Called before the commit of a launch; groups NULL: an indirect launch. Returns
 * INVALID_KERNEL_HANDLE for a kernel that is not among those of the id, OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_mutation_launch(struct geo_command_list *list,
                                               struct geo_kernel *kernel,
                                               const ze_group_count_t *groups, bool cooperative);
/* Declares that the next `count` records are one command. 0 ends the pending command. */
void geo_mutation_members(struct geo_command_list *list, uint32_t count);
/* Allocates what the command needs to be changed later. Returns OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_mutation_prepare(const struct geo_append *append);
/* Called just before the record becomes part of the list. */
void geo_mutation_appended(const struct geo_append *append);

/* ---- ids ---- */

/* (any thread) Returns the id for the next command. Returns INVALID_ARGUMENT for a list that is not
 * mutable or is closed, and for a choice of kernels without kernels; OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_mutable_next(struct geo_command_list *list,
                                            ze_mutable_command_exp_flags_t flags, uint32_t count,
                                            ze_kernel_handle_t *kernels, uint64_t *id);
/* Finds the command of an id. Returns INVALID_ARGUMENT if it does not exist or does not allow this
 * kind of change. */
GEO_MUST_CHECK ze_result_t geo_mutable_find(const struct geo_command_list *list, uint64_t id,
                                            ze_mutable_command_exp_flag_t flag,
                                            struct geo_mutable_command **out);

/* Returns the kernel that the command launches now. */
static inline struct geo_mutable_kernel *geo_mutable_kernel(struct geo_mutable_command *command)
{
    GEO_ASSERT(command->chosen < command->kernel_count);
    return &command->kernels[command->chosen];
}

/* ---- changes; the list passed geo_list_check_mutable ---- */

/* Makes all changes of a chain (ze_mutable_commands_exp_desc_t) or none. Returns INVALID_ARGUMENT
 * and the errors of an append. (mutable_launch.c) */
GEO_MUST_CHECK ze_result_t geo_mutable_launch_update(struct geo_command_list *list,
                                                     const void *chain);
/* Selects the kernels of commands. Their arguments are unset then; sizes and counts stay if the
 * kernel allows them. Returns INVALID_KERNEL_HANDLE. */
GEO_MUST_CHECK ze_result_t geo_mutable_launch_set_kernels(struct geo_command_list *list,
                                                          uint32_t count, const uint64_t *ids,
                                                          ze_kernel_handle_t *kernels);
/* Changes the event that a command signals. Returns INVALID_ARGUMENT if it signalled none, or one
 * of another kind. (mutable_events.c) */
GEO_MUST_CHECK ze_result_t geo_mutable_events_set_signal(struct geo_command_list *list, uint64_t id,
                                                         ze_event_handle_t handle);
/* Changes the events that a command waits for. Returns INVALID_SIZE unless their number is the
 * same. */
GEO_MUST_CHECK ze_result_t geo_mutable_events_set_waits(struct geo_command_list *list, uint64_t id,
                                                        uint32_t count, ze_event_handle_t *handles);

#endif
