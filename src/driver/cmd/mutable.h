/* Mutable command lists (ZE_experimental_mutable_command_list): commands that can be changed after
 * the list was closed.
 *
 * An id is given out before a command is appended; the command that follows is known by it. What is
 * needed to change a launch is kept beside its record: kernels of its own, which hold arguments and
 * sizes as they are. Changes go to those; when the list is closed again they are encoded into the
 * record, in its place, as the append did it. Events are changed in the record at once.
 *
 *     commands[id]   first, last       list->records   | ... | launch | arguments, room | waits |
 *                    kernels[chosen]   state --encode at close-->
 *                                      draft: a chain of changes is tried on it, all or none
 *
 * A chain of changes is checked on drafts; states and drafts are equal outside of a call. What
 * records refer to in place of what they were appended with is held by the command: it goes when it
 * is replaced, so that a list can be changed for ever. Not thread-safe, but for geo_mutable_next. */
#ifndef GEO_DRIVER_CMD_MUTABLE_H
#define GEO_DRIVER_CMD_MUTABLE_H

#include "driver/cmd/append.h"
#include "driver/program/kernel.h"

/* A kernel that a command may launch. */
struct geo_mutable_kernel {
    struct geo_kernel *handle; /* referenced; what the application calls it; NULL: no choice */
    struct geo_kernel *state, *draft; /* referenced, nobody else's */
};

enum geo_mutable_signal {
    GEO_MUTABLE_SIGNAL_NONE,
    GEO_MUTABLE_SIGNAL_REGULAR,
    GEO_MUTABLE_SIGNAL_COUNTER, /* of the list: `number` of `shared` or not */
    GEO_MUTABLE_SIGNAL_AGGREGATE,
};

struct geo_mutable_command {
    ze_mutable_command_exp_flags_t flags;
    bool appended;
    size_t first, last; /* its records: offsets. All but launches of several kernels have one */

    /* launches, and what an append prepares for one */
    bool launch, indirect, cooperative;
    struct geo_mutable_kernel *kernels; /* owned */
    uint32_t kernel_count, chosen;
    ze_group_count_t groups, draft_groups;
    bool touched; /* by the chain that is being tried */
    bool dirty;   /* the state is not encoded yet */
    bool renewed; /* another kernel since the list was closed: it may want other sizes first */
    struct geo_mutable_command *next_touched, *next_dirty;

    /* events */
    enum geo_mutable_signal signal; /* as appended */
    bool shared;
    uint64_t number;
    uint32_t wait_count;        /* as appended */
    struct geo_event_ref *refs; /* [wait_count]: to try waits; owned, with what follows */
    /* Referenced: what the record needs in place of what it was appended with. The event that is
     * signalled, its stamp, [wait_count] events that are waited for. NULL: nothing, or the list
     * keeps it. */
    struct geo_event *signalled;
    struct geo_stamp *stamp;
    struct geo_event **waited, **draft_waited;
};

struct geo_mutation {
    struct geo_object_lock lock; /* geo_mutable_next */
    uint64_t given; /* ids before those of `commands`: the list was reset, they name nothing */
    struct geo_mutable_command *commands; /* owned; id - given - 1 is the index */
    uint32_t count, room;
    bool pending;     /* the last one takes what is appended next */
    uint32_t members; /* records of that command, from the next one on; 0 and 1: one */
    struct geo_mutable_command *dirty;
};

/* ---- for lists ---- */

/* OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_mutation_create(struct geo_mutation **out);
/* Accepts NULL. */
void geo_mutation_destroy(struct geo_mutation *mutation);
/* All ids given out so far name nothing any more. */
void geo_mutation_reset(struct geo_mutation *mutation);
/* The ids name the same commands of the clone. */
GEO_MUST_CHECK ze_result_t geo_mutation_clone(const struct geo_mutation *mutation,
                                              struct geo_mutation **out);
/* Brings the records up to date. The codes of an append, when a launch that got another kernel
 * lacks what it needs: nothing has changed then. (mutable_launch.c) */
GEO_MUST_CHECK ze_result_t geo_mutation_close(struct geo_command_list *list);

/* ---- for appends; `mutation` of the list is not NULL ---- */

/* The room that a launch of the kernel needs for arguments. */
uint32_t geo_mutation_argument_bytes(const struct geo_command_list *list,
                                     const struct geo_kernel *kernel);
/* Before the commit of a launch; groups NULL: they are read when it runs. INVALID_KERNEL_HANDLE for
 * a kernel that is not among those of the id, OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_mutation_launch(struct geo_command_list *list,
                                               struct geo_kernel *kernel,
                                               const ze_group_count_t *groups, bool cooperative);
/* The next so many records are one command; 0: whatever is pending ends here. */
void geo_mutation_members(struct geo_command_list *list, uint32_t count);
/* What the command needs to become known by its id. OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_mutation_prepare(const struct geo_append *append);
/* The record is about to become part of the list. */
void geo_mutation_appended(const struct geo_append *append);

/* ---- ids ---- */

/* (any thread) INVALID_ARGUMENT for a list that is not mutable or closed, and for other kernels to
 * come without kernels; OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_mutable_next(struct geo_command_list *list,
                                            ze_mutable_command_exp_flags_t flags, uint32_t count,
                                            ze_kernel_handle_t *kernels, uint64_t *id);
/* INVALID_ARGUMENT when there is no such command, or it was not made for this kind of change. */
GEO_MUST_CHECK ze_result_t geo_mutable_find(const struct geo_command_list *list, uint64_t id,
                                            ze_mutable_command_exp_flag_t flag,
                                            struct geo_mutable_command **out);

static inline struct geo_mutable_kernel *geo_mutable_kernel(struct geo_mutable_command *command)
{
    return &command->kernels[command->chosen];
}

/* ---- changes; the list passed geo_list_check_mutable ---- */

/* All changes of a chain (ze_mutable_commands_exp_desc_t) or none: INVALID_ARGUMENT and the codes
 * of an append (mutable_launch.c). */
GEO_MUST_CHECK ze_result_t geo_mutable_update(struct geo_command_list *list, const void *chain);
/* Arguments are none then, sizes and counts stay where the kernel allows them.
 * INVALID_KERNEL_HANDLE. */
GEO_MUST_CHECK ze_result_t geo_mutable_set_kernels(struct geo_command_list *list, uint32_t count,
                                                   const uint64_t *ids,
                                                   ze_kernel_handle_t *kernels);
/* (mutable_events.c) INVALID_ARGUMENT for a command that signalled none, or another kind. */
GEO_MUST_CHECK ze_result_t geo_mutable_set_signal(struct geo_command_list *list, uint64_t id,
                                                  ze_event_handle_t handle);
/* INVALID_SIZE for another number than the command had. */
GEO_MUST_CHECK ze_result_t geo_mutable_set_waits(struct geo_command_list *list, uint64_t id,
                                                 uint32_t count, ze_event_handle_t *handles);

#endif
