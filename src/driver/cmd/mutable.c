/* The commands of mutable lists: ids, appends, clones. See mutable.h. */
#include "driver/cmd/mutable.h"

#include "driver/core/check.h"

#include <stdlib.h>
#include <string.h>

#define COMMANDS_MIN 8u

static ze_result_t no_memory(void)
{
    return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a mutable command");
}

static void kernel_unref(struct geo_kernel *kernel)
{
    if (kernel) {
        geo_object_unref(&kernel->base);
    }
}

static void event_unref(struct geo_event *event)
{
    if (event) {
        geo_object_unref(&event->base);
    }
}

/* ---- commands ---- */

static void kernels_finish(struct geo_mutable_command *command)
{
    for (uint32_t i = 0; i < command->kernel_count; i++) {
        kernel_unref(command->kernels[i].handle);
        kernel_unref(command->kernels[i].state);
        kernel_unref(command->kernels[i].draft);
    }
    free(command->kernels);
    command->kernels = NULL;
    command->kernel_count = 0;
}

static void events_finish(struct geo_mutable_command *command)
{
    event_unref(command->signalled);
    geo_stamp_unref(command->stamp);
    for (uint32_t i = 0; i < command->wait_count; i++) {
        event_unref(command->waited[i]);
    }
    free(command->refs);
    command->signalled = NULL;
    command->stamp = NULL;
    command->refs = NULL;
    command->wait_count = 0;
}

static void command_finish(struct geo_mutable_command *command)
{
    kernels_finish(command);
    events_finish(command);
}

static ze_result_t kernels_alloc(struct geo_mutable_command *command, uint32_t count)
{
    GEO_ASSERT(!command->kernels && count != 0);
    command->kernels = calloc(count, sizeof(*command->kernels));
    if (!command->kernels) {
        return no_memory();
    }
    command->kernel_count = count;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t kernel_copy(struct geo_mutable_kernel *to, const struct geo_kernel *kernel)
{
    GEO_CHECK(geo_kernel_copy(kernel, &to->state));
    return geo_kernel_copy(kernel, &to->draft);
}

/* Allocates one block for the references and, behind them, two arrays of events. */
static ze_result_t waits_alloc(struct geo_mutable_command *command, uint32_t count)
{
    size_t bytes = sizeof(*command->refs) + 2 * sizeof(*command->waited);
    GEO_ASSERT(!command->refs && command->wait_count == 0);
    command->refs = count ? calloc(count, bytes) : NULL;
    if (count && !command->refs) {
        return no_memory();
    }
    command->wait_count = count;
    if (count) {
        command->waited = (struct geo_event **)(void *)(command->refs + count);
        command->draft_waited = command->waited + count;
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- table of commands ---- */

ze_result_t geo_mutation_create(struct geo_mutation **out)
{
    *out = calloc(1, sizeof(**out));
    return *out ? ZE_RESULT_SUCCESS : no_memory();
}

static bool mutation_is_valid(const struct geo_mutation *mutation)
{
    return mutation->count <= mutation->room && (!mutation->pending || mutation->count != 0) &&
           (!mutation->dirty || mutation->dirty->dirty);
}

void geo_mutation_reset(struct geo_mutation *mutation)
{
    GEO_ASSERT(mutation_is_valid(mutation));
    mutation->given += mutation->count;
    while (mutation->count != 0) {
        command_finish(&mutation->commands[--mutation->count]);
    }
    mutation->pending = false;
    mutation->members = 0;
    mutation->dirty = NULL;
}

void geo_mutation_destroy(struct geo_mutation *mutation)
{
    if (mutation) {
        geo_mutation_reset(mutation);
        free(mutation->commands);
        free(mutation);
    }
}

/* Adds a copy of the command to the table, which then owns the command's memory and references. */
static ze_result_t table_push(struct geo_mutation *mutation,
                              const struct geo_mutable_command *command)
{
    if (mutation->count == mutation->room) {
        uint32_t room = mutation->room ? mutation->room * 2 : COMMANDS_MIN;
        struct geo_mutable_command *commands =
            realloc(mutation->commands, room * sizeof(*commands));
        if (!commands) {
            return no_memory();
        }
        mutation->commands = commands;
        mutation->room = room;
    }
    mutation->commands[mutation->count++] = *command;
    return ZE_RESULT_SUCCESS;
}

/* ---- clones ---- */

static ze_result_t kernels_clone(const struct geo_mutable_command *from,
                                 struct geo_mutable_command *to)
{
    GEO_CHECK(kernels_alloc(to, from->kernel_count));
    for (uint32_t i = 0; i < from->kernel_count; i++) {
        GEO_CHECK(kernel_copy(&to->kernels[i], from->kernels[i].state));
        to->kernels[i].handle = from->kernels[i].handle;
        if (to->kernels[i].handle) {
            geo_object_ref(&to->kernels[i].handle->base);
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t events_clone(const struct geo_mutable_command *from,
                                struct geo_mutable_command *to)
{
    GEO_CHECK(waits_alloc(to, from->wait_count));
    for (uint32_t i = 0; i < from->wait_count; i++) {
        to->waited[i] = from->waited[i];
        if (to->waited[i]) {
            geo_object_ref(&to->waited[i]->base);
        }
    }
    to->signalled = from->signalled;
    if (to->signalled) {
        geo_object_ref(&to->signalled->base);
    }
    to->stamp = from->stamp;
    if (to->stamp) {
        geo_object_ref(&to->stamp->base);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t command_clone(const struct geo_mutable_command *from,
                                 struct geo_mutable_command *to)
{
    *to = *from; /* then clears the members that own memory or references */
    to->kernels = NULL;
    to->kernel_count = 0;
    to->refs = NULL;
    to->wait_count = 0;
    to->signalled = NULL;
    to->stamp = NULL;
    if (from->kernel_count) {
        GEO_CHECK(kernels_clone(from, to));
    }
    return events_clone(from, to);
}

static ze_result_t commands_clone(const struct geo_mutation *from, struct geo_mutation *to)
{
    to->given = from->given;
    for (uint32_t i = 0; i < from->count; i++) {
        struct geo_mutable_command command;
        ze_result_t result = command_clone(&from->commands[i], &command);
        if (result == ZE_RESULT_SUCCESS) {
            result = table_push(to, &command);
        }
        if (result != ZE_RESULT_SUCCESS) {
            command_finish(&command);
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_mutation_clone(const struct geo_mutation *mutation, struct geo_mutation **out)
{
    struct geo_mutation *clone;
    GEO_CHECK(geo_mutation_create(&clone));
    ze_result_t result = commands_clone(mutation, clone);
    if (result != ZE_RESULT_SUCCESS) {
        geo_mutation_destroy(clone);
        return result;
    }
    *out = clone;
    return ZE_RESULT_SUCCESS;
}

/* ---- ids ---- */

static ze_result_t choices_make(const struct geo_command_list *list, uint32_t count,
                                ze_kernel_handle_t *handles, struct geo_mutable_command *command)
{
    if (count == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "a command whose kernel may be changed needs the list of possible kernels");
    }
    GEO_CHECK_POINTER(handles);
    GEO_CHECK(kernels_alloc(command, count));
    for (uint32_t i = 0; i < count; i++) {
        struct geo_kernel *kernel;
        GEO_CHECK(geo_kernel_from(handles[i], &kernel));
        if (!geo_device_covers(geo_kernel_device(kernel), list->device)) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "kernel %u of the command was built for another device", i);
        }
        geo_object_ref(&kernel->base);
        command->kernels[i].handle = kernel;
        GEO_CHECK(kernel_copy(&command->kernels[i], kernel));
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t next_check(const struct geo_command_list *list)
{
    if (!list->mutation) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the command list was created without ze_mutable_command_list_exp_desc_t");
    }
    if (list->closed) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the command list is closed");
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t pending_push(struct geo_mutation *mutation,
                                const struct geo_mutable_command *command, uint64_t *id)
{
    geo_object_lock_acquire(&mutation->lock);
    ze_result_t result = table_push(mutation, command);
    GEO_ASSERT(geo_object_lock_held(&mutation->lock) && mutation_is_valid(mutation));
    if (result == ZE_RESULT_SUCCESS) {
        mutation->pending = true;
        *id = mutation->given + mutation->count;
    }
    geo_object_lock_release(&mutation->lock);
    return result;
}

ze_result_t geo_mutable_next(struct geo_command_list *list, ze_mutable_command_exp_flags_t flags,
                             uint32_t count, ze_kernel_handle_t *kernels, uint64_t *id)
{
    struct geo_mutable_command command = {
        .flags = flags ? flags
                       : GEO_FLAGS_ALL(ze_mutable_command_exp_flags_t) &
                             ~(uint32_t)ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION,
    };
    GEO_CHECK(next_check(list));
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (flags & ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION) {
        result = choices_make(list, count, kernels, &command);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = pending_push(list->mutation, &command, id);
    }
    if (result != ZE_RESULT_SUCCESS) {
        command_finish(&command);
    }
    return result;
}

ze_result_t geo_mutable_find(const struct geo_command_list *list, uint64_t id,
                             ze_mutable_command_exp_flag_t flag, struct geo_mutable_command **out)
{
    const struct geo_mutation *mutation = list->mutation;
    if (id <= mutation->given || id - mutation->given > mutation->count) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list has no command with id %llu",
                        (unsigned long long)id);
    }
    struct geo_mutable_command *command = &mutation->commands[id - mutation->given - 1];
    if (!command->appended) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no command was appended for id %llu",
                        (unsigned long long)id);
    }
    if (!(command->flags & (uint32_t)flag)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "command %llu was created for changes 0x%x: 0x%x is not among them",
                        (unsigned long long)id, (unsigned)command->flags, (unsigned)flag);
    }
    *out = command;
    return ZE_RESULT_SUCCESS;
}

/* ---- appends ---- */

/* Returns the command that gets the next append, or NULL. */
static struct geo_mutable_command *pending_command(const struct geo_command_list *list)
{
    const struct geo_mutation *mutation = list->mutation;
    GEO_ASSERT(mutation_is_valid(mutation));
    return mutation->pending ? &mutation->commands[mutation->count - 1] : NULL;
}

uint32_t geo_mutation_argument_bytes(const struct geo_command_list *list,
                                     const struct geo_kernel *kernel)
{
    const struct geo_mutable_command *command = pending_command(list);
    uint32_t bytes = geo_kernel_argument_bytes(kernel);
    for (uint32_t i = 0; command && i < command->kernel_count; i++) {
        uint32_t other = geo_kernel_argument_bytes(command->kernels[i].state);
        bytes = bytes > other ? bytes : other;
    }
    return bytes;
}

void geo_mutation_members(struct geo_command_list *list, uint32_t count)
{
    struct geo_mutation *mutation = list->mutation;
    mutation->members = count;
    if (count == 0 && mutation->pending && pending_command(list)->appended) {
        mutation->pending = false;
    }
}

/* Makes the launch's own kernel the only possible one, for a command whose id was created without a
 * list of kernels. */
static ze_result_t only_kernel_make(struct geo_mutable_command *command,
                                    const struct geo_kernel *kernel)
{
    kernels_finish(command); /* left by a launch that failed */
    GEO_CHECK(kernels_alloc(command, 1));
    command->chosen = 0;
    return kernel_copy(&command->kernels[0], kernel);
}

static ze_result_t kernel_choose(struct geo_mutable_command *command,
                                 const struct geo_kernel *kernel)
{
    for (uint32_t i = 0; i < command->kernel_count; i++) {
        if (command->kernels[i].handle == kernel) {
            command->chosen = i;
            geo_kernel_copy_assign(command->kernels[i].state, kernel);
            geo_kernel_copy_assign(command->kernels[i].draft, kernel);
            return ZE_RESULT_SUCCESS;
        }
    }
    return geo_fail(ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE,
                    "the kernel is not among those for which the command's id was created");
}

ze_result_t geo_mutation_launch(struct geo_command_list *list, struct geo_kernel *kernel,
                                const ze_group_count_t *groups, bool cooperative)
{
    const uint32_t kernel_flags =
        ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT |
        ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE | ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET;
    struct geo_mutable_command *command = pending_command(list);
    if (!command || command->appended || list->mutation->members > 1) {
        return ZE_RESULT_SUCCESS;
    }
    if (command->flags & ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION) {
        GEO_CHECK(kernel_choose(command, kernel));
    } else if (command->flags & kernel_flags) {
        GEO_CHECK(only_kernel_make(command, kernel));
    } else {
        return ZE_RESULT_SUCCESS;
    }
    command->launch = true;
    command->indirect = groups == NULL;
    command->cooperative = cooperative;
    command->groups = groups ? *groups : (ze_group_count_t){0};
    command->draft_groups = command->groups;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_mutation_prepare(const struct geo_append *append)
{
    struct geo_mutable_command *command = pending_command(append->list);
    if (!command || command->appended) { /* a later record of the same command */
        return ZE_RESULT_SUCCESS;
    }
    uint16_t operation = append->command->operation;
    if (append->list->mutation->members > 1 ||
        (operation != GEO_COMMAND_LAUNCH && operation != GEO_COMMAND_LAUNCH_INDIRECT)) {
        command->launch = false;
    }
    size_t waits = append->bytes - append->command->wait_offset;
    GEO_ASSERT(waits % sizeof(struct geo_event_ref) == 0);
    events_finish(command); /* left by an append that failed */
    return waits_alloc(command, (uint32_t)(waits / sizeof(struct geo_event_ref)));
}

static void signal_note(struct geo_mutable_command *command, const struct geo_append *append)
{
    struct geo_event *event = append->signal;
    if (!event) {
        return;
    }
    GEO_ASSERT(!command->signalled); /* only the last record of a command signals */
    geo_object_ref(&event->base);
    command->signalled = event;
    if (!event->counter_based) {
        command->signal = GEO_MUTABLE_SIGNAL_REGULAR;
    } else if (event->increment) {
        command->signal = GEO_MUTABLE_SIGNAL_AGGREGATE;
    } else {
        command->signal = GEO_MUTABLE_SIGNAL_COUNTER;
        command->shared = event->shared;
        command->number = append->list->counters[event->shared].value;
    }
}

void geo_mutation_appended(const struct geo_append *append)
{
    struct geo_mutation *mutation = append->list->mutation;
    struct geo_mutable_command *command = pending_command(append->list);
    if (!command) {
        return;
    }
    if (!command->appended) {
        command->appended = true;
        command->first = append->list->used;
    }
    command->last = append->list->used;
    GEO_ASSERT(command->first <= command->last);
    signal_note(command, append);
    mutation->members -= mutation->members != 0;
    mutation->pending = mutation->members != 0;
}
